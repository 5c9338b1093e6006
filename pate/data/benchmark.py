"""A data set everybody knows: files of fixed names, a train pool, a test pool, and packages that carry it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pate.data.dataset import Dataset
from pate.data.fetch import Published, fetch, verify
from pate.data.records import Pool
from pate.data.split import Sizes, Split, assemble, divided
from pate.errors import ConfigError


@dataclass(frozen=True)
class KnownDataset(Dataset):
    """Private comes from the train pool, public and test from the test pool."""

    labels: ClassVar[tuple[str, ...]] = ()
    group_columns: ClassVar[tuple[str, ...]] = ()
    raw: ClassVar[tuple[str, ...]] = ()  # none: the data comes with an installed package
    records: ClassVar[tuple[int, int]]  # train and test pool of the published files
    published: ClassVar[Published | None] = None

    @property
    def class_names(self) -> tuple[str, ...]:
        return self.labels

    @abstractmethod
    def counts(self) -> tuple[int, int]:
        """Records in the train and the test pool, from the headers of files that are there."""

    @abstractmethod
    def pools(self, group_by: str | None) -> tuple[Pool, Pool]:
        """The train and the test pool, in the order of the files."""

    def located(self, name: str) -> Path | None:
        """The file that holds this raw file's content, if it is there."""
        path = self.folder() / name
        return path if path.is_file() else None

    def files(self) -> list[Path]:
        return [path for path in map(self.located, self.raw) if path is not None]

    def missing(self) -> bool:
        return len(self.files()) < len(self.raw)

    def require(self) -> None:
        absent = [name for name in self.raw if self.located(name) is None]
        if absent:
            raise ConfigError(
                f"{self.name}: {', '.join(absent)} not found in {self.folder()}; "
                "fetch the data set first, or give dataset.path=<the folder that has it>"
            )

    def fetch(self) -> None:
        if self.published is None:
            if self.missing():
                raise ConfigError(
                    f"{self.name} has no package: download {' and '.join(self.raw)} yourself "
                    "and give dataset.path=<their folder>"
                )
        elif self.missing():
            fetch(self.name, self.folder(), self.published)
        else:
            verify(self.files(), self.published)

    def sizes(self) -> Sizes:
        """Of the files that are there, else of the published ones."""
        return self._divided(*(self.records if self.missing() else self.counts()))

    def split(self, group_by: str | None = None) -> Split:
        if group_by is not None and group_by not in self.group_columns:
            allowed = ", ".join(self.group_columns) or "nothing: no column says whose a record is"
            raise ConfigError(f"{self.name} cannot be grouped by '{group_by}'; it can be grouped by {allowed}")
        self.require()
        train, held_out = self.pools(group_by)
        sizes = self._divided(len(train), len(held_out))
        return assemble(
            train.first(sizes.private),
            held_out.first(sizes.public),
            held_out.last(sizes.test),
            list(self.labels),
        )

    def _divided(self, train: int, held_out: int) -> Sizes:
        return divided(self.name, train, held_out, self.private, self.public, self.test)
