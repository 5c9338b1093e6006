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
        if self.components > min(flat.shape):
            raise ConfigError(
                f"features.components={self.components}: {len(flat)} public inputs of {flat.shape[1]} values "
                f"have at most {min(flat.shape)} principal components"
            )
        mean = flat.mean(axis=0)
        _, values, directions = np.linalg.svd(flat - mean, full_matrices=False)
        scale = np.sqrt(np.sum(values[: self.components] ** 2) / len(flat))
        return Encoder(mean, (directions[: self.components].T / max(scale, 1e-12)).astype(np.float32))
