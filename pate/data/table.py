"""A table as one array: named columns of cells, of which rows can be taken, and a user chooses columns.

A csv without a header would show a record where its column names are expected, so they are not shown either.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pate.data.cells import Cell, date, number
from pate.errors import ConfigError


def tabulated(columns: dict[str, np.ndarray]) -> np.ndarray:
    """Columns as one structured array: rows can be taken like those of any other array, each column keeps its type."""
    rows = len(next(iter(columns.values())))
    table = np.empty(rows, dtype=[(name, column.dtype) for name, column in columns.items()])
    for name, column in columns.items():
        table[name] = column
    return table


def columns_of(table: np.ndarray) -> tuple[str, ...]:
    """The column names of a table; none for a plain array."""
    return table.dtype.names or ()


def cells_of(column: np.ndarray) -> list[Cell]:
    """A column's cells, each as Python has it."""
    return list(column.tolist())


@dataclass(frozen=True)
class Chosen:
    """Which columns of a table are read: all, or those in `only`, but for those in `drop`."""

    only: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()

    def of(self, columns: dict[str, np.ndarray], path: Path) -> dict[str, np.ndarray]:
        absent = [name for name in self.only if name not in columns]
        if absent:
            raise ConfigError(f"dataset.columns: {path} has no column {', '.join(absent)}; {shown_names(columns)}")
        kept = {name: one for name, one in columns.items() if name not in self.drop}
        kept = {name: one for name, one in kept.items() if not self.only or name in self.only}
        if not kept:
            raise ConfigError(f"{path}: dataset.columns and dataset.drop leave no column to learn from")
        return kept


def shown_names(columns: Mapping[str, np.ndarray] | np.ndarray, most: int = 20) -> str:
    """The columns there are, by name. The first line of a csv without a header is a record, and not shown."""
    names = columns.dtype.names or () if isinstance(columns, np.ndarray) else tuple(columns)
    if any(number(name) is not None or date(name) is not None or name in columns[name][:1000] for name in names):
        return f"its first line names {len(names)} columns that look like values: does it have a header?"
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"its columns are {', '.join(names[:most])}{more}"
