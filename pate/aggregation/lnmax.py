"""LNMax: the class with the most votes after Laplace noise (Papernot et al. 2017, section 2.1)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from pate.aggregation.aggregator import Aggregator
from pate.noise import Noise


@dataclass(frozen=True)
class LNMax(Aggregator):
    """argmax_j (n_j + noise_j), noise of scale 1/gamma; every answer is 2*gamma-DP.

    `discrete` noise (two-sided geometric) fits whole votes, costs the same and has no floating-point leak;
    `continuous` Laplace noise is for reproducing papers. Ties are broken uniformly at random.
    """

    kind: ClassVar[str] = "lnmax"

    gamma: float = 0.2
    noise: str = "discrete"

    def __post_init__(self) -> None:
        if not (math.isfinite(self.gamma) and self.gamma > 0):
            raise ValueError(f"gamma must be a positive number, got {self.gamma}")
        if not 1e-5 <= self.gamma <= 100:
            raise ValueError(f"gamma must lie between 1e-5 and 100, got {self.gamma:g}")
        if self.noise not in ("discrete", "continuous"):
            raise ValueError(f"noise must be discrete or continuous, got {self.noise!r}")

    def answer(self, counts: np.ndarray, noise: Noise) -> np.ndarray:
        draw = noise.discrete_laplace if self.noise == "discrete" else noise.laplace
        noisy = counts + draw(counts.shape, 1 / self.gamma)
        return noise.choice_among(noisy == noisy.max(axis=1, keepdims=True))

    def scaled(self, gamma: float) -> Self:
        return replace(self, gamma=gamma)

    def describe(self) -> str:
        kind = "discrete Laplace" if self.noise == "discrete" else "Laplace (floating-point)"
        return f"LNMax, {kind} noise of scale {1 / self.gamma:g} (gamma {self.gamma:g})"
