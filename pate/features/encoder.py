"""Encoders turn inputs into feature vectors. They are fitted on public inputs, or on nothing."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pate.artifact import Artifact


@dataclass(frozen=True)
class Encoder(Artifact):
    """x -> (flat(x) - mean) @ components; without components the flattened input itself.

    Whole-number pixels are brought to [0, 1] first.
    """

    mean: np.ndarray | None = None
    components: np.ndarray | None = None

    def transform(self, x: np.ndarray) -> np.ndarray:
        """Features, float32 (records x features)."""
        flat = x.reshape(len(x), math.prod(x.shape[1:])).astype(np.float32)
        if x.dtype == np.uint8:
            flat /= 255
        if self.components is None or self.mean is None:
            return flat
        return (flat - self.mean) @ self.components


@dataclass(frozen=True)
class Features:
    """How an encoder is made; its fields are its configuration."""

    def fit(self, public: np.ndarray) -> Encoder:
        raise TypeError(f"{type(self).__name__} does not fit an encoder")
