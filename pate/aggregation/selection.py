"""Which public inputs the student asks about. Choosing sees public inputs only, so it costs no privacy."""

from __future__ import annotations

import numpy as np

SELECTIONS = ("random", "first")


def select(selection: str, queries: int, pool: int, seed: int) -> np.ndarray:
    """Sorted positions of `queries` distinct inputs of a pool."""
    if selection == "first":
        return np.arange(queries)
    return np.sort(np.random.default_rng([seed, 1]).choice(pool, size=queries, replace=False))
