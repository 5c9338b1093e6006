"""Scattering features: what two layers of fixed wavelets see in an image (Bruna & Mallat 2013). No record shapes them.

On a small partition they are worth more than what a teacher could learn in their place (Tramer & Boneh 2021).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pate.errors import ConfigError
from pate.features.encoder import Encoder, Features
from pate.features.linear import LinearEncoder, projected
from pate.features.patches import GRID, activations, learn
from pate.features.pca import principal_components
from pate.features.wavelets import in_order, scattering_of_views, scattering_shape
from pate.workspace.artifact import fits

if TYPE_CHECKING:
    from pate.models.onnx import OnnxGraph

FLOOR = 0.01  # added before the logarithm
LEAST = 1e-5  # added to a group's variance
_IMAGES = 128  # encoded by one thread at a time
_SCALES, _ANGLES = 8, 64  # of a scattering that is read from a file


@dataclass(frozen=True)
class Scattering(Features):
    """log(S + 0.01), each channel brought to unit spread, then principal components: both fitted on public inputs.

    `groups` needs no data instead: S itself, normalised in groups of channels within each image (Tramer & Boneh 2021);
    then `components: null` keeps every coefficient. `flip` averages an image's descriptor with that of its mirror
    image: for things that have no left and right, so not for digits. `patches` is a number of prototypes learned from
    public patches (Coates & Ng 2012): as many components again, of equal weight.
    """

    kind: ClassVar[str] = "scattering"

    scales: int = 2
    angles: int = 8
    components: int | None = 200
    groups: int | None = None
    flip: bool = False
    patches: int | None = None
    patch_size: int = 6

    def __post_init__(self) -> None:
        for name in ("scales", "angles", "components", "groups", "patches", "patch_size"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} must be at least 1, got {value}")
        channels = 1 + self.scales * self.angles + self.scales * (self.scales - 1) // 2 * self.angles**2
        if self.groups is not None and channels % self.groups:
            raise ValueError(f"groups must divide the {channels} channels, got {self.groups}")
        if self.groups is None and self.components is None:
            raise ValueError("components may be null only with groups: else the channels have no common scale")
        if self.patches is not None and self.groups is not None:
            raise ValueError("patches are learned from public data, which groups do without: choose one")
        if self.patches is not None and self.components is not None and self.patches * GRID**2 < self.components:
            raise ValueError(f"patches must be at least components / {GRID**2}, got {self.patches}")

    def fit(self, public: np.ndarray) -> Encoder:
        arguments: dict[str, Any] = {
            "scales": self.scales,
            "angles": self.angles,
            "groups": self.groups,
            "flip": self.flip,
        }
        if self.components is None:
            return ScatteringEncoder(scattering=arguments)
        if len(public) == 0:
            raise ConfigError("features=scattering is fitted on public inputs, and there are none (dataset.public=0)")
        from scipy.linalg import block_diag

        learned = None if self.patches is None else learn(public, self.patches, self.patch_size)
        vectors = ScatteringEncoder(scattering=arguments).transform(public)
        spread = np.ones(vectors.shape[1], np.float32)
        if self.groups is None:
            spread = _spread_of_channels(vectors, descriptors(public[:1], **arguments).shape[1])
        mean, directions = principal_components(vectors / spread, self.components)
        mean, directions = mean * spread, directions / spread[:, None]
        if learned is not None:  # both parts as one map, each with a mean squared norm of 1/2
            more = principal_components(activations(public, **learned, flip=self.flip), self.components)
            mean = np.concatenate([mean, more[0]])
            directions = block_diag(directions, more[1]) * np.float32(0.5**0.5)
        return ScatteringEncoder(mean, directions, arguments, learned)


@dataclass(frozen=True)
class ScatteringEncoder(LinearEncoder):
    """The same with v the descriptor of an image; given prototypes too, their activations by its patches follow."""

    kind: ClassVar[str] = "scattering"
    absent: ClassVar[Mapping[str, None]] = {}

    scattering: dict[str, Any] = field(default_factory=dict)  # the arguments of `descriptors`
    patches: dict[str, np.ndarray] | None = None

    def raw(self, x: np.ndarray) -> np.ndarray:
        found = descriptors(x, **self.scattering)
        found = found.reshape(len(x), math.prod(found.shape[1:]))
        if self.patches is None:
            return found
        return np.concatenate([found, activations(x, **self.patches, flip=self.scattering["flip"])], axis=1)

    def encode(self, x: np.ndarray) -> np.ndarray:
        """A few images at a time, each time by one thread."""
        blocks = self._blocks()

        def compute(start: int) -> np.ndarray:
            raw = self.raw(x[start : start + _IMAGES])
            parts = [projected(raw[:, used], mean, components) for used, mean, components in blocks]
            return np.concatenate(parts, axis=1) if parts else raw

        return np.concatenate(list(in_order(compute, range(0, max(len(x), 1), _IMAGES))))

    def _blocks(self) -> list[tuple[slice, np.ndarray, np.ndarray]]:
        """The linear map without its zeros: no component is made of both coefficients and activations."""
        if self.mean is None or self.components is None:
            return []
        wide = self.components.astype(np.float64)
        if self.patches is not None:
            at = len(self.mean) - GRID**2 * len(self.patches["prototypes"])
            end = int(wide[:at].any(axis=0).sum())
            if not wide[:at, end:].any() and not wide[at:, :end].any():
                first, second = slice(at), slice(at, None)
                return [(first, self.mean[first], wide[:at, :end]), (second, self.mean[second], wide[at:, end:])]
        return [(slice(None), self.mean, wide)]

    def raw_width(self, shape: Sequence[int]) -> int:
        channels, *places = scattering_shape(tuple(shape), self.scattering["scales"], self.scattering["angles"])
        if channels % (self.scattering["groups"] or 1):
            raise ValueError("the channels do not divide into these groups")
        found = channels * math.prod(places)
        if self.patches is None:
            return found
        _, colours, size, _ = self.patches["prototypes"].shape
        if colours != math.prod(shape[2:]) or size > min(shape[:2]):
            raise ValueError("prototypes of patches that such an image does not have")
        return found + GRID**2 * len(self.patches["prototypes"])

    def to_onnx(self, graph: OnnxGraph, x: str, shape: Sequence[int]) -> str:
        from pate.features.scattering_onnx import described

        return self.project(graph, described(graph, x, shape, self.scattering, self.patches))

    def check(self) -> None:
        super().check()
        _check_arguments(self.scattering)
        if self.patches is not None:
            _check_patches(self.patches)


def _check_arguments(arguments: dict[str, Any]) -> None:
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


def _spread_of_channels(vectors: np.ndarray, channels: int) -> np.ndarray:
    """The standard deviation of each coefficient's channel, over inputs and places."""
    spread = vectors.reshape(len(vectors), channels, -1).std(axis=(0, 2), dtype=np.float64)
    return np.repeat(np.maximum(spread, 1e-6), vectors.shape[1] // channels).astype(np.float32)


def descriptors(x: np.ndarray, scales: int, angles: int, groups: int | None, flip: bool) -> np.ndarray:
    """log(S + 0.01) of images n x H x W or n x H x W x colours, or S in groups, as n x channels x h x w."""
    if x.ndim not in (3, 4) or min(x.shape[1:3]) < 2**scales:
        raise ConfigError(
            f"features=scattering needs images of at least {2**scales} x {2**scales} pixels, not records of shape "
            f"{x.shape[1:]}: choose features=identity or features=pca"
        )
    views = scattering_of_views(x, scales, angles, mirrored=flip)
    return _mean(_logarithm(views)) if groups is None else _normalised(_mean(views), groups)


def _mean(views: np.ndarray) -> np.ndarray:
    """Of an image's views; numpy's own mean over so short an axis takes as long as a sixth of the transform."""
    return sum((views[:, one] for one in range(1, views.shape[1])), views[:, 0]) / np.float32(views.shape[1])


def _logarithm(x: np.ndarray) -> np.ndarray:
    return np.log(np.maximum(x, 0) + FLOOR)  # averages of inputs below 0 may be negative themselves


def _normalised(x: np.ndarray, groups: int) -> np.ndarray:
    """Each group of channels of each image brought to mean 0 and variance 1 (Wu & He 2018)."""
    grouped = x.reshape(len(x), groups, x.shape[1] // groups, *x.shape[2:])
    centred = grouped - grouped.mean(axis=(2, 3, 4), keepdims=True)
    return (centred / np.sqrt(grouped.var(axis=(2, 3, 4), keepdims=True) + LEAST)).reshape(x.shape)
