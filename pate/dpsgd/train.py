"""DP-SGD as a choice: how to train, whether that can be, and what it will cost; the steps are in descent.py."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from pate.accounting.calibrate import LEAST, MOST, noise_multiplier, steps_within
from pate.choice import ALWAYS_SAID, Choice
from pate.dpsgd.accountant import RELATION, Accountant, Spent
from pate.errors import ConfigError, PateError
from pate.features.encoder import Encoder
from pate.learning.checkpoint import Checkpoint
from pate.learning.class_weights import ClassWeights
from pate.models.model import Model
from pate.noise import SEEDED, Noise
from pate.workspace.artifact import Arrays

if TYPE_CHECKING:
    import torch  # elsewhere inside functions, because it takes seconds to import
    from torch import nn

log = logging.getLogger("pate")
_SCHEDULES: dict[str, Callable[[float], float]] = {
    "constant": lambda done: 1.0,
    "linear": lambda done: 1.0 - done,
    "cosine": lambda done: (1.0 + math.cos(math.pi * done)) / 2,
}


@dataclass(frozen=True)
class DPSGD(Choice):
    """How to train; a subclass says what. `epsilon` is a number, or "pate" for PATE's own epsilon in its place.

    What decides the price: epsilon, lot (its expected size), epochs and noise_multiplier: null finds the noise for
    these epochs; a number trains for as many of them as the budget allows. What decides how well it learns: clip,
    learning_rate, schedule, momentum, and average, the decay of a moving average of the weights (0 for none).
    `micro_batch` bounds memory and changes nothing else.
    """

    epsilon: Any = field(default="pate", metadata=ALWAYS_SAID)
    lot: int = field(default=256, metadata=ALWAYS_SAID)
    epochs: float = field(default=20.0, metadata=ALWAYS_SAID)
    learning_rate: float = field(default=4.0, metadata=ALWAYS_SAID)
    clip: float = field(default=0.25, metadata=ALWAYS_SAID)
    momentum: float = 0.9
    schedule: str = "constant"
    average: float = 0.0
    noise_multiplier: float | None = None
    micro_batch: int = 2048
    needs_images: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for name in ("epochs", "learning_rate", "clip"):
            value = getattr(self, name)
            if not (isinstance(value, int | float) and math.isfinite(value) and value > 0):
                raise ConfigError(f"dpsgd.{name}={value}: expected a positive number")
        if not 1e-6 <= self.clip <= 1e6:
            raise ConfigError(
                f"dpsgd.clip={self.clip}: expected a number from 1e-6 to 1e6, where float32 is exact enough"
            )
        if self.noise_multiplier is not None and not LEAST <= self.noise_multiplier <= MOST:
            raise ConfigError(
                f"dpsgd.noise_multiplier={self.noise_multiplier}: expected {LEAST:g} to {MOST:g}, or null"
            )
        if isinstance(self.epsilon, int) and not isinstance(self.epsilon, bool):
            object.__setattr__(self, "epsilon", float(self.epsilon))
        if self.epsilon != "pate" and not (
            isinstance(self.epsilon, float) and math.isfinite(self.epsilon) and self.epsilon > 0
        ):
            raise ConfigError(f"dpsgd.epsilon must be a positive number or `pate`, got {self.epsilon}")
        for name in ("momentum", "average"):
            value = getattr(self, name)
            if not (isinstance(value, int | float) and 0 <= value < 1):
                raise ConfigError(f"dpsgd.{name}={value}: expected at least 0 and less than 1")
        for name in ("lot", "micro_batch"):
            value = getattr(self, name)
            if not (isinstance(value, int) and value >= 1):
                raise ConfigError(f"dpsgd.{name}={value}: expected a whole number of records, at least 1")
        if self.schedule not in _SCHEDULES:
            raise ConfigError(f"dpsgd.schedule={self.schedule}: expected one of {', '.join(_SCHEDULES)}")

    def share_of_rate(self, done: float) -> float:
        """What the learning rate is multiplied by when this share of the steps is done."""
        return _SCHEDULES[self.schedule](done)

    # -- what a kind of model answers ---------------------------------------------------------------

    def check_image(self, shape: tuple[int, ...] | None) -> None:
        """Refuse inputs this model cannot read: `shape` is that of one image, None for inputs that are no images."""
        if self.needs_images and shape is None:
            raise ConfigError(f"dpsgd={type(self).__name__} needs images (n x H x W), and the data set has rows")

    def encoder(self, encoder: Encoder) -> Encoder:
        """What makes its rows of the private inputs: the run's own encoder, or one that no record shaped."""
        return encoder

    def network(self, features: int, shape: Sequence[int], classes: int) -> nn.Sequential:
        """Without weights yet; `shape` is that of one input, of which a row of `features` was made."""
        raise TypeError(f"{type(self).__name__} has no network")

    def inputs(self, rows: torch.Tensor, shape: Sequence[int]) -> torch.Tensor:
        """What the network reads of such rows."""
        return rows

    def model(self, network: nn.Sequential, shape: Sequence[int], components: np.ndarray | None) -> Model:
        """The trained network as arrays."""
        raise TypeError(f"{type(self).__name__} has no model")

    def principal_components(self) -> tuple[int, float] | None:
        """How many components of the private rows to train on, and the noise multiplier they are paid with."""
        return None

    # -- training -----------------------------------------------------------------------------------

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
        shape: Sequence[int] = (),
        checkpoint: Checkpoint | None = None,
        withheld: str = "",
        weights: ClassWeights = ClassWeights(),
    ) -> tuple[Model, Spent]:
        """A model that costs at most `epsilon`; `seed` starts its weights, everything else random is from `noise`. With
        `weights`, of which none is above 1, a clipped gradient counts by its class, and is no longer than before."""
        _refuse_unusable(x, y, classes)
        self.check_image(tuple(shape) if len(shape) > 1 else None)
        saved = checkpoint.load() if checkpoint else None
        accountant = self.plan(len(x), epsilon, delta)
        if saved:
            accountant = Accountant.of(saved, accountant)
        from pate.dpsgd.descent import descend  # here, because torch takes seconds to import
        from pate.dpsgd.network import start

        rows, components = self._projected(x, saved, noise)
        network = start(self.network(rows.shape[1], shape, classes), seed)
        descend(
            self,
            network,
            rows,
            y,
            shape,
            accountant=accountant,
            noise=noise,
            device=device,
            saved=saved,
            checkpoint=checkpoint,
            keep={} if components is None else {"components": components},
            withheld=SEEDED if noise.seeded else withheld,
            weights=weights.weights()[y] if weights else None,
        )
        if not all(bool(p.isfinite().all()) for p in network.parameters()):
            raise PateError("the weights are no longer finite numbers: lower dpsgd.learning_rate, or dpsgd.clip")
        return self.model(network, shape, components), accountant.spent(noise.seeded)

    def _projected(
        self, x: NDArray[np.float32], saved: Arrays | None, noise: Noise
    ) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
        """The rows to train on and, if they are components of x, of which directions."""
        asked = self.principal_components()
        if asked is None:
            return x, None
        from pate.dpsgd.pca import private_components

        found = saved["components"] if saved else private_components(x, *asked, noise)
        with threadpool_limits(1, user_api="blas"):  # the same rows on any number of cores
            return x @ found, found

    def reachable(self, n: int, epsilon: float, delta: float) -> float:
        """Near an epsilon that somebody else spent, which may be nought: where no noise is enough for it, a larger one;
        where it asks for none, a smaller one."""
        factor, epsilon = 2.0 if epsilon < 1 else 0.5, max(epsilon, 1e-3)
        for _ in range(40):
            try:
                self.plan(n, epsilon, delta)
            except ConfigError:
                epsilon *= factor
            else:
                break
        return epsilon

    def plan(self, n: int, epsilon: float, delta: float) -> Accountant:
        """The noise and the number of steps for n records, before any of them is read."""
        if self.lot > n:
            raise ConfigError(f"dpsgd.lot={self.lot}: there are only {n} private records, so ask for at most {n}")
        rate, once = self.lot / n, (self.principal_components() or (0, None))[1]
        steps = max(1, round(self.epochs / rate))
        if self.noise_multiplier is None:
            sigma = noise_multiplier(epsilon, delta, rate, steps, RELATION, once)
        else:
            sigma = self.noise_multiplier
            steps = steps_within(epsilon, delta, rate, sigma, RELATION, steps, once)
        return Accountant(sigma, rate, steps, delta, once)


def _refuse_unusable(x: NDArray[np.float32], y: NDArray[np.int64], classes: int) -> None:
    if x.ndim != 2 or y.shape != (len(x),):
        raise ConfigError(f"features of shape {x.shape} and labels of shape {y.shape}: expected (n, d) and (n,)")
    if len(y) and not (y.min() >= 0 and y.max() < classes):
        raise ConfigError(f"some private labels lie outside 0..{classes - 1}")
    broken = int((~np.isfinite(x).all(axis=1)).sum())
    if broken:
        log.warning("%d private records hold NaN or infinite values: they contribute nothing (the owner's)", broken)
