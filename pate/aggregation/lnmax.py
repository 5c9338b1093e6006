"""LNMax: the class with the most votes after Laplace noise (Papernot et al. 2017, section 2.1)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from pate.accounting import argmax_independent, composition, grids, moments, three_outcomes
from pate.accounting.guarantee import Guarantee, for_every
from pate.accounting.law import Exactly
from pate.aggregation.aggregator import Aggregator
from pate.noise import Noise


@dataclass(frozen=True)
class LNMax(Aggregator):
    """argmax_j (n_j + noise_j), noise of scale 1/gamma; every answer is 2*gamma-DP.

    `discrete` noise (two-sided geometric) fits whole votes, costs the same and has no floating-point leak;
    `continuous` Laplace noise is for reproducing papers. Ties are broken uniformly at random.
    """

    kind: ClassVar[str] = "lnmax"
    noise_parameter: ClassVar[str] = "gamma"
    usual_share: ClassVar[float] = 0.1

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

    @property
    def exact_noise(self) -> bool:
        return self.noise == "discrete"

    def independent(self, k: int, teachers: int | None, delta: float) -> Iterator[Guarantee]:
        step = 2 * self.gamma
        yield for_every("basic", composition.basic(step, k), delta, "Dwork & Roth 2014, Thm 3.16")
        yield for_every("advanced", composition.advanced(step, k, delta), delta, "Dwork & Roth 2014, Thm 3.20")
        by_moments = moments.epsilon_from_moments(k * moments.independent(self.gamma), moments.ORDERS, delta)
        theorem = "Papernot et al. 2017, Thm 2; Abadi et al. 2016, Thm 2.2"
        yield for_every("moments_independent", by_moments, delta, theorem)
        optimal = composition.optimal(step, k, delta)
        yield for_every("optimal_independent", optimal, delta, "Kairouz, Oh & Viswanath 2015, Thm 3.3")
        if teachers is not None:
            yield argmax_independent.price(argmax_independent.epsilon(self._certified, k, delta, teachers)[0], delta)

    def rdp(self, k: int, teachers: int, orders: np.ndarray) -> np.ndarray:
        one = [argmax_independent.certified_rdp(self._certified, float(order), teachers) for order in orders]
        return k * np.array(one)

    def pure(self, k: int) -> float:
        return composition.basic(2 * self.gamma, k)

    def law(self, teachers: int, classes: int) -> Exactly:
        return Exactly(grids.laplace(self.gamma, self.noise, teachers, classes))

    def published(self, counts: np.ndarray, delta: float) -> list[Guarantee]:
        return moments.prices(counts, self.gamma, self.noise, delta)

    @property
    def _certified(self) -> three_outcomes.NoiseLaw:
        laplace = three_outcomes.Laplace if self.noise == "continuous" else three_outcomes.DiscreteLaplace
        return laplace(self.gamma)
