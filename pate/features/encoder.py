"""Encoders turn inputs into feature vectors. They are fitted on public inputs, or on nothing."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from pate.artifact import Artifact

_ROWS = 1024  # encoded together: bounds memory, and fixed, so that no record's features depend on how many there are


@dataclass(frozen=True)
class Encoded(Artifact):
    """Feature vectors (records x features), float32, in the order of the records."""

    x: np.ndarray


@dataclass(frozen=True)
class Encoder(Artifact):
    """x -> (v - mean) @ components, with v the pixels or, given its arguments, the scattering descriptor of x; given
    prototypes too, their activations by the patches of x follow in v.

    Without components it is v itself. Each record is encoded alone: no other one reaches its features.
    """

    mean: np.ndarray | None = None
    components: np.ndarray | None = None
    scattering: dict[str, Any] | None = None
    patches: dict[str, np.ndarray] | None = None
    low: float | None = None  # the public inputs' range: what lies far outside was scaled differently
    high: float | None = None

    def same(self, other: Encoder) -> bool:
        """Whether it makes the same features."""
        mine, theirs = self.split(), other.split()
        arrays = mine[0].keys() == theirs[0].keys() and all(
            np.array_equal(array, theirs[0][name]) for name, array in mine[0].items()
        )
        return arrays and mine[1] == theirs[1]

    def transform(self, x: np.ndarray, advance: Callable[[int], None] = lambda _: None) -> np.ndarray:
        """Features, float32 (records x features)."""
        blocks = [self._block(x[:0])]
        with threadpool_limits(1, user_api="blas"):  # the same features on any number of cores
            for start in range(0, len(x), _ROWS):
                blocks.append(self._block(x[start : start + _ROWS]))
                advance(len(blocks[-1]))
        return np.concatenate(blocks)

    def _block(self, x: np.ndarray) -> np.ndarray:
        raw = self.raw(x)
        if self.mean is None or self.components is None:
            return raw
        # In double precision: rounding would else depend on where in the block a record stands, and so on the others.
        return ((raw.astype(np.float64) - self.mean) @ self.components.astype(np.float64)).astype(np.float32)

    def raw(self, x: np.ndarray) -> np.ndarray:
        """What the components are components of."""
        if self.scattering is None:
            flat = x.reshape(len(x), math.prod(x.shape[1:])).astype(np.float32)
            return flat / np.float32(255) if x.dtype == np.uint8 else flat  # pixels in [0, 1]
        from pate.features.scattering import descriptors  # here, because torch takes seconds to import

        found = descriptors(x, **self.scattering)
        found = found.reshape(len(x), math.prod(found.shape[1:]))
        if self.patches is None:
            return found
        from pate.features.patches import activations

        return np.concatenate([found, activations(x, **self.patches, flip=self.scattering["flip"])], axis=1)


@dataclass(frozen=True)
class Features:
    """How an encoder is made; its fields are its configuration."""

    def fit(self, public: np.ndarray) -> Encoder:
        raise TypeError(f"{type(self).__name__} does not fit an encoder")
