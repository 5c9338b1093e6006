"""GNMax: the class with the most votes after Gaussian noise (Papernot et al. 2018, section 4.1)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from pate.accounting import argmax_independent, gaussian, gnmax2018, grids, three_outcomes_discrete
from pate.accounting.guarantee import Guarantee
from pate.accounting.law import Exactly
from pate.accounting.three_outcomes import NoiseLaw as Certified
from pate.aggregation.aggregator import Aggregator
from pate.noise import Noise


@dataclass(frozen=True)
class GNMax(Aggregator):
    """argmax_j (n_j + noise_j), Gaussian noise of scale sigma; every answer is (a, a / sigma^2)-RDP.

    `discrete` noise (Canonne, Kamath & Steinke 2020) fits whole votes, costs the same and has no floating-point leak;
    `continuous` noise is for reproducing papers. Ties are broken uniformly at random.
    """

    kind: ClassVar[str] = "gnmax"
    noise_parameter: ClassVar[str] = "sigma"
    usual_share: ClassVar[float] = 0.16  # 40 of 250 votes, as in the paper

    sigma: float = 40.0
    noise: str = "discrete"

    def __post_init__(self) -> None:
        if not (math.isfinite(self.sigma) and self.sigma > 0):
            raise ValueError(f"sigma must be a positive number, got {self.sigma}")
        if not 1e-3 <= self.sigma <= 1e5:
            raise ValueError(f"sigma must lie between 0.001 and 100000, got {self.sigma:g}")
        if self.noise not in ("discrete", "continuous"):
            raise ValueError(f"noise must be discrete or continuous, got {self.noise!r}")

    def answer(self, counts: np.ndarray, noise: Noise) -> np.ndarray:
        draw = noise.discrete_gaussian if self.noise == "discrete" else noise.gaussian
        noisy = counts + draw(counts.shape, self.sigma)
        return noise.choice_among(noisy == noisy.max(axis=1, keepdims=True))

    def scaled(self, gamma: float) -> Self:
        return replace(self, sigma=1 / gamma)

    def describe(self) -> str:
        return f"GNMax, {self.noise_name} noise of standard deviation {self.sigma:g}"

    @property
    def noise_name(self) -> str:
        """The noise in words. Its sigma is a standard deviation, for discrete noise to 1e-6 from sigma 1 on."""
        return "discrete Gaussian" if self.noise == "discrete" else "Gaussian (floating-point)"

    @property
    def exact_noise(self) -> bool:
        return self.noise == "discrete"

    def independent(self, k: int, teachers: int | None, delta: float) -> Iterator[Guarantee]:
        yield from gaussian.prices({self.sigma: 2 * k}, self.noise, delta)  # two counts of the argmax move by one
        if teachers is not None and self.certified is not None:
            yield argmax_independent.price(argmax_independent.epsilon(self.certified, k, delta, teachers)[0], delta)

    def rdp(self, k: int, teachers: int, orders: np.ndarray) -> np.ndarray:
        if self.certified is None:  # two counts move by one (Canonne et al. 2020, Prop 5)
            return k * orders / self.sigma**2
        one = [argmax_independent.certified_rdp(self.certified, float(order), teachers) for order in orders]
        return k * np.array(one)

    def law(self, teachers: int, classes: int) -> Exactly:
        return Exactly(grids.gaussian(self.sigma, self.noise, teachers, classes))

    def published(self, counts: np.ndarray, delta: float) -> list[Guarantee]:
        q = gnmax2018.log_q(counts, self.sigma, self.noise)
        return gnmax2018.prices(lambda orders: gnmax2018.published(q, self.sigma, orders).sum(axis=0), delta)

    @property
    def smooth_sigma(self) -> float | None:
        return self.sigma if self.noise == "continuous" else None

    @property
    def certified(self) -> Certified | None:
        """The noise as the certified bound takes it; None for discrete noise too wide for it."""
        return three_outcomes_discrete.gaussian(self.sigma, self.noise)
