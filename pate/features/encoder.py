"""Encoders turn inputs into feature vectors. They are fitted on public inputs, or on nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from pate.choice import Choice
from pate.workspace.artifact import Artifact, fits

_SCALES, _ANGLES = 8, 64  # of a scattering that is read from a file
_ROWS = 1024  # encoded together: bounds memory, and fixed, so that no record's features depend on how many there are


@dataclass(frozen=True)
class Encoded(Artifact):
    """Feature vectors (records x features), float32, in the order of the records."""

    x: np.ndarray

    def check(self) -> None:
        if self.x.ndim != 2 or self.x.dtype != np.float32 or not np.isfinite(self.x).all():
            raise ValueError("features must be a table of finite float32")


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

    def check(self) -> None:
        arrays = list(self.split()[0].values())
        if any(array.dtype.kind != "f" or not array.size or not np.isfinite(array).all() for array in arrays):
            raise ValueError("an encoder's arrays must hold finite numbers")
        if self.mean is None or self.components is None:
            if self.mean is not self.components:
                raise ValueError("components need a mean, and a mean components")
        elif self.components.ndim != 2 or self.mean.shape != self.components.shape[:1]:
            raise ValueError(f"mean {self.mean.shape} and components {self.components.shape} do not fit each other")
        if (self.low is None) != (self.high is None) or not _finite_range(self.low, self.high):
            raise ValueError("low and high must be finite, the lower one first")
        if self.scattering is not None:
            _check_scattering(self.scattering)
        if self.patches is not None:
            if self.scattering is None:
                raise ValueError("patches come with scattering")
            _check_patches(self.patches)

    def width(self, shape: Sequence[int]) -> int:
        """How many features an input of this shape has, computed without one; a ValueError if it cannot be encoded."""
        found = math.prod(shape)
        if self.scattering is not None:
            from pate.features.patches import GRID
            from pate.features.wavelets import scattering_shape

            channels, *places = scattering_shape(tuple(shape), self.scattering["scales"], self.scattering["angles"])
            if channels % (self.scattering["groups"] or 1):
                raise ValueError("the channels do not divide into these groups")
            found = channels * math.prod(places)
            if self.patches is not None:
                _, colours, size, _ = self.patches["prototypes"].shape
                if colours != math.prod(shape[2:]) or size > min(shape[:2]):
                    raise ValueError("prototypes of patches that such an image does not have")
                found += GRID**2 * len(self.patches["prototypes"])
        if self.mean is None or self.components is None:
            return found
        if found != len(self.mean):
            raise ValueError(f"{found} numbers describe an input, and the components are of {len(self.mean)}")
        return int(self.components.shape[1])

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


def _finite_range(low: float | None, high: float | None) -> bool:
    return low is None or high is None or (math.isfinite(low) and math.isfinite(high) and low <= high)


def _check_scattering(arguments: dict[str, Any]) -> None:
    """Small whole numbers: what they ask for is computed before it is compared with anything."""
    wanted = {"scales": int, "angles": int, "groups": int | None, "flip": bool}
    if arguments.keys() != wanted.keys() or not all(fits(arguments[name], kind) for name, kind in wanted.items()):
        raise ValueError("scattering has scales, angles, groups and flip")
    scales, angles, groups = arguments["scales"], arguments["angles"], arguments["groups"]
    if not (1 <= scales <= _SCALES and 1 <= angles <= _ANGLES and (groups is None or groups >= 1)):
        raise ValueError(f"scattering goes to {_SCALES} scales and {_ANGLES} angles, in a group or more")


def _check_patches(patches: dict[str, np.ndarray]) -> None:
    if patches.keys() != {"mean", "whitening", "prototypes"} or patches["prototypes"].ndim != 4:
        raise ValueError("patches have a mean, a whitening and prototypes")
    size = math.prod(patches["prototypes"].shape[1:])
    square = patches["prototypes"].shape[2] == patches["prototypes"].shape[3]
    if not square or patches["mean"].shape != (size,) or patches["whitening"].shape != (size, size):
        raise ValueError("mean, whitening and prototypes of patches do not fit each other")
    if any(array.dtype != np.float32 for array in patches.values()):
        raise ValueError("patches are of float32")


@dataclass(frozen=True)
class Features(Choice):
    """How an encoder is made; its fields are its configuration."""

    def fit(self, public: np.ndarray) -> Encoder:
        raise TypeError(f"{type(self).__name__} does not fit an encoder")
