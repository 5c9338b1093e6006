"""Columns as they were written, for reading: test rows beside what they became, and the cells of one column.

Nothing learns from them. The owner's: they are test inputs, also of columns that were dropped from learning.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date as Date
from datetime import timedelta
from itertools import pairwise

import numpy as np

from pate.data.cells import Cell, date, missing, number, text
from pate.data.table import cells_of
from pate.errors import ConfigError
from pate.workspace.artifact import Artifact

MOST_COLUMNS = 24  # of a row that is shown
_LONGEST = 40  # characters of a cell that is shown
_DISTINCT = 10  # numbers, before they are cut into quarters
_MOST_GROUPS = 20
BLANK, OTHERS = "(blank)", "others"


@dataclass(frozen=True)
class Written:
    """The public and the test rows, each column as it was written; `learned` are those that models learn from."""

    learned: tuple[str, ...]
    public: Mapping[str, np.ndarray]
    test: Mapping[str, np.ndarray]


@dataclass(frozen=True)
class AsWritten(Artifact):
    """Test rows for reading: their cells by the place of the column among `names`; and of the column `by`, to which of
    its `groups` each row belongs."""

    names: list[str] = field(default_factory=list)
    cells: dict[str, np.ndarray] = field(default_factory=dict)
    by: str = ""
    groups: list[str] = field(default_factory=list)
    group: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))

    def check(self) -> None:
        if self.group.dtype != np.int64 or ((self.group < 0) | (self.group >= max(1, len(self.groups)))).any():
            raise ValueError("every row belongs to one of the groups")

    def row(self, place: int) -> dict[str, str]:
        """One row, by column."""
        return {name: str(self.cells[str(at)][place]) for at, name in enumerate(self.names) if str(at) in self.cells}


def as_written(found: Written, by: str | None, declared: str | None = None) -> AsWritten:
    """The first columns that are learned from, and the groups of the one to report by; `declared` is its kind."""
    shown = {
        str(at): np.array([_short(cell) for cell in cells_of(found.test[name])], dtype=str)
        for at, name in enumerate(found.learned[:MOST_COLUMNS])
    }
    names = list(found.learned)
    if by is None:
        return AsWritten(names, shown)
    public = cells_of(found.public[by]) if by in found.public else []
    groups, group = grouped(by, public, cells_of(found.test[by]), declared)
    return AsWritten(names, shown, by, groups, group)


def grouped(
    name: str, public: Sequence[Cell], test: Sequence[Cell], declared: str | None = None
) -> tuple[list[str], np.ndarray]:
    """Groups of test rows by their cells, and the place of each row's. Many numbers or dates are quarters, cut on
    public rows alone: the same ones whatever the test rows hold."""
    for kind, read in (("numeric", number), ("date", date)):
        values = [read(cell) for cell in public if not missing(cell)] if declared in (None, kind) else []
        known = [value for value in values if value is not None and np.isfinite(value)]
        if known and len(known) >= 0.9 * len(values) and len(set(known)) > _DISTINCT:
            cuts = np.unique(np.quantile(known, [0.25, 0.5, 0.75], method="inverted_cdf"))
            return _quarters(cuts, kind, [read(cell) for cell in test])
    cells = [text(cell).strip() or BLANK for cell in test]
    counted = Counter(cells)
    if not public and len(counted) > _MOST_GROUPS:
        raise ConfigError(
            f"report.by={name}: {len(counted)} different cells, and no public row with this column by which to cut "
            "them into quarters"
        )
    kept = [cell for cell, _ in sorted(counted.items(), key=lambda one: (-one[1], one[0]))]
    groups = kept if len(kept) <= _MOST_GROUPS else [*kept[: _MOST_GROUPS - 1], OTHERS]
    places = {cell: at for at, cell in enumerate(groups)}
    last = len(groups) - 1
    return groups, np.array([places.get(cell, last) for cell in cells], dtype=np.int64)


def _quarters(cuts: np.ndarray, kind: str, values: Sequence[float | None]) -> tuple[list[str], np.ndarray]:
    """A cut belongs to the quarter below it; fewer than four where cuts fall together."""
    said = [_said(cut, kind) for cut in cuts]
    groups = [f"up to {said[0]}", *(f"above {low} to {high}" for low, high in pairwise(said))]
    groups += [f"above {said[-1]}", BLANK]
    known = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    place = np.searchsorted(cuts, np.where(np.isnan(known), 0, known), side="left")
    return groups, np.where(np.isnan(known), len(groups) - 1, place).astype(np.int64)


def _said(cut: float, kind: str) -> str:
    return f"{cut:g}" if kind == "numeric" else str(Date(1970, 1, 1) + timedelta(days=float(cut)))


def _short(cell: Cell) -> str:
    told = text(cell)
    return told if len(told) <= _LONGEST else f"{told[: _LONGEST - 1]}…"
