"""Tables of mixed columns as numbers. Encoders are fitted on public rows only: no private record may shape them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

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
class Encoder:
    """Numbers standardised, everything else one-hot; an unknown category is all zeros, a missing number the mean."""

    numeric: tuple[str, ...]
    categorical: tuple[str, ...]
    scaler: Pipeline
    onehot: OneHotEncoder

    @classmethod
    def fit(cls, public: np.ndarray) -> Self:
        """Learn kinds, means and categories from public rows."""
        if not len(public):
            raise ConfigError(
                "encoders are fitted on public data only, and this table has no public rows: "
                "give some (dataset.public=, or a public file), or hand over numbers as npz or npy"
            )
        numeric = tuple(name for name in columns_of(public) if numbers(public[name])[1])
        categorical = tuple(name for name in columns_of(public) if name not in numeric)
        scaler = make_pipeline(SimpleImputer(), StandardScaler())
        onehot = OneHotEncoder(handle_unknown="ignore", sparse_output=False, dtype=np.float32)
        encoder = cls(numeric, categorical, scaler, onehot)
        if numeric:
            scaler.fit(encoder._numbers(public))
        if categorical:
            onehot.fit(encoder._categories(public))
        return encoder

    def transform(self, rows: np.ndarray) -> np.ndarray:
        """Rows as float32, numbers first; each row depends on itself and the public fit alone."""
        parts = [np.empty((len(rows), 0), np.float32)]
        if self.numeric and len(rows):
            parts.append(np.clip(self.scaler.transform(self._numbers(rows)), -_FARTHEST, _FARTHEST).astype(np.float32))
        if self.categorical and len(rows):
            parts.append(self.onehot.transform(self._categories(rows)))
        return np.hstack(parts) if len(rows) else np.empty((0, self.width), np.float32)

    @property
    def width(self) -> int:
        """How many numbers a row becomes."""
        return len(self.numeric) + (sum(map(len, self.onehot.categories_)) if self.categorical else 0)

    def _numbers(self, rows: np.ndarray) -> np.ndarray:
        return np.column_stack([numbers(rows[name])[0] for name in self.numeric])

    def _categories(self, rows: np.ndarray) -> np.ndarray:
        # As text on every side, so that a column stored as numbers in one file and text in another still meets itself.
        return np.column_stack([rows[name].astype(str).astype(object) for name in self.categorical])


def encoded(split: Split) -> Split:
    """The same split with every table encoded by what its public rows teach."""
    encoder = Encoder.fit(split.public.x)
    return replace(
        split,
        private=replace(split.private, x=encoder.transform(split.private.x)),
        public=replace(split.public, x=encoder.transform(split.public.x)),
        test=replace(split.test, x=encoder.transform(split.test.x)),
    )
