"""What every aggregator offers: answers to queries, by noisy vote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from pate.choice import Choice
from pate.noise import Noise


@dataclass(frozen=True)
class Aggregator(Choice):
    """Turns vote counts into labels. Its fields are its privacy parameters."""

    def answer(self, counts: np.ndarray, noise: Noise) -> np.ndarray:
        """One label per row of counts (queries x classes)."""
        raise TypeError(f"{type(self).__name__} does not answer queries")

    def scaled(self, gamma: float) -> Self:
        """The same with noise of scale 1/gamma."""
        raise TypeError(f"{type(self).__name__} does not say how its noise is scaled")

    def describe(self) -> str:
        """The mechanism in words; holds nothing but its parameters."""
        return type(self).__name__
