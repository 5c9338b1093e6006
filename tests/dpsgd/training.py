"""A small training on digits, and its settings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.datasets import load_digits

from pate.dpsgd.accountant import Spent
from pate.dpsgd.models import MLP, Linear
from pate.dpsgd.train import DPSGD
from pate.learning.checkpoint import Checkpoint
from pate.models.model import Model
from pate.noise import Noise, source

HOW = {"epsilon": "pate", "lot": 64, "epochs": 10, "learning_rate": 1.0, "clip": 1.0}


LINEAR = Linear(**HOW)


SMALL = MLP(**HOW, hidden=[16], activation="tanh")


ON_COMPONENTS = replace(SMALL, pca=20, pca_noise=4.0)


def digits() -> tuple[np.ndarray, np.ndarray]:
    x, y = load_digits(return_X_y=True)
    return (x / 16).astype(np.float32), y.astype(np.int64)


def large_digits(n: int) -> np.ndarray:
    """24 x 24 pixels, as flat rows."""
    return np.kron(load_digits().images[:n] / 16, np.ones((3, 3))).astype(np.float32).reshape(n, -1)


def fit(
    settings: DPSGD, x: np.ndarray, y: np.ndarray, *, epsilon: float = 2.0, seed: int = 0, noise: Noise | None = None,
    shape: tuple[int, ...] = (), checkpoint: Checkpoint | None = None,
) -> tuple[Model, Spent]:  # fmt: skip
    return settings.fit(
        x, y, 10, epsilon=epsilon, delta=1e-4, seed=seed, noise=noise or source(0), device="cpu", shape=shape,
        checkpoint=checkpoint,
    )  # fmt: skip


def weights(model: Model) -> np.ndarray:
    return np.concatenate([layer.ravel() for layer in model.layers.values()])
