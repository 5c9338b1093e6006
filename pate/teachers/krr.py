"""Kernel ridge teachers: least squares onto class indicators in the space of a Gaussian kernel, in closed form."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pate.models.kernel_machine import gaussian_kernel
from pate.teachers.ensemble import Partition, Teachers


@dataclass(frozen=True)
class KRR(Teachers):
    """Scores K(public, x) (K(x, x) + penalty I)^-1 Y with K(a, b) = exp(-gamma |a - b|^2).

    Features come with a mean squared norm of 1 (pca, scattering), so that one gamma fits data sets of every size.
    """

    kind: ClassVar[str] = "krr"

    gamma: float = 0.2
    penalty: float = 0.002
    batch: ClassVar[int] = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("gamma", "penalty"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"{name} must be a positive number, got {value}")

    def predict_many(
        self, partitions: list[Partition], public: np.ndarray, classes: int, seeds: list[int]
    ) -> list[np.ndarray]:
        return [self.scores(x, y, public, classes).argmax(axis=1) for x, y in partitions]

    def scores(self, x: np.ndarray, y: np.ndarray, public: np.ndarray, classes: int) -> np.ndarray:
        target = np.where(y[:, None] == np.arange(classes), 1.0, 0.0)
        kernel = gaussian_kernel(x, x, self.gamma).astype(np.float64)
        kernel.flat[:: len(x) + 1] += self.penalty
        return gaussian_kernel(public, x, self.gamma) @ np.linalg.solve(kernel, target).astype(np.float32)
