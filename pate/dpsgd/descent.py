"""DP-SGD (Abadi et al. 2016, Algorithm 1): clip every record's gradient, add noise to the sum, take a step."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import count
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from pate.dpsgd.accountant import Accountant
from pate.dpsgd.engine import Clipped, at_once, clipped_sum, refuse_unsupported
from pate.dpsgd.layers import squared_norms
from pate.dpsgd.summation import rounding
from pate.dpsgd.teller import Teller
from pate.learning.checkpoint import Checkpoint
from pate.learning.device import one_thread
from pate.noise import Noise
from pate.progress import progress
from pate.workspace.artifact import Arrays

if TYPE_CHECKING:
    from pate.dpsgd.train import DPSGD

log = logging.getLogger("pate")
_SAVE_EVERY = 2.0  # seconds, of which saving takes a fraction
Drawn = tuple[torch.Tensor, torch.Tensor]  # a lot, and a number for every coordinate of its sum


def descend(
    settings: DPSGD,
    network: nn.Sequential,
    x: NDArray[np.float32],
    y: NDArray[np.int64],
    shape: Sequence[int],
    *,
    accountant: Accountant,
    noise: Noise,
    device: str,
    saved: Arrays | None,
    checkpoint: Checkpoint | None,
    keep: Arrays,
    withheld: str = "",
    weights: NDArray[np.float64] | None = None,
) -> None:
    """Train the network until the accountant's plan is spent; `keep` is what a checkpoint must hold besides, and
    `withheld` why its epsilon may not be published, if it may not. `weights` say for how much of its clipped gradient
    each record counts."""
    network.to(device)
    records = _Records(settings, network, x, y, shape, device, weights)
    state = _State(network, settings.average)
    if saved is not None:
        state.restore(saved)
        log.info("  resuming: %d of %d steps were taken before", accountant.taken, accountant.steps)
    chance = _chance(settings, network, len(x), accountant, noise)
    saving = _Saving(checkpoint, lambda: state.arrays() | accountant.arrays() | keep)
    teller = Teller(accountant, withheld)
    with (
        one_thread(),
        closing(drawn_ahead(chance, accountant.taken)) as drawn,
        progress("dp-sgd", accountant.steps, "steps", accountant.taken) as advance,
    ):
        while accountant.taken < accountant.steps:
            step = accountant.taken
            accountant.step()
            lot, noises = next(drawn)
            gradient, loss = records.clipped_sum(lot)
            add_noise(gradient, noises)
            rate = settings.learning_rate * settings.share_of_rate(step / accountant.steps)
            state.step(gradient, settings.lot, rate, settings.momentum, step)
            saving.now_and_then()
            advance(1, teller.after(loss, len(lot)))
    saving.now()  # whatever happens to the model before it is stored, the same one is made again, and no other
    state.finish()


class _Records:
    """The private records, of which a step reads a lot."""

    def __init__(
        self,
        settings: DPSGD,
        network: nn.Sequential,
        x: NDArray[np.float32],
        y: NDArray[np.int64],
        shape: Sequence[int],
        device: str,
        weights: NDArray[np.float64] | None,
    ) -> None:
        refuse_unsupported(network, settings.inputs(torch.zeros(1, x.shape[1], device=device), shape)[0])
        self._settings, self._network, self._shape, self._device = settings, network, shape, device
        self._x, self._y = torch.from_numpy(x), torch.from_numpy(y)
        self._weights = None if weights is None else torch.from_numpy(weights.astype(np.float32))
        self._squared = squared_norms(self._x) if isinstance(network[0], nn.Linear) else None  # they do not change

    def clipped_sum(self, lot: torch.Tensor) -> Clipped:
        """Of every record's gradient, each at most as long as the clip; and their loss, the owner's."""
        settings, device = self._settings, self._device
        inputs = settings.inputs(self._x[lot].to(device), self._shape)
        norms = None if self._squared is None else self._squared[lot].to(device)
        labels = self._y[lot].to(device)
        weights = None if self._weights is None else self._weights[lot].to(device)
        return clipped_sum(self._network, inputs, labels, settings.clip, settings.micro_batch, norms, weights)


def _chance(
    settings: DPSGD, network: nn.Module, n: int, accountant: Accountant, noise: Noise
) -> Callable[[int], Drawn]:
    """All that is random in a step. The noise also covers by how much rounding lets a record exceed the clip."""
    numbers = sum(p.numel() for p in network.parameters())
    sensitivity = settings.clip * (1 + rounding(n, at_once(network, settings.micro_batch)))
    deviation = accountant.noise_multiplier * sensitivity

    def draw(step: int) -> Drawn:
        own = noise.at(step)
        lot = poisson_lot(n, accountant.sampling_rate, own)
        return torch.from_numpy(lot), torch.from_numpy(own.many_gaussians(numbers, deviation))

    return draw


def drawn_ahead(draw: Callable[[int], Drawn], first: int) -> Generator[Drawn]:
    """For each step from the `first` on. Chance knows no data: the next step's is drawn during this one."""
    with ThreadPoolExecutor(1) as ahead:
        coming = ahead.submit(draw, first)
        for step in count(first + 1):
            drawn, coming = coming.result(), ahead.submit(draw, step)
            yield drawn


