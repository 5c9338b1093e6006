"""What kind a column is: a number, a date or a category. Decided by its public cells, or declared (`dataset.kinds`).

What cannot be decided is refused before anything is trained or drawn, with the way out; a public row may be named.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Literal, get_args

import numpy as np

from pate.data import advice
from pate.data.cells import Cell, blank, date, missing, number, text, written_truth
from pate.data.split import Rows
from pate.errors import ConfigError

Kind = Literal["numeric", "date", "category"]
KINDS: tuple[str, ...] = get_args(Kind)
_STRAY = 0.1  # at most this share of text among dates: a slip rather than a category
_NUMBERS = 0.5  # this share of numbers, and the rest may be slips or the column one of names: ask
_NUMBERLIKE = re.compile(r"[<>≤≥~]?=?\s*[-+]?\d+([.,]\d+)*\s*%?")  # <5, 37%, 3,14
_FEW = 10  # cells: fewer say nothing about a column
_WORDS, _LONG, _SENTENCES = 4, 40, 0.3  # of free text: words, characters, and in how many cells
_DISTINCT = 20  # categories, before they look like sentences
_OTHER_DATE = re.compile(
    r"\d{1,2}([./-])\d{1,2}\1\d{2,4}([ T].*)?"  # 31.12.2026, 12/31/26
    r"|\d{1,2}[. -]?[A-Za-z]{3,9}\.?[,. -]+\d{2,4}|[A-Za-z]{3,9}\.? \d{1,2},? \d{4}"  # 31 Dec 2026, Dec 31, 2026
)


def kind_of(name: str, cells: Sequence[Cell], rows: Rows, declared: str | None = None) -> Kind:
    """The kind of a column by its public cells; a ConfigError if they leave it open."""
    if declared is not None:
        return _declared(name, cells, declared)
    filled = [(place, cell) for place, cell in enumerate(cells) if not blank(cell)]
    if not filled:
        return "category"  # of blanks: nothing is learned from it
    filled = [(place, cell) for place, cell in filled if not missing(cell)] or filled
    strays = [place for place, cell in filled if number(cell) is None or written_truth(cell)]
    if not strays:
        return "numeric" if any(np.isfinite(number(cell)) for _, cell in filled) else "category"  # type: ignore[arg-type]
    if all(date(cell) is not None for _, cell in filled):
        return "date"
    _refuse_strays(name, "numeric", strays, len(filled), 1 - _NUMBERS, rows)
    _refuse_strays(name, "date", [place for place, cell in filled if date(cell) is None], len(filled), _STRAY, rows)
    texts = [text(cell) for _, cell in filled]
    if sum(_OTHER_DATE.fullmatch(one) is not None for one in texts) > (1 - _STRAY) * len(texts):
        raise ConfigError(
            f"column {name} holds dates that do not begin with the year: write them as 2026-01-31, drop the column "
            f"({advice.drop(name)}), or declare {advice.kind(name, 'category')}"
        )
    if len({cell for _, cell in filled}) >= _FEW and all(map(_NUMBERLIKE.fullmatch, texts)):
        raise ConfigError(
            f"column {name} holds numbers with a decimal comma, % or <, which are not read as numbers: write them "
            f"plainly, or declare {advice.kind(name, 'category')}"
        )
    if free_text(texts):
        raise ConfigError(
            f"column {name} holds free text: it would be published word by word and teach nothing. Drop it "
            f"({advice.drop(name)}), bring numbers made of it by a public encoder, or, if these are names of a few "
            f"kinds, declare {advice.kind(name, 'category')}"
        )
    return "category"


def free_text(texts: Sequence[str]) -> bool:
    """Whether cells are sentences rather than names: long, of many words, and hardly ever the same."""
    distinct = len(set(texts))
    long = sum(len(one.split()) >= _WORDS and len(one) >= _LONG for one in texts) + sum(len(one) > 256 for one in texts)
    return distinct >= min(_DISTINCT, len(texts)) and distinct > len(texts) / 2 and long >= _SENTENCES * len(texts)


def _declared(name: str, cells: Sequence[Cell], declared: str) -> Kind:
    if declared not in KINDS:
        raise ConfigError(f"dataset.kinds={{{name}: {declared}}}: expected one of {', '.join(KINDS)}")
    if declared != "numeric" and any(isinstance(cell, bool | Decimal) for cell in cells):  # stored otherwise elsewhere
        raise ConfigError(
            f"dataset.kinds={{{name}: {declared}}}: the column holds truths or decimals, which are numeric"
        )
    read = {"numeric": number, "date": date}.get(declared)
    if read is not None and not any(np.isfinite(read(cell) or np.nan) or read(cell) == 0 for cell in cells):
        what = "number" if declared == "numeric" else "date that begins with the year (2026-01-31)"
        raise ConfigError(f"dataset.kinds={{{name}: {declared}}}: no public row has a {what} there")
    return declared  # type: ignore[return-value]


def _refuse_strays(name: str, kind: Kind, strays: Sequence[int], filled: int, most: float, rows: Rows) -> None:
    """Texts among numbers would make a category of every number."""
    if filled >= _FEW and len(strays) <= most * filled:
        others = f" (and {len(strays) - 1} more)" if len(strays) > 1 else ""
        what = {"numeric": "numbers"}.get(kind, "dates")
        raise ConfigError(
            f"column {name}: {rows.at(strays[0])}{others} holds text where {filled - len(strays)} public cells hold "
            f"{what}: mend it, or declare {advice.kind(name, kind)} (it is then missing) or "
            f"{advice.kind(name, 'category')}"
        )
