"""Recognising private records: the same people's data has one account, whatever file, order or spelling it comes in.

A record is what all its columns say, by name, read cell by cell: neither the order of rows or columns, nor how a number
or a date is written, nor which columns are learned from, makes other records of it. A digest would confirm a guess, so
it is keyed before it is kept.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping

import numpy as np

from pate.data.cells import Cell, date, number, text


def of_table(columns: Mapping[str, np.ndarray], rows: np.ndarray) -> str:
    """These rows of a table, label and group included."""
    names = sorted(columns)
    cells = zip(*(map(_spelled, columns[name][rows].tolist()) for name in names), strict=True)
    return _digest(repr((names, row)).encode() for row in cells)


def of_arrays(x: np.ndarray, labels: np.ndarray, rows: np.ndarray) -> str:
    """These rows of an array, with their labels."""
    flat = x[rows].astype(np.float32)
    return _digest(
        row.tobytes() + _spelled(label).encode() for row, label in zip(flat, labels[rows].tolist(), strict=True)
    )


def of_records(x: np.ndarray, y: np.ndarray) -> str:
    """Records of any data set as they were split, with their places in the class list, whatever encoder they meet."""
    table = x.dtype.names is not None
    return _digest(  # row by row: a column may hold one long text many times
        (repr(row.item()).encode() if table else row.tobytes()) + label.tobytes()
        for row, label in zip(x, y, strict=True)
    )


def _spelled(cell: Cell) -> str:
    """One spelling for what is the same cell."""
    value = number(cell)
    if value is not None:
        return f"{value!r}" if math.isfinite(value) else ""
    days = date(cell)
    return text(cell).strip() if days is None else f"day {days!r}"


def _digest(rows: Iterable[bytes]) -> str:
    """In whatever order; empty for none."""
    digests = sorted(hashlib.sha256(row).digest() for row in rows)
    return hashlib.sha256(b"".join(digests)).hexdigest() if digests else ""
