"""Ridge teachers: least squares onto class indicators, in closed form, a batch of teachers in one set of products."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pate.teachers.ensemble import Partition, Teachers


@dataclass(frozen=True)
class Ridge(Teachers):
    """Weights W = argmin |XW - Y|^2 + penalty |W|^2, with a constant feature for the intercept."""

    kind: ClassVar[str] = "ridge"

    penalty: float = 0.3
    batch: ClassVar[int] = 25

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (math.isfinite(self.penalty) and self.penalty > 0):
            raise ValueError(f"penalty must be a positive number, got {self.penalty}")

    def predict_many(
        self, partitions: list[Partition], public: np.ndarray, classes: int, seeds: list[int]
    ) -> list[np.ndarray]:
        weights = [self._weights(_with_constant(x), y, classes) for x, y in partitions]
        scores = _with_constant(public) @ np.concatenate(weights, axis=1)
        return list(scores.reshape(len(public), len(partitions), classes).argmax(axis=2).T)

    def _weights(self, x: np.ndarray, y: np.ndarray, classes: int) -> np.ndarray:
        """Through whichever Gram matrix is smaller: records x records, or features x features."""
        target = np.where(y[:, None] == np.arange(classes), 1.0, -1.0)
        if len(x) <= x.shape[1]:
            gram = (x @ x.T).astype(np.float64)
            return x.T @ self._solve(gram, target).astype(x.dtype)
        gram = (x.T @ x).astype(np.float64)
        return self._solve(gram, x.T @ target).astype(x.dtype)

    def _solve(self, gram: np.ndarray, right: np.ndarray) -> np.ndarray:
        gram.flat[:: len(gram) + 1] += self.penalty
        return np.linalg.solve(gram, right)


def _with_constant(x: np.ndarray) -> np.ndarray:
    return np.concatenate([x, np.ones((len(x), 1), dtype=x.dtype)], axis=1)
