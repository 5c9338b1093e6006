"""The networks DP-SGD trains: linear layers with an activation between them, started from a seed."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import nn

from pate.classifier import Classifier

_ACTIVATION: dict[str, type[nn.Module]] = {"tanh": nn.Tanh, "relu": nn.ReLU}


def build(features: int, hidden: list[int], classes: int, activation: str, seed: int) -> nn.Sequential:
    """Glorot & Bengio (2010) weights and zero biases, drawn from the seed and from nothing else."""
    generator = torch.Generator().manual_seed(seed)
    widths = [features, *hidden, classes]
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(widths):
        if layers:
            layers.append(_ACTIVATION[activation]())
        # On "meta" torch skips its own start, which would draw from the global generator.
        layer = nn.Linear(inputs, outputs, device="meta").to_empty(device="cpu")
        nn.init.xavier_uniform_(layer.weight, generator=generator)
        nn.init.zeros_(layer.bias)
        layers.append(layer)
    return nn.Sequential(*layers)


def freeze(model: nn.Sequential, activation: str) -> Classifier:
    """The trained network as arrays."""
    linear = [layer for layer in model if isinstance(layer, nn.Linear)]
    arrays = {
        f"{i}.{part}": getattr(layer, part).detach().cpu().numpy().copy()
        for i, layer in enumerate(linear)
        for part in ("weight", "bias")
    }
    return Classifier(arrays, activation if len(linear) > 1 else "none")
