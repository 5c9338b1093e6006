"""DP-SGD (Abadi et al. 2016, Algorithm 1): clip every record's gradient, add noise to the sum, take a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray

from pate.classifier import Classifier
from pate.device import one_thread
from pate.dpsgd.engine import clipped_sum, refuse_unsupported
from pate.dpsgd.network import build, freeze
from pate.noise import Noise
from pate.progress import progress

if TYPE_CHECKING:
    from pate.dpsgd.train import DPSGD, Spent


def descend(
    settings: DPSGD,
    spent: Spent,
    x: NDArray[np.float32],
    y: NDArray[np.int64],
    classes: int,
    *,
    seed: int,
    noise: Noise,
    device: str,
) -> Classifier:
    """Train for the steps and with the noise that `spent` has paid for."""
    model = build(x.shape[1], list(settings.hidden), classes, settings.activation, seed).to(device)
    refuse_unsupported(model)
    parameters = list(model.parameters())
    velocity = [torch.zeros_like(p) for p in parameters]
    records = torch.as_tensor(x, dtype=torch.float32, device=device)
    labels = torch.as_tensor(y, dtype=torch.int64, device=device)
    with one_thread(), progress("dp-sgd", spent.steps, "steps") as advance:
        for _ in range(spent.steps):
            lot = torch.from_numpy(poisson_lot(len(x), spent.sampling_rate, noise)).to(device)
            gradient = clipped_sum(model, records[lot], labels[lot], settings.clip)
            add_noise(gradient, spent.noise_multiplier * settings.clip, noise)
            with torch.no_grad():
                for p, v, g in zip(parameters, velocity, gradient, strict=True):
                    v.mul_(settings.momentum).add_(g, alpha=1 / settings.lot)  # expected size: the real one is private
                    p.sub_(v, alpha=settings.learning_rate)
            advance(1)
    return freeze(model, settings.activation)


def poisson_lot(n: int, rate: float, noise: Noise) -> NDArray[np.int64]:
    """Every record on its own with probability `rate`, as the accountant assumes; the lot may be empty."""
    return np.flatnonzero(noise.uniform(n) < rate)


def add_noise(gradient: list[torch.Tensor], deviation: float, noise: Noise) -> None:
    """Gaussian noise on every coordinate of a lot's clipped sum, in place, once."""
    draws = torch.from_numpy(noise.gaussian(sum(g.numel() for g in gradient), deviation)).float()
    for g, part in zip(gradient, torch.split(draws, [g.numel() for g in gradient]), strict=True):
        g.add_(part.view_as(g).to(g.device))
