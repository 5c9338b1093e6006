"""What every data set answers: where its files are, how large its sides are, and the split itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any

from pate.choice import Choice
from pate.data.budgets import Budgets
from pate.data.encoding import encoded
from pate.data.split import Sizes, Split
from pate.data.table import columns_of
from pate.data.written import Written
from pate.errors import ConfigError

_ROUNDED = 0.01  # how far shares of classes may be from adding up to 1


@dataclass(frozen=True)
class Dataset(Choice, ABC):
    """The fields are what a user may set; null takes all there is."""

    name: str
    path: str | None = None
    private: int | None = None
    public: int | None = None
    test: int | None = None
    seed: int = 0  # only read where a single pool has to be shuffled before it is split
    delta: float | None = 1e-5  # null: below one in the number of private records
    test_public: bool = False  # whether test inputs may be shown on a page that leaves
    priors: Any = (
        None  # how common each class is known to be without the data; no draw hangs on it but with balance.records
    )

    def __post_init__(self) -> None:
        for side in ("private", "public", "test"):
            count = getattr(self, side)
            if count is not None and count < 0:
                raise ConfigError(f"dataset.{side}={count}: a number of records is 0 or more, or null for all of them")
        if self.delta is not None and not 0 < self.delta < 1:
            raise ConfigError(f"dataset.delta={self.delta}: delta lies between 0 and 1, and well below 1/records")
        if self.seed < 0:
            raise ConfigError(f"dataset.seed={self.seed}: a seed is 0 or more")
        _ = self.shares

    @property
    def shares(self) -> dict[str, float] | None:
        """The declared shares of the classes, a mapping or a list in the order of the classes; a ConfigError if they
        are none."""
        if self.priors is None:
            return None
        if not self.class_names:
            raise ConfigError("dataset.priors are shares of declared classes: give dataset.classes=[...] too")
        told = dict(self.priors) if isinstance(self.priors, Mapping) else _in_order(self.priors, self.class_names)
        told = {str(name): share for name, share in told.items()}
        if told.keys() != set(self.class_names):
            raise ConfigError(f"dataset.priors must give one share to each of {', '.join(self.class_names)}")
        if not all(isinstance(share, int | float) and not isinstance(share, bool) for share in told.values()):
            raise ConfigError("dataset.priors must be numbers: how common each class is")
        if not all(0 <= share <= 1 for share in told.values()) or abs(sum(told.values()) - 1) > _ROUNDED:
            total = f"they add up to {sum(told.values()):g}"
            raise ConfigError(f"dataset.priors must be shares of at least 0 that add up to 1: {total}")
        return {name: float(told[name]) for name in self.class_names}

    def usual_delta(self) -> float:
        """The delta of a run that names none: 1e-5, or the largest power of ten below one in the number of records."""
        if self.delta is not None:
            return self.delta
        power, records = -5, self.sizes().private
        while 10**-power <= records:
            power -= 1
        return float(f"1e{power}")

    def folder(self) -> Path:
        """Where the raw files are, or will be put."""
        return Path(self.path).expanduser() if self.path else Path("data") / self.name

    @property
    @abstractmethod
    def class_names(self) -> tuple[str, ...]:
        """The classes, as far as they are known without a look at the data."""

    def reads_private_labels(self) -> bool:
        """Whether a class list that nobody declared would be read off private labels."""
        return False

    @abstractmethod
    def files(self) -> list[Path]:
        """The files that are there and determine the data: what a cache key has to read."""

    @abstractmethod
    def missing(self) -> bool:
        """Whether raw files are not there yet."""

    @abstractmethod
    def require(self) -> None:
        """Refuse to start while raw files are missing, and say which."""

    @abstractmethod
    def fetch(self) -> None:
        """Fill the folder; good files that are there already stay as they are."""

    @abstractmethod
    def sizes(self) -> Sizes:
        """The sides' sizes without reading the data."""

    @abstractmethod
    def image_shape(self) -> tuple[int, ...] | None:
        """Height and width (and colours) of an input, None if it is no image; asked once the files are there."""

    def input_shape(self) -> tuple[int, ...] | None:
        """The same; of rows that are an array, the number of their columns."""
        return self.image_shape()

    @abstractmethod
    def split(self, group_by: str | None = None) -> Split:
        """Read the files and split them by position, tables as they are written; `group_by` names the column that says
        whose a record is."""

    def is_table(self) -> bool:
        """Whether inputs are rows of named columns, as far as it is known before the data is read."""
        return False

    def require_column(self, name: str) -> None:
        """A ConfigError that says why results cannot be reported by a column."""
        raise ConfigError(f"report.by={name}: {self.name} has no columns to report by")

    def written(self, aside: Collection[str], by: str | None) -> Written:
        """Public and test rows as they were written: what is learned from, which is nothing `aside`, and the column
        `by`, which may be one that is dropped."""
        return Written((), {}, {})

    def kinds_declared(self) -> Mapping[str, str]:
        """What columns of a table are, where somebody said so."""
        return {}

    def no_identifiers(self) -> Collection[str]:
        """Columns of which somebody said that they are none, although they look like it."""
        return ()

    def load(self, group_by: str | None = None, budgets: Budgets | None = None) -> Split:
        """The split with its tables as numbers: split first, then encode, so that encoders see public rows alone."""
        if budgets is None:
            split = self.split(group_by)
        elif "budgets" in signature(self.split).parameters:
            split = self.split(group_by, budgets)  # type: ignore[call-arg]
        else:
            raise ConfigError(
                f"{self.name} has no column that says what a record allows: leave partition.budget_by out"
            )
        return encoded(split, self.kinds_declared()) if columns_of(split.public.x) else split


def _in_order(shares: Any, classes: Collection[str]) -> dict[str, Any]:
    if not isinstance(shares, Collection) or isinstance(shares, str) or len(shares) != len(classes):
        raise ConfigError(f"dataset.priors must be one share for each of {', '.join(classes)}, in this order")
    return dict(zip(classes, shares, strict=True))
