"""DP-SGD as a choice: what to train, whether it can be, and what it will cost; the steps are in descent.py."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pate.artifact import Artifact
from pate.classifier import ACTIVATIONS, Classifier
from pate.dpsgd.calibrate import epsilon as cost
from pate.dpsgd.calibrate import noise_multiplier
from pate.errors import ConfigError
from pate.noise import Noise

RELATION = "replaced-by-nothing"


@dataclass(frozen=True)
class Spent(Artifact):
    """The price of a trained model, under the relation that was paid for and under replace-one."""

    noise_multiplier: float
    steps: int
    sampling_rate: float
    epsilon: float
    epsilon_replace_one: float
    delta: float
    relation: str


@dataclass(frozen=True)
class DPSGD:
    """What to train and how; `epsilon` is a number, or "pate" for the stage to put PATE's own epsilon in its place."""

    epsilon: Any
    lot: int
    epochs: float
    learning_rate: float
    clip: float
    momentum: float
    hidden: list[int]
    activation: str

    def __post_init__(self) -> None:
        for name in ("epochs", "learning_rate", "clip"):
            value = getattr(self, name)
            if not (isinstance(value, int | float) and math.isfinite(value) and value > 0):
                raise ConfigError(f"dpsgd.{name}={value}: expected a positive number")
        if not (isinstance(self.momentum, int | float) and 0 <= self.momentum < 1):
            raise ConfigError(f"dpsgd.momentum={self.momentum}: expected at least 0 and less than 1")
        if not (isinstance(self.lot, int) and self.lot >= 1):
            raise ConfigError(f"dpsgd.lot={self.lot}: expected a whole number of records, at least 1")
        if not all(isinstance(width, int) and width >= 1 for width in self.hidden):
            raise ConfigError(
                f"dpsgd.hidden={list(self.hidden)}: expected layer widths, such as [64], or [] for linear"
            )
        if self.hidden and self.activation not in ACTIVATIONS:
            raise ConfigError(f"dpsgd.activation={self.activation}: expected {' or '.join(ACTIVATIONS)}")

    def fit(
        self,
        x: NDArray[np.float32],
        y: NDArray[np.int64],
        classes: int,
        *,
        epsilon: float,
        delta: float,
        seed: int,
        noise: Noise,
        device: str,
    ) -> tuple[Classifier, Spent]:
        """A model that costs at most `epsilon`; `seed` starts its weights, everything else random is from `noise`."""
        self._refuse_unusable(x, y, classes)
        spent = self.plan(len(x), epsilon, delta)
        from pate.dpsgd.descent import descend  # here, because torch takes seconds to import

        return descend(self, spent, x, y, classes, seed=seed, noise=noise, device=device), spent

    def plan(self, n: int, epsilon: float, delta: float) -> Spent:
        """The noise and the number of steps for n records, before any of them is read."""
        if self.lot > n:
            raise ConfigError(f"dpsgd.lot={self.lot}: there are only {n} private records, so ask for at most {n}")
        rate = self.lot / n
        steps = max(1, round(self.epochs / rate))
        sigma = noise_multiplier(epsilon, delta, rate, steps, RELATION)
        paid, replace_one = (cost(sigma, rate, steps, delta, relation) for relation in (RELATION, "replace-one"))
        return Spent(sigma, steps, rate, paid, replace_one, delta, RELATION)

    def _refuse_unusable(self, x: NDArray[np.float32], y: NDArray[np.int64], classes: int) -> None:
        if x.ndim != 2 or y.shape != (len(x),):
            raise ConfigError(f"features of shape {x.shape} and labels of shape {y.shape}: expected (n, d) and (n,)")
        if not np.isfinite(x).all():
            raise ConfigError("the private features hold NaN or infinite values: clean them before DP-SGD")
        if len(y) and not (y.min() >= 0 and y.max() < classes):
            raise ConfigError(f"some private labels lie outside 0..{classes - 1}")
