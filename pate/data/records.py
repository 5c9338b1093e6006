"""One file's records, before they are split: read, complete, of one kind, labelled, and with an owner where asked.

Errors count what is wrong; they never show a value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

import numpy as np

from pate.data.budgets import Budgets
from pate.data.cells import text
from pate.data.formats import csv_columns, npy_arrays, npz_arrays, numeric, parquet_columns
from pate.data.labels import indices
from pate.data.owners import owners
from pate.data.table import Chosen, columns_of, shown_names, tabulated
from pate.errors import ConfigError


@dataclass(frozen=True)
class Raw:
    """What a file holds: x as numbers or as a table, labels and groups as they were written."""

    where: str
    x: np.ndarray
    labels: np.ndarray | None
    group: np.ndarray | None
    wish: np.ndarray | None = None  # what its record allows, as it was written
    whole: dict[str, np.ndarray] = field(default_factory=dict)  # of a table: all columns there are


def read(
    path: Path, label: str | None, group_by: str | None, chosen: Chosen | None = None, budget_by: str | None = None
) -> Raw:
    """Read one file; for npy that is `<side>_x.npy` and its neighbours `<side>_y.npy`, `<side>_<group>.npy`."""
    form = path.suffix.lower()
    if form in (".csv", ".parquet"):
        columns = csv_columns(path) if form == ".csv" else parquet_columns(path)
        return _table(path, columns, (label, group_by, budget_by), chosen or Chosen())
    if chosen not in (None, Chosen()):
        raise ConfigError(f"dataset.columns and dataset.drop are for the columns of csv or parquet, not {path.name}")
    if label is not None:
        raise ConfigError(f"dataset.label={label} names a column of csv or parquet; {path.name} has its labels as 'y'")
    arrays = npz_arrays(path) if form == ".npz" else npy_arrays(path)
    if "x" not in arrays:
        raise ConfigError(f"{path} has no array 'x': save it with numpy.savez(file, x=..., y=...)")
    x = arrays["x"]
    if x.ndim > 2 and x.dtype.kind in "iu" and x.dtype != np.uint8:
        raise ConfigError(
            f"{path}: images of whole numbers are bytes (uint8), these are {x.dtype}: save them so, or as floats"
        )
    group, wish = (arrays.get(name) if name else None for name in (group_by, budget_by))
    return Raw(str(path), numeric(x, path), arrays.get("y"), group, wish)


def _table(path: Path, columns: dict[str, np.ndarray], aside: tuple[str | None, ...], chosen: Chosen) -> Raw:
    """`aside` are the columns of the label, the group and the budget: nothing is learned from them."""
    whole = dict(columns)
    labels, group, wish = (columns.pop(name) if name in columns else None for name in aside)
    labels, group = (None if one is None else _names(one) for one in (labels, group))  # a wish is read cell by cell
    if not columns:
        raise ConfigError(f"{path} has no feature columns besides the label and the group")
    return Raw(str(path), tabulated(chosen.of(columns, path)), labels, group, wish, whole)


def _names(column: np.ndarray) -> np.ndarray:
    """Labels or groups: whole numbers as such, where each has one; else as text."""
    cells = column.tolist()
    if column.dtype.kind != "O" or all(isinstance(cell, str) for cell in cells):
        return column
    if None in cells or any(isinstance(cell, Decimal) for cell in cells):
        return np.array([text(cell) for cell in cells], dtype=object)
    return np.array(cells)


def check(raw: Raw, labelled: bool, group_by: str | None, label: str = "", budget_by: str | None = None) -> None:
    """Refuse a file that is empty, or whose labels, groups or budgets are absent or do not belong to its records."""
    if not len(raw.x):
        raise ConfigError(f"{raw.where} holds no records: fill it, or take the file away if this side has none")
    if labelled and raw.labels is None:
        table = columns_of(raw.x)
        wanted = f"name the label column with dataset.label=; {shown_names(raw.x)}" if table else "save labels as 'y'"
        raise ConfigError(f"{raw.where} has no labels{label and f' in a column {label}'}: {wanted}")
    there = f": {shown_names(raw.x)}" if columns_of(raw.x) else ""
    if group_by is not None and raw.group is None:
        raise ConfigError(f"{raw.where} has no '{group_by}' to group by{there}")
    if budget_by is not None and raw.wish is None:
        raise ConfigError(f"{raw.where} has no '{budget_by}' to read budgets from{there}")
    group, wish = raw.group if group_by else None, raw.wish if budget_by else None
    for what, values in (("labels", raw.labels), ("groups", group), ("budgets", wish)):
        if values is not None and values.shape != (len(raw.x),):
            raise ConfigError(f"{raw.where}: {len(raw.x)} records but {what} of shape {values.shape}")


def agree(raws: list[Raw]) -> None:
    """Refuse files whose records are not of one kind."""
    first = next((raw for raw in raws if columns_of(raw.x)), raws[0])
    for raw in raws:
        if set(columns_of(raw.x)) != set(columns_of(first.x)):
            raise ConfigError(_apart(raw, first))
        images = raw.x.ndim > 2 and raw.x.dtype != first.x.dtype
        if raw.x.shape[1:] != first.x.shape[1:] or images:
            raise ConfigError(
                f"{raw.where} has records of shape {raw.x.shape[1:]} {raw.x.dtype}, "
                f"{first.where} of {first.x.shape[1:]} {first.x.dtype}: they must be the same"
            )


def _apart(one: Raw, other: Raw) -> str:
    """Which columns only one of two files has, by name where the names are names."""
    told = f"{one.where} and {other.where} must have the same feature columns"
    for here, there in ((one, other), (other, one)):
        if not columns_of(here.x):
            continue
        only = [name for name in columns_of(here.x) if name not in columns_of(there.x)]
        if only and columns_of(there.x):
            alone = here.x[only] if len(only) > 1 else here.x[[only[0]]]
            told += f"; only in {here.where}: {shown_names(alone).removeprefix('its columns are ')}"
    return f"{told}: take them out (dataset.drop=), or add them to the other"


@dataclass(frozen=True)
class Pool:
    """Records in a fixed order, before they are split."""

    x: np.ndarray
    y: np.ndarray
    group: np.ndarray | None = None
    allowed: np.ndarray | None = None  # the epsilon each record allows

    def __len__(self) -> int:
        return len(self.y)

    def rows(self, rows: slice | np.ndarray) -> Pool:
        """The records at these positions."""
        group, allowed = (None if one is None else one[rows] for one in (self.group, self.allowed))
        return Pool(self.x[rows], self.y[rows], group, allowed)

    def first(self, count: int) -> Pool:
        return self.rows(slice(0, count))

    def last(self, count: int) -> Pool:
        return self.rows(slice(len(self) - count, len(self)))


def pooled(raw: Raw, classes: list[str], owned: bool, budgets: Budgets | None = None) -> Pool:
    """The file as records; without labels, y is -1 everywhere. Only private records have owners and budgets."""
    y = np.full(len(raw.x), -1, np.int64) if raw.labels is None else indices(raw.labels, classes, raw.where)
    group = owners(raw.group, raw.where) if owned and raw.group is not None else None
    allowed = budgets.allowed(raw.wish.tolist()) if owned and budgets and raw.wish is not None else None
    return Pool(raw.x, y, group, allowed)
