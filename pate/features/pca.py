"""Principal components of the public inputs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pate.errors import ConfigError
from pate.features.encoder import Encoder, Features


@dataclass(frozen=True)
class PCA(Features):
    """The `components` directions in which public inputs vary most, scaled to a mean squared norm of 1."""

    components: int = 40

    def __post_init__(self) -> None:
        if self.components < 1:
            raise ValueError(f"components must be at least 1, got {self.components}")

    def fit(self, public: np.ndarray) -> Encoder:
        flat = Encoder().transform(public)
        return Encoder(*principal_components(flat, self.components))


def principal_components(vectors: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean and directions (features x count), so that (x - mean) @ directions has a mean squared norm of 1."""
    from scipy.linalg import eigh

    records, width = vectors.shape
    if count > min(records, width):
        raise ConfigError(
            f"features.components={count}: {records} public inputs of {width} values have at most "
            f"{min(records, width)} principal components"
        )
    mean = vectors.mean(axis=0, dtype=np.float64)
    centred = vectors - mean.astype(np.float32)
    covariance = (centred.T @ centred).astype(np.float64) / records
    spread, directions = eigh(covariance, subset_by_index=(width - count, width - 1))
    scale = np.sqrt(max(spread.sum(), 1e-24))
    return mean.astype(np.float32), (directions[:, ::-1] / scale).astype(np.float32)
