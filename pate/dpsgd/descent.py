"""DP-SGD (Abadi et al. 2016, Algorithm 1): clip every record's gradient, add noise to the sum, take a step."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from pate.accounting.guarantee import shown
from pate.dpsgd.accountant import Accountant
from pate.dpsgd.engine import at_once, clipped_sum, refuse_unsupported
from pate.dpsgd.layers import squared_norms
from pate.dpsgd.summation import rounding
from pate.learning.checkpoint import Checkpoint
from pate.learning.device import one_thread
from pate.learning.telling import followed, tell
from pate.noise import Noise
from pate.progress import progress
from pate.workspace.artifact import Arrays

if TYPE_CHECKING:
    from pate.dpsgd.train import DPSGD

log = logging.getLogger("pate")
_SAVE_EVERY, _TELL_EVERY = 2.0, 8.0  # seconds, of which saving or pricing what was done takes a fraction
_POINTS = 100  # at most, on the curve of whoever follows; at least an epoch apart


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
    shown_to: str,
) -> None:
    """Train the network until the accountant's plan is spent; `keep` is what a checkpoint must hold besides, and
    `shown_to` says whether the epsilon may be published."""
    network.to(device)
    records, labels = torch.from_numpy(x), torch.from_numpy(y)
    refuse_unsupported(network, settings.inputs(torch.zeros(1, x.shape[1], device=device), shape)[0])
    squared = squared_norms(records) if isinstance(network[0], nn.Linear) else None  # they do not change
    state = _State(network, settings.average)
    if saved is not None:
        state.restore(saved)
        log.info("  resuming: %d of %d steps were taken before", accountant.taken, accountant.steps)
    numbers = sum(p.numel() for p in network.parameters())
    apart = max(1, round(max(1 / accountant.sampling_rate, accountant.steps / _POINTS)))
    sensitivity = settings.clip * (1 + rounding(len(x), at_once(network, settings.micro_batch)))
    deviation = accountant.noise_multiplier * sensitivity

    def draw(step: int) -> tuple[torch.Tensor, torch.Tensor]:
        own = noise.at(step)
        lot = poisson_lot(len(x), accountant.sampling_rate, own)
        return torch.from_numpy(lot), torch.from_numpy(own.many_gaussians(numbers, deviation))

    with (
        one_thread(),
        ThreadPoolExecutor(1) as ahead,  # chance knows no data: the next step's is drawn during this one
        progress("dp-sgd", accountant.steps, "steps", accountant.taken) as advance,
    ):
        drawn = ahead.submit(draw, accountant.taken)
        saved_at = told_at = time.monotonic()
        told, curve = _Loss(), _Loss()
        while accountant.taken < accountant.steps:
            step = accountant.taken
            accountant.step()
            lot, noises = drawn.result()
            drawn = ahead.submit(draw, accountant.taken)
            inputs = settings.inputs(records[lot].to(device), shape)
            norms = None if squared is None else squared[lot].to(device)
            gradient, loss = clipped_sum(
                network, inputs, labels[lot].to(device), settings.clip, settings.micro_batch, norms
            )
            add_noise(gradient, noises)
            rate = settings.learning_rate * settings.share_of_rate(step / accountant.steps)
            state.step(gradient, settings.lot, rate, settings.momentum, step)
            told.add(loss, len(lot))
            curve.add(loss, len(lot))
            saying = None
            if checkpoint and time.monotonic() - saved_at > _SAVE_EVERY:
                checkpoint.save(state.arrays() | accountant.arrays() | keep)
                saved_at = time.monotonic()
            if time.monotonic() - told_at > _TELL_EVERY:
                saying, told_at = _told(accountant, told.mean(), shown_to), time.monotonic()
            if followed() and (accountant.taken % apart == 0 or accountant.taken == accountant.steps):
                tell(accountant.taken, loss=curve.mean(), epsilon_so_far=accountant.epsilon())
            advance(1, saying)
    if checkpoint:  # whatever happens to the model before it is stored, the same one is made again, and no other
        checkpoint.save(state.arrays() | accountant.arrays() | keep)
    state.finish()


def _told(accountant: Accountant, loss: float, shown_to: str) -> str:
    return (
        f"loss {loss:.3f} (the owner's); epsilon so far {shown(accountant.epsilon())}, delta {accountant.delta:g}, "
        f"one record replaced by nothing, {shown_to}"
    )


def poisson_lot(n: int, rate: float, noise: Noise) -> NDArray[np.int64]:
    """Every record on its own with probability `rate`, as the accountant assumes; the lot may be empty."""
    return np.flatnonzero(noise.uniform(n) < rate)


def add_noise(gradient: list[torch.Tensor], noises: torch.Tensor) -> None:
    """A number of its own to every coordinate of a lot's clipped sum, in place, once. In the sum's own precision: to
    round a sum in double precision to single before its noise would move it by more than was paid for."""
    for g, part in zip(gradient, torch.split(noises, [g.numel() for g in gradient]), strict=True):
        g.add_(part.view(g.shape).to(g.device))


class _Loss:
    """Its mean over the records seen since it was last asked for; the owner's."""

    def __init__(self) -> None:
        self._sum, self._count = 0.0, 0

    def add(self, loss: float, records: int) -> None:
        self._sum, self._count = self._sum + loss, self._count + records

    def mean(self) -> float:
        mean = self._sum / max(self._count, 1)
        self._sum, self._count = 0.0, 0
        return mean


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