def poisson_lot(n: int, rate: float, noise: Noise) -> NDArray[np.int64]:
    """Every record on its own with probability `rate`, as the accountant assumes; the lot may be empty."""
    return np.flatnonzero(noise.uniform(n) < rate)


def add_noise(gradient: list[torch.Tensor], noises: torch.Tensor) -> None:
    """A number of its own to every coordinate of a lot's clipped sum, in place, once. In the sum's own precision: to
    round a sum in double precision to single before its noise would move it by more than was paid for."""
    for g, part in zip(gradient, torch.split(noises, [g.numel() for g in gradient]), strict=True):
        g.add_(part.view(g.shape).to(g.device))


class _Saving:
    """The checkpoint of a training, now and then and once it is done; none where nobody asked for one."""

    def __init__(self, checkpoint: Checkpoint | None, arrays: Callable[[], Arrays]) -> None:
        self._checkpoint, self._arrays, self._last = checkpoint, arrays, time.monotonic()

    def now_and_then(self) -> None:
        if time.monotonic() - self._last > _SAVE_EVERY:
            self.now()

    def now(self) -> None:
        if self._checkpoint:
            self._checkpoint.save(self._arrays())
        self._last = time.monotonic()


class _State:
    """All that changes while the network learns: its weights, their velocity and, if asked for, their average."""

    def __init__(self, network: nn.Module, average: float) -> None:
        self._parameters = list(network.parameters())
        self._velocity = [torch.zeros_like(p) for p in self._parameters]
        self._decay = average
        self._average = [p.detach().clone() for p in self._parameters] if average else []

    @torch.no_grad()
    def step(self, gradient: list[torch.Tensor], lot: int, rate: float, momentum: float, before: int) -> None:
        """The next one after so many `before`. Division is by the expected lot size: the real one is private."""
        for p, v, g in zip(self._parameters, self._velocity, gradient, strict=True):
            v.mul_(momentum).add_(g.to(v.dtype), alpha=1 / lot)
            p.sub_(v, alpha=rate)
        decay = min(self._decay, (before + 1) / (before + 10))  # early on the start would weigh too much
        for a, p in zip(self._average, self._parameters, strict=False):
            a.lerp_(p, 1 - decay)

    @torch.no_grad()
    def finish(self) -> None:
        """The average, where there is one, is what was learned."""
        for a, p in zip(self._average, self._parameters, strict=False):
            p.copy_(a)

    def _named(self) -> dict[str, torch.Tensor]:
        weights: Sequence[torch.Tensor] = self._parameters
        parts = {"weight": weights, "velocity": self._velocity, "average": self._average}
        return {f"{name}.{i}": tensor for name, tensors in parts.items() for i, tensor in enumerate(tensors)}

    def arrays(self) -> Arrays:
        return {name: tensor.detach().cpu().numpy().copy() for name, tensor in self._named().items()}

    @torch.no_grad()
    def restore(self, saved: Arrays) -> None:
        for name, tensor in self._named().items():
            tensor.copy_(torch.from_numpy(saved[name].copy()))
