"""The kernel basis: principal axes of the public inputs in the space of a Gaussian kernel.

Nystrom features on public landmarks (Williams & Seeger 2001), rotated to the public inputs' principal axes, divided by
their eigenvalues to the power `whitening` / 2, and brought to length 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.linalg import eigh
from threadpoolctl import threadpool_limits

from pate.consensus.answers import unit_length
from pate.consensus.basis import Basis
from pate.consensus.consensus import Consensus, enough
from pate.consensus.moments import handed_on
from pate.errors import ConfigError
from pate.models.kernel_machine import KernelMachine, gaussian_kernel
from pate.models.model import Floats
from pate.students.calibration import as_sure_as
from pate.students.krr import evened

_ROWS = 4096  # compared with the landmarks together
_LEAST = 1e-7  # of the largest eigenvalue: directions of less are rounding
_HEARD = 600.0  # times the floor that a direction has to hold (docs/explanation/consensus.md: chosen on proxies)
_SEVERAL = 32  # components without which a second release never pays
_CROWDED = 10  # public inputs a component: with fewer, their second moments tell more about them than about others


@dataclass(frozen=True)
class KernelBasis(Basis):
    """phi(x) is exp(-gamma |scale x - landmark|^2) @ axes, at length 1."""

    kind: ClassVar[str] = "kernel"

    landmarks: Floats  # public inputs, scaled already
    scale: Floats
    axes: np.ndarray  # (landmarks, components), double: large numbers of both signs cancel
    gamma: float

    @property
    def components(self) -> int:
        return int(self.axes.shape[1])

    def places(self, x: np.ndarray) -> np.ndarray:
        found = np.empty((len(x), self.components))
        with threadpool_limits(1, user_api="blas"):  # the same on any number of cores
            for start in range(0, len(x), _ROWS):
                kernel = _kernel(x[start : start + _ROWS] * self.scale, self.landmarks, self.gamma)
                found[start : start + _ROWS] = unit_length(kernel @ self.axes)
        return found

    def predictor(self, weights: np.ndarray, belief: np.ndarray, x: np.ndarray) -> KernelMachine:
        """The length of phi(x) changes no order among the classes, so that a kernel machine says the same; how sure it
        is, is brought to what is believed of the public inputs."""
        machine = KernelMachine(self.landmarks, (self.axes @ weights).astype(np.float32), self.gamma, self.scale)
        return machine.sharpened(as_sure_as(machine.scores(x), belief))


@dataclass(frozen=True)
class KernelConsensus(Consensus):
    """For most data. `gamma` is that of features scaled to a variance of 1 in all."""

    kind: ClassVar[str] = "consensus_kernel"

    gamma: float = 1.0
    whitening: float = 0.5
    landmarks: int = 3000

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.gamma < float("inf"):
            raise ValueError(f"gamma must be a positive number, got {self.gamma}")
        if not 0 <= self.whitening <= 1:
            raise ValueError(f"whitening must lie between 0 and 1, got {self.whitening}")
        if self.landmarks < 1:
            raise ValueError(f"landmarks must be at least 1, got {self.landmarks}")

    def how_often(self, components: int, inputs: int) -> int:
        """Twice where it is the number of public inputs that limits the components: their second moments are then no
        longer the private records', which a second sum makes good. Where noise is what limits, it costs more."""
        return self.releases or (2 if components >= max(inputs // _CROWDED, _SEVERAL) else 1)

    def basis(self, features: np.ndarray, classes: int, floor: float) -> KernelBasis:
        return self.nested(features, classes, [floor])[0]

    def nested(self, features: np.ndarray, classes: int, floors: Sequence[float]) -> tuple[KernelBasis, list[int]]:
        scale, landmarks, root, spread, directions = _axes(features, self.gamma, self.landmarks)
        held = np.maximum(spread, 1e-12) ** (1 - self.whitening)
        held = held[: max(len(features) // _CROWDED, 1)]
        kept_by = [self.components or enough(held, _HEARD * floor, classes) for floor in floors]
        wanted = max(kept_by)
        if wanted > len(spread):
            raise ConfigError(
                f"consensus.components={wanted}: {len(features)} public inputs, {len(landmarks)} of them landmarks, "
                f"have at most {len(spread)}"
            )
        axes = root @ (directions[:, :wanted] * np.maximum(spread[:wanted], 1e-12) ** (-self.whitening / 2))
        return KernelBasis(landmarks, scale, axes, self.gamma), kept_by


@handed_on
def _axes(features: np.ndarray, gamma: float, count: int) -> tuple[np.ndarray, ...]:
    """The scale of features, the landmarks, the way from kernels with these to the space of the kernel, and there the
    second moments of the public inputs, largest first, with their directions."""
    scale = evened(features, 0.0)
    chosen = np.sort(np.random.default_rng(0).permutation(len(features))[:count])
    landmarks = (features[chosen] * scale).astype(np.float32)
    with threadpool_limits(1, user_api="blas"):
        spread, directions = eigh(_kernel(landmarks, landmarks, gamma))
        kept = spread > _LEAST * spread[-1]
        root = directions[:, kept] / np.sqrt(spread[kept])
        moments = np.zeros((root.shape[1], root.shape[1]))
        for start in range(0, len(features), _ROWS):
            rows = _kernel(features[start : start + _ROWS] * scale, landmarks, gamma) @ root
            moments += rows.T @ rows
        spread, directions = eigh(moments / len(features))
    return scale, landmarks, root, spread[::-1], directions[:, ::-1]


def _kernel(x: np.ndarray, landmarks: np.ndarray, gamma: float) -> np.ndarray:
    return gaussian_kernel(x.astype(np.float64), landmarks.astype(np.float64), gamma)
