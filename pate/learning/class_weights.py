"""Weights of records by how common their class is, from shares that were declared: teachers' and DP-SGD's.

Only declared ones: shares counted in private labels would be private, and would let one record change what every other
weighs. So a record's weight depends on its own label and on what everybody knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

WEIGHED = "records were weighed by the declared priors of their classes while teachers or DP-SGD learned"
MOST = 20.0  # how much more the rarest class may weigh than the most common one: few records are not to decide alone


@dataclass(frozen=True)
class ClassWeights:
    """The declared shares in the order of the classes; none, and all records weigh the same."""

    shares: Sequence[float] = ()

    def __bool__(self) -> bool:
        return len(self.shares) > 0

    def weights(self) -> np.ndarray:
        """Inverse to the shares, the largest being 1: no record counts for more than without them."""
        shares = np.asarray(self.shares, dtype=np.float64)
        return np.asarray(shares.min().clip(shares.max() / MOST) / np.maximum(shares, shares.max() / MOST))

    def repeated(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Records of rarer classes several times over, so that any learner weighs them like that; how often adds up to
        the weight over the records of a class, whatever its fraction."""
        if not self:
            return x, y
        often, weights = np.ones(len(y), dtype=np.int64), self.weights()
        for one, ratio in enumerate(weights / weights.min()):
            own = np.flatnonzero(y == one)
            often[own] = np.diff(np.floor(np.arange(len(own) + 1) * ratio + 1e-9).astype(np.int64))
        return np.repeat(x, often, axis=0), np.repeat(y, often)
