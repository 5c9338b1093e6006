"""Principal components of the public inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from threadpoolctl import threadpool_limits

from pate.errors import ConfigError
from pate.features.encoder import Encoder, Features
from pate.features.linear import LinearEncoder

_WIDE = 1000  # from here on not all eigenvectors are computed, only a basis of the largest:
_BASIS, _STEPS = 4, 20  # that many times the components asked for, found in so many steps,
_ERROR = 1e-5  # and accepted if this close, relative to the least of them


@dataclass(frozen=True)
class PCA(Features):
    """The `components` directions in which public inputs vary most, scaled to a mean squared norm of 1."""

    kind: ClassVar[str] = "pca"

    components: int = 40

    def __post_init__(self) -> None:
        if self.components < 1:
            raise ValueError(f"components must be at least 1, got {self.components}")

    def fit(self, public: np.ndarray) -> Encoder:
        flat = LinearEncoder().transform(public)
        return LinearEncoder(*principal_components(flat, self.components))


def principal_components(vectors: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean and directions (features x count), so that (x - mean) @ directions has a mean squared norm of 1."""
    records, width = vectors.shape
    if count > min(records, width):
        raise ConfigError(
            f"features.components={count}: {records} public inputs of {width} values have at most "
            f"{min(records, width)} principal components"
        )
    mean = vectors.mean(axis=0, dtype=np.float64)
    centred = vectors - mean.astype(np.float32)
    with threadpool_limits(1, user_api="blas"):  # the same directions on any number of cores
        covariance = (centred.T @ centred).astype(np.float64) / records
        spread, directions = _largest(covariance, count)
    scale = np.sqrt(max(spread.sum(), 1e-24))
    return mean.astype(np.float32), (directions[:, ::-1] / scale).astype(np.float32)


def _largest(matrix: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The `count` largest eigenvalues of a symmetric matrix, ascending, and their vectors."""
    from scipy.linalg import eigh

    width = len(matrix)
    if width > _WIDE and 2 * _BASIS * count <= width:
        found = _krylov(matrix, count)
        if found is not None:
            return found
    spread, directions = eigh(matrix, subset_by_index=(width - count, width - 1))
    return spread, directions


def _krylov(matrix: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray] | None:
    """The same from the span of Q, AQ, A^2 Q, ... for random Q (block Lanczos; Musco & Musco 2015), or None if that
    has not converged: a quarter of the time of all eigenvectors when the spectrum falls as those of images do."""
    from scipy.linalg import eigh, qr

    width, block = len(matrix), -(-_BASIS * count // _STEPS)
    basis, image = np.empty((width, block * _STEPS)), np.empty((width, block * _STEPS))
    step = np.random.default_rng(0).standard_normal((width, block))
    for start in range(0, block * _STEPS, block):
        known, end = basis[:, :start], start + block
        for _ in range(2):  # once more, because rounding leaves a part of what is known
            step = qr(step - known @ (known.T @ step), mode="economic")[0]
        basis[:, start:end] = step
        image[:, start:end] = step = matrix @ step
    spread, mix = eigh(basis.T @ image)
    spread, mix = spread[-count:], mix[:, -count:]
    directions = basis @ mix
    error = np.linalg.norm(image @ mix - directions * spread, axis=0).max()
    return (spread, directions) if error <= _ERROR * spread[0] else None
