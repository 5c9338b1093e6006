"""GNMax: the class with the most votes after Gaussian noise (Papernot et al. 2018, section 4.1)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from pate.aggregation.aggregator import Aggregator
from pate.noise import Noise


@dataclass(frozen=True)
class GNMax(Aggregator):
    """argmax_j (n_j + N(0, sigma^2)); every answer is (a, a / sigma^2)-RDP.

    The noise is continuous, in floating point. Ties, which only rounding can make, are broken uniformly at random.
    """

    sigma: float = 40.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.sigma) and self.sigma > 0):
            raise ValueError(f"sigma must be a positive number, got {self.sigma}")
        if not 1e-3 <= self.sigma <= 1e5:
            raise ValueError(f"sigma must lie between 0.001 and 100000, got {self.sigma:g}")

    def answer(self, counts: np.ndarray, noise: Noise) -> np.ndarray:
        noisy = counts + noise.gaussian(counts.shape, self.sigma)
        return noise.choice_among(noisy == noisy.max(axis=1, keepdims=True))

    def scaled(self, gamma: float) -> Self:
        return replace(self, sigma=1 / gamma)

    def describe(self) -> str:
        return f"GNMax, Gaussian (floating-point) noise of standard deviation {self.sigma:g}"
