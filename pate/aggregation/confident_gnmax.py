"""Confident-GNMax: answer only where the teachers agree, and pay for asking (Papernot et al. 2018, Algorithm 1)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from pate.accounting import argmax_independent, conversion, gaussian, gnmax2018
from pate.accounting.confident import behind_threshold, log_passes
from pate.accounting.guarantee import Guarantee
from pate.accounting.law import Exactly
from pate.accounting.mechanism import NO_ANSWER
from pate.aggregation.aggregator import Aggregator
from pate.aggregation.gnmax import GNMax
from pate.noise import Noise


@dataclass(frozen=True)
class ConfidentGNMax(Aggregator):
    """GNMax(sigma) where max_j n_j + Gaussian noise of scale threshold_sigma reaches the threshold; label -1 elsewhere.

    The two noises are independent and of one kind, `discrete` or `continuous` (see GNMax). Whether a query is answered
    is an answer too: every query is charged (a, a / (2 threshold_sigma^2))-RDP for the test and
    (a, a / sigma^2)-RDP for the label.
    """

    kind: ClassVar[str] = "confident_gnmax"
    noise_parameter: ClassVar[str] = "sigma"

    threshold: float = 200.0
    threshold_sigma: float = 150.0
    sigma: float = 40.0
    noise: str = "discrete"

    def __post_init__(self) -> None:
        if not math.isfinite(self.threshold):
            raise ValueError(f"threshold must be a finite number of votes, got {self.threshold}")
        if not (math.isfinite(self.threshold_sigma) and self.threshold_sigma > 0):
            raise ValueError(f"threshold_sigma must be a positive number, got {self.threshold_sigma}")
        if not 1e-3 <= self.threshold_sigma <= 1e5:
            raise ValueError(f"threshold_sigma must lie between 0.001 and 100000, got {self.threshold_sigma:g}")
        GNMax(self.sigma, self.noise)  # refuses a sigma or a noise that is none

    def answer(self, counts: np.ndarray, noise: Noise) -> np.ndarray:
        draw = noise.discrete_gaussian if self.noise == "discrete" else noise.gaussian
        passed = counts.max(axis=1) + draw(len(counts), self.threshold_sigma) >= self.threshold
        # A label is drawn for every query, so that neither time nor the noise stream tells which ones passed.
        return np.where(passed, self._argmax.answer(counts, noise), NO_ANSWER)

    def scaled(self, gamma: float) -> Self:
        return replace(self, sigma=1 / gamma)

    def describe(self) -> str:
        return (
            f"Confident-GNMax, threshold {self.threshold:g} with {self._argmax.noise_name} noise of standard deviation "
            f"{self.threshold_sigma:g}, then {self._argmax.describe()}"
        )

    @property
    def exact_noise(self) -> bool:
        return self.noise == "discrete"

    def independent(self, k: int, teachers: int | None, delta: float) -> Iterator[Guarantee]:
        moved = {self.sigma: 2 * k}  # counts that move by one: two of the argmax, and the largest by at most that
        moved[self.threshold_sigma] = moved.get(self.threshold_sigma, 0) + k
        yield from gaussian.prices(moved, self.noise, delta)
        certified = self._argmax.certified
        if teachers is not None and certified is not None:
            order = argmax_independent.epsilon(certified, k, delta, teachers)[1]
            one = argmax_independent.certified_rdp(certified, order, teachers) + order / (2 * self.threshold_sigma**2)
            yield argmax_independent.price(conversion.epsilon([k * one], [order], delta), delta)

    def rdp(self, k: int, teachers: int, orders: np.ndarray) -> np.ndarray:
        return self._argmax.rdp(k, teachers, orders) + k * orders / (2 * self.threshold_sigma**2)

    def law(self, teachers: int, classes: int) -> Exactly:
        test = self.threshold, self.threshold_sigma, self.noise
        return Exactly(
            self._argmax.law(teachers, classes).grid,
            behind_threshold(*test),
            lambda counts: np.exp(log_passes(counts.max(axis=1), *test)[0]),
        )

    def published(self, counts: np.ndarray, delta: float) -> list[Guarantee]:
        test = self.threshold, self.threshold_sigma

        def total(orders: np.ndarray) -> np.ndarray:
            return gnmax2018.confident(counts, *test, self.sigma, orders, noise=self.noise).sum(axis=0)

        return gnmax2018.prices(total, delta)

    @property
    def _argmax(self) -> GNMax:
        return GNMax(self.sigma, self.noise)
