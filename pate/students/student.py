"""Students learn from public inputs and noisy labels, and from nothing else; only they are published."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pate.model import Model


@dataclass(frozen=True)
class Student:
    """How a student learns; its fields are its configuration."""

    def fit(self, features: np.ndarray, index: np.ndarray, label: np.ndarray, classes: int, seed: int) -> Model:
        """Learn from all public features, of which the rows `index` carry a (noisy) `label`."""
        raise TypeError(f"{type(self).__name__} does not learn")
