"""Tables of mixed columns as numbers. Encoders are fitted on public rows only: no private record may shape them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

import numpy as np

from pate.artifact import fits
from pate.data.split import Split
from pate.errors import ConfigError

_FARTHEST = 1e6  # standard deviations; one absurd cell must not become an infinity in float32


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


def number(cell: str) -> float | None:
    """The finite number in a cell, nan for a cell that holds none, None for text."""
    if not cell:
        return np.nan
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else np.nan


def numbers(column: np.ndarray) -> tuple[np.ndarray, bool]:
    """The column as floats with nan for what is not a finite number, and whether it holds numbers and no text."""
    if column.dtype.kind in "biuf":
        values = column.astype(np.float64)
        values[~np.isfinite(values)] = np.nan
        return values, bool(np.isfinite(values).any())
    cells = [number(cell) for cell in column]
    values = np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)
    return values, None not in cells and bool(np.isfinite(values).any())


@dataclass(frozen=True)
class Columns:
    """Numbers standardised, everything else one-hot; an unknown category is all zeros, a missing number the mean.

    Plain values, so that a published model can carry them and read tables as they come.
    """

    numeric: list[tuple[str, float, float]]  # name, mean, standard deviation; lists, since their order is the columns'
    categorical: list[tuple[str, list[str]]]  # name, categories

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> Self:
        """The columns that a published model carries; a ValueError if they are none."""
        numeric, categorical = plain.get("numeric"), plain.get("categorical")
        if len(plain) != 2 or not fits(numeric, list[list[Any]]) or not fits(categorical, list[list[Any]]):
            raise ValueError("columns are numeric or categorical")
        made = cls([tuple(one) for one in numeric or []], [tuple(one) for one in categorical or []])
        numbers_like, named = (str, float, float), (str, list[str])
        whole = [*((one, numbers_like) for one in made.numeric), *((one, named) for one in made.categorical)]
        if not all(len(one) == len(hints) and all(map(fits, one, hints)) for one, hints in whole):
            raise ValueError("a column has a name and numbers, or a name and categories")
        scales = [(mean, deviation) for _, mean, deviation in made.numeric]
        if not all(math.isfinite(mean) and math.isfinite(deviation) and deviation > 0 for mean, deviation in scales):
            raise ValueError("a column's mean and deviation are finite numbers")
        if not made.names or len(set(made.names)) < len(made.names):
            raise ValueError("two columns have the same name, or there is none")
        return made

    @classmethod
    def fit(cls, public: np.ndarray) -> Self:
        """Learn kinds, means and categories from public rows."""
        if not len(public):
            raise ConfigError(
                "encoders are fitted on public data only, and this table has no public rows: "
                "give some (dataset.public=, or a public file), or hand over numbers as npz or npy"
            )
        numeric: list[tuple[str, float, float]] = []
        categorical: list[tuple[str, list[str]]] = []
        for name in columns_of(public):
            values, is_number = numbers(public[name])
            if is_number:
                mean = float(np.nanmean(values))
                deviation = float(np.std(np.where(np.isnan(values), mean, values)))
                numeric.append((name, mean, deviation if deviation > 1e-9 * abs(mean) else 1.0))
            else:
                categorical.append((name, sorted(set(_texts(public[name])))))
        return cls(numeric, categorical)

    def transform(self, rows: np.ndarray) -> np.ndarray:
        """Rows as float32, numbers first; each row depends on itself and the public fit alone."""
        found = np.zeros((len(rows), self.width), np.float32)
        for place, (name, mean, deviation) in enumerate(self.numeric):
            values = numbers(rows[name])[0]
            standard = (np.where(np.isnan(values), mean, values) - mean) / deviation
            found[:, place] = np.clip(standard, -_FARTHEST, _FARTHEST)
        start = len(self.numeric)
        for name, categories in self.categorical:
            known = {category: start + i for i, category in enumerate(categories)}
            for row, text in enumerate(_texts(rows[name])):
                if text in known:
                    found[row, known[text]] = 1
            start += len(categories)
        return found

    @property
    def width(self) -> int:
        """How many numbers a row becomes."""
        return len(self.numeric) + sum(len(categories) for _, categories in self.categorical)

    @property
    def names(self) -> list[str]:
        return [name for name, _, _ in self.numeric] + [name for name, _ in self.categorical]

    def unknown(self, rows: np.ndarray) -> dict[str, int]:
        """How many cells of a column hold no number where one is expected, or a category nobody had seen."""
        found = {name: int(np.isnan(numbers(rows[name])[0]).sum()) for name, _, _ in self.numeric}
        for name, categories in self.categorical:
            known = set(categories)
            found[name] = sum(text not in known for text in _texts(rows[name]))
        return {name: count for name, count in found.items() if count}


def _texts(column: np.ndarray) -> list[str]:
    """As text on every side, so that a column stored as numbers in one file and text in another still meets itself.

    Cells that are text stay apart: in one array, each would take the room of the longest.
    """
    return [str(cell) for cell in (column if column.dtype.kind == "O" else column.astype(str))]


def _identifiers(columns: Columns, rows: int) -> Iterator[str]:
    """Columns that tell nearly every public row apart: a model carries their values, and learns nothing from them."""
    for name, categories in columns.categorical:
        if len(categories) > max(20, rows / 2):
            yield (
                f"column {name} has {len(categories)} categories in {rows} public rows, like an identifier: the model "
                "carries them; drop it, or name it in partition.group_by"
            )


def encoded(split: Split) -> Split:
    """The same split with every table encoded by what its public rows teach."""
    columns = Columns.fit(split.public.x)
    return replace(
        split,
        notes=(*split.notes, *_identifiers(columns, len(split.public.x))),
        private=replace(split.private, x=columns.transform(split.private.x), columns=asdict(columns)),
        public=replace(split.public, x=columns.transform(split.public.x), columns=asdict(columns)),
        test=replace(split.test, x=columns.transform(split.test.x)),
    )
