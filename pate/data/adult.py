"""Adult: census records in the layout of the UCI repository; does a person earn more than 50K a year?"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from pate.data.benchmark import KnownDataset
from pate.data.fetch import Published
from pate.data.records import Pool
from pate.data.sources import ADULT, ADULT_FILES
from pate.data.table import tabulated
from pate.data.written import Written
from pate.errors import ConfigError
from pate.workspace.files import Unreadable, opened

_COLUMNS = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation"),
    *("relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country"),
)


def lines(path: Path) -> list[str]:
    """The records' lines; the test file opens with a remark behind a bar, and both end with a blank line."""
    try:
        with opened(path) as stream:
            text = stream.read().decode("utf-8", errors="replace").splitlines()
    except Unreadable as problem:
        raise ConfigError(f"{path} {problem}: fetch it again") from None
    return [line for line in text if line.strip() and not line.startswith("|")]


@dataclass(frozen=True)
class Adult(KnownDataset):
    kind: ClassVar[str] = "adult"

    name: str = "adult"
    public: int | None = 12000

    labels: ClassVar[tuple[str, ...]] = ("<=50K", ">50K")
    group_columns: ClassVar[tuple[str, ...]] = _COLUMNS
    raw: ClassVar[tuple[str, ...]] = ADULT_FILES
    records: ClassVar[tuple[int, int]] = (32561, 16281)
    published: ClassVar[Published | None] = ADULT

    def image_shape(self) -> tuple[int, ...] | None:
        return None

    def counts(self) -> tuple[int, int]:
        train, held_out = (len(lines(path)) for path in self.files())
        return train, held_out

    def pools(self, group_by: str | None) -> tuple[Pool, Pool]:
        train, held_out = (self._pool(path, group_by) for path in self.files())
        return train, held_out

    def is_table(self) -> bool:
        return True

    def require_column(self, name: str) -> None:
        if name not in _COLUMNS:
            raise ConfigError(
                f"report.by={name}: {self.name} has no such column; its columns are {', '.join(_COLUMNS)}"
            )

    def written(self, aside: Collection[str], by: str | None) -> Written:
        held_out = self._pool(self.files()[1], None)
        sizes = self.sizes()
        public, test = held_out.first(sizes.public).x, held_out.last(sizes.test).x
        learned = tuple(name for name in _COLUMNS if name not in aside)
        return Written(learned, {name: public[name] for name in _COLUMNS}, {name: test[name] for name in _COLUMNS})

    def _pool(self, path: Path, group_by: str | None) -> Pool:
        rows = [[cell.strip() for cell in line.split(",")] for line in lines(path)]
        broken = sum(len(row) != len(_COLUMNS) + 1 for row in rows)
        if broken or not rows:
            raise ConfigError(f"{path}: {broken} of {len(rows)} lines lack the 15 cells of a record: fetch it again")
        *cells, income = (np.array(column, dtype=object) for column in zip(*rows, strict=True))
        names = np.array([label.rstrip(".") for label in income])
        y = np.select([names == name for name in self.class_names], range(len(self.class_names)), default=-1)
        if (y < 0).any():
            raise ConfigError(f"{path}: {int((y < 0).sum())} incomes are neither <=50K nor >50K: fetch it again")
        columns = dict(zip(_COLUMNS, cells, strict=True))
        group = None if group_by is None else columns.pop(group_by).astype(str)
        return Pool(tabulated(columns), y.astype(np.int64), group)
