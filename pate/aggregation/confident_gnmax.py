"""Confident-GNMax: answer only where the teachers agree, and pay for asking (Papernot et al. 2018, Algorithm 1)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from pate.aggregation.aggregator import Aggregator
from pate.aggregation.gnmax import GNMax
from pate.noise import Noise

NO_ANSWER = -1


@dataclass(frozen=True)
class ConfidentGNMax(Aggregator):
    """GNMax(sigma) where max_j n_j + Gaussian noise of scale threshold_sigma reaches the threshold; label -1 elsewhere.

    The two noises are independent and of one kind, `discrete` or `continuous` (see GNMax). Whether a query is answered
    is an answer too: every query is charged (a, a / (2 threshold_sigma^2))-RDP for the test and
    (a, a / sigma^2)-RDP for the label.
    """

    kind: ClassVar[str] = "confident_gnmax"

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
    def _argmax(self) -> GNMax:
        return GNMax(self.sigma, self.noise)
