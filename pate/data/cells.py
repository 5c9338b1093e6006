"""What one cell of a table means, as a number, as a date or as text.

A cell is mapped by itself: nothing here sees a second one, so that no record can change what another's cells mean. A
cell is text as it was written (csv), or a number, a truth value or nothing as a typed file stores it. What is stored as
3 in one file and as 3.0 in another, because some other cell of the column is empty there, is the same cell.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

Cell = Any  # str, int, float, Decimal, bool or None
_DATE = re.compile(r"(\d{4})([-/])(\d{1,2})\2(\d{1,2})(?:[T ](.*))?")
_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d+)?))?")
_NONE = {"na", "n/a", "n.a.", "nan", "null", "none", "nil", "?", ".", "-", "--"}  # what people write for no number
_TRUTH = {"true": 1.0, "false": 0.0}
_WHOLE = re.compile(r"[+]?(-?\d+)\.0*|[-+]?\d+(?:\.\d+)?[eE][-+]?\d+")  # 3.0 and 3e5
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def blank(cell: Cell) -> bool:
    """Whether nothing was written there."""
    return cell is None or cell == "" or (isinstance(cell, float) and math.isnan(cell))


def missing(cell: Cell) -> bool:
    """Whether nothing is written there, or a word for nothing."""
    return blank(cell) or (isinstance(cell, str) and cell.casefold() in _NONE)


def number(cell: Cell) -> float | None:
    """The finite number in a cell, 1 or 0 for a truth, nan for a cell that holds none, None for other text."""
    if missing(cell):
        return math.nan
    if written_truth(cell):
        return _TRUTH[cell.casefold()]
    try:
        value = float(cell)
    except ValueError:
        return None
    except OverflowError:  # a whole number beyond every float
        return math.nan
    return value if math.isfinite(value) else math.nan


def written_truth(cell: Cell) -> bool:
    """Whether a truth value stands there as text, as in a csv: a category, unless other files know better."""
    return isinstance(cell, str) and cell.casefold() in _TRUTH


def date(cell: Cell) -> float | None:
    """Days since 1970 of a date that begins with the year, with or without a time, or the fraction of a day of a time
    alone; nan for a cell that holds none, None for anything else."""
    if missing(cell):
        return math.nan
    if isinstance(cell, str) and (clock := _TIME.fullmatch(cell)):
        hour, minute, second = int(clock[1]), int(clock[2]), float(clock[3] or 0)
        return (hour * 3600 + minute * 60 + second) / 86400 if hour < 24 and minute < 60 and second < 60 else None
    parts = _DATE.fullmatch(cell) if isinstance(cell, str) else None
    if parts is None:
        return None
    year, _, month, day, time = parts.groups()
    try:
        moment = datetime.fromisoformat(f"{year}-{month:0>2}-{day:0>2}" + (f"T{time}" if time else ""))
        return ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH).total_seconds() / 86400
    except (ValueError, OverflowError):
        return None


def text(cell: Cell) -> str:
    """The category a cell names; 3 and 3.0 are one, and so are 1e5 and 100000."""
    if blank(cell):
        return ""
    written = f"{cell:f}" if isinstance(cell, Decimal) else str(cell)
    whole = _WHOLE.fullmatch(written)
    if whole is None:
        return written
    if whole[1]:
        return whole[1] if whole[1].strip("-0") else whole[1].removeprefix("-")  # -0.0 is 0, and 007.0 is 007
    value = float(written)
    return str(int(value)) if value.is_integer() and abs(value) < 2**63 else written
