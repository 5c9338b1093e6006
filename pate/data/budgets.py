"""Budgets of one's own: how much epsilon a record allows, by what stands in a column of it.

A cell is read by itself, and what it means is declared beforehand: which levels there are says nothing of anybody. A
cell that nobody declared allows nothing. (Individualized PATE: Boenisch et al. 2023.)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pate.data.cells import text


@dataclass(frozen=True)
class Budgets:
    """What each of these cells of a column allows."""

    column: str
    epsilons: Mapping[str, float]

    @classmethod
    def of(cls, column: str | None, epsilons: Mapping[Any, Any] | None) -> Budgets | None:
        """As configured, or None if nothing is; a ValueError for half of it or nonsense, beginning with the field."""
        if column is None and epsilons is None:
            return None
        if column is None:
            raise ValueError("budget_by names the column that budgets are for, and is missing")
        if not (isinstance(epsilons, Mapping) and epsilons):
            raise ValueError(f"budgets say which epsilon a cell of '{column}' allows, e.g. {{low: 0.1, high: 1}}")
        for cell, epsilon in epsilons.items():
            number = isinstance(epsilon, int | float) and not isinstance(epsilon, bool)
            if not (number and math.isfinite(epsilon) and epsilon > 0):
                raise ValueError(f"budgets must be positive epsilons, got {cell}: {epsilon}")
        found: dict[str, tuple[Any, float]] = {}
        for cell, epsilon in epsilons.items():
            before, _ = found.setdefault(_named(cell), (cell, float(epsilon)))
            if before is not cell:
                raise ValueError(f"budgets: {before!r} and {cell!r} are one cell, and allow one epsilon")
        return cls(column, {name: epsilon for name, (_, epsilon) in found.items()})

    def plain(self) -> dict[str, float]:
        """As draws know them, however they were spelt: 1 and 1.0 are one epsilon. Whole ones are whole numbers, as the
        first draws with budgets had them."""
        return {name: int(epsilon) if epsilon.is_integer() else epsilon for name, epsilon in self.epsilons.items()}

    def allowed(self, cells: Iterable[Any]) -> np.ndarray:
        """The epsilon each allows."""
        return np.array([self.epsilons.get(_named(cell), 0.0) for cell in cells], dtype=np.float64)


def _named(cell: Any) -> str:
    """A cell as it is declared: 3 and 3.0 are one, and so are true and 1, which an array of numbers makes of it."""
    name = text(str(cell).strip())
    return {"true": "1", "false": "0"}.get(name.casefold(), name)
