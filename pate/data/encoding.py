"""Tables of mixed columns as numbers. Encoders are fitted on public rows only: no private record may shape them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from pate.data.cells import Cell, blank, date, missing, number, text
from pate.data.kinds import Kind, kind_of
from pate.data.split import Rows, Split
from pate.data.table import cells_of, columns_of
from pate.errors import ConfigError
from pate.workspace.artifact import fits

_FARTHEST = 1e6  # standard deviations; one absurd cell must not become an infinity in float32
_KNOWN = 2  # public rows a category is on, at least: what one row alone says is not published word by word


def _read(column: np.ndarray, as_: Callable[[Cell], float | None]) -> np.ndarray:
    """The column as floats, cell by cell, nan for what does not say one."""
    if column.dtype.kind in "biuf" and as_ is number:
        values = column.astype(np.float64)
        values[~np.isfinite(values)] = np.nan
        return values
    found = (as_(cell) for cell in cells_of(column))
    return np.array([np.nan if value is None else value for value in found], dtype=np.float64)


Scaled = list[tuple[str, float, float]]  # name, mean, standard deviation


@dataclass(frozen=True)
class Columns:
    """Numbers standardised, everything else one-hot; an unknown category is all zeros, a missing number the mean.

    Dates are numbers of days. Plain values, so that a published model can carry them and read tables as they come.
    """

    numeric: Scaled  # lists, since their order is the columns'
    categorical: list[tuple[str, list[str]]]  # name, categories
    dates: Scaled = field(default_factory=list)

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> Self:
        """The columns that a published model carries; a ValueError if they are none."""
        parts = [plain.get("numeric"), plain.get("categorical"), plain.get("dates", [])]
        known = set(plain) - {"dates"} == {"numeric", "categorical"}
        if not known or not all(fits(part, list[list[Any]]) for part in parts):
            raise ValueError("columns are numeric, categorical or dates")
        made = cls(*([tuple(one) for one in part or []] for part in parts))
        numbers_like, named = (str, float, float), (str, list[str])
        scaled = [*made.numeric, *made.dates]
        whole = [*((one, numbers_like) for one in scaled), *((one, named) for one in made.categorical)]
        if not all(len(one) == len(hints) and all(map(fits, one, hints)) for one, hints in whole):
            raise ValueError("a column has a name and numbers, or a name and categories")
        scales = [(mean, deviation) for _, mean, deviation in scaled]
        if not all(math.isfinite(mean) and math.isfinite(deviation) and deviation > 0 for mean, deviation in scales):
            raise ValueError("a column's mean and deviation are finite numbers")
        if not made.names or len(set(made.names)) < len(made.names):
            raise ValueError("two columns have the same name, or there is none")
        return made

    @property
    def plain(self) -> dict[str, Any]:
        """As a published model carries them; without dates, as it always did."""
        parts = {"numeric": self.numeric, "categorical": self.categorical}
        return parts | ({"dates": self.dates} if self.dates else {})

    @classmethod
    def fit(cls, public: np.ndarray, declared: Mapping[str, str] | None = None, rows: Rows | None = None) -> Self:
        """Learn kinds (where they are not declared), means and categories from public rows."""
        if not len(public):
            raise ConfigError(
                "encoders are fitted on public data only, and this table has no public rows: "
                "give some (dataset.public=, or a public file), or hand over numbers as npz or npy"
            )
        rows = rows or Rows("the public rows", np.arange(len(public)))
        scaled: dict[Kind, Scaled] = {"numeric": [], "date": []}
        categorical: list[tuple[str, list[str]]] = []
        unclear: dict[str, str] = {}
        for name in columns_of(public):
            cells = cells_of(public[name])
            try:
                kind = kind_of(name, cells, rows, (declared or {}).get(name))
            except ConfigError as error:
                unclear[name] = str(error)
                continue
            if kind == "category":
                counted = Counter(map(text, cells))
                categorical.append((name, sorted(one for one, times in counted.items() if times >= _KNOWN)))
            else:
                values = _read(public[name], number if kind == "numeric" else date)
                mean = float(np.nanmean(values))
                deviation = float(np.std(np.where(np.isnan(values), mean, values)))
                scaled[kind].append((name, mean, deviation if deviation > 1e-9 * abs(mean) else 1.0))
        if unclear:
            first, *others = unclear
            more = f"; unclear too: column{'s' * (len(others) > 1)} {', '.join(others)}" if others else ""
            raise ConfigError(unclear[first] + more)
        fitted = cls(scaled["numeric"], categorical, scaled["date"])
        if not fitted.width:
            raise ConfigError("no column holds numbers, dates or a category that two public rows share")
        return fitted

    def transform(self, rows: np.ndarray) -> np.ndarray:
        """Rows as float32, numbers first, then dates; each row depends on itself and the public fit alone."""
        found = np.zeros((len(rows), self.width), np.float32)
        readers = [*((one, number) for one in self.numeric), *((one, date) for one in self.dates)]
        for place, ((name, mean, deviation), read) in enumerate(readers):
            values = _read(rows[name], read)
            with np.errstate(over="ignore"):  # clipped below
                standard = (np.where(np.isnan(values), mean, values) - mean) / deviation
            found[:, place] = np.clip(standard, -_FARTHEST, _FARTHEST)
        start = len(readers)
        for name, categories in self.categorical:
            known = {category: start + i for i, category in enumerate(categories)}
            for row, cell in enumerate(cells_of(rows[name])):
                column = known.get(text(cell))
                if column is not None:
                    found[row, column] = 1
            start += len(categories)
        return found

    @property
    def width(self) -> int:
        """How many numbers a row becomes."""
        return len(self.numeric) + len(self.dates) + sum(len(categories) for _, categories in self.categorical)

    @property
    def names(self) -> list[str]:
        return [name for name, _, _ in (*self.numeric, *self.dates)] + [name for name, _ in self.categorical]

    def unknown(self, rows: np.ndarray) -> dict[str, int]:
        """How many cells of a column hold no number where one is expected, or a category nobody had seen."""
        found = {name: int(np.isnan(_read(rows[name], number)).sum()) for name, _, _ in self.numeric}
        found |= {name: int(np.isnan(_read(rows[name], date)).sum()) for name, _, _ in self.dates}
        for name, categories in self.categorical:
            known = set(categories)
            found[name] = sum(text(cell) not in known for cell in cells_of(rows[name]))
        return {name: count for name, count in found.items() if count}

    def unread(self, rows: np.ndarray) -> dict[str, tuple[int, int]]:
        """For each column how many cells are blank, and in how many something is written that is not read."""
        unknown, found = self.unknown(rows), {}
        for name in self.names:
            category = next((categories for one, categories in self.categorical if one == name), None)
            empty = sum(map(missing if category is None else blank, cells_of(rows[name])))
            found[name] = (empty, unknown.get(name, 0) - (0 if category is not None and "" in category else empty))
        return found


def encoded(split: Split, declared: Mapping[str, str] | None = None) -> Split:
    """The same split with every table encoded by what its public rows teach."""
    columns = Columns.fit(split.public.x, declared, split.public_rows)
    return replace(
        split,
        private=replace(split.private, x=columns.transform(split.private.x), columns=columns.plain),
        public=replace(split.public, x=columns.transform(split.public.x), columns=columns.plain),
        test=replace(split.test, x=columns.transform(split.test.x)),
    )
