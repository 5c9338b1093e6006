"""The networks DP-SGD trains, started from a seed and from nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from torch import nn

from pate.models.classifier import Classifier

_ACTIVATION: dict[str, type[nn.Module]] = {"tanh": nn.Tanh, "relu": nn.ReLU}


def perceptron(features: int, hidden: Sequence[int], classes: int, activation: str) -> nn.Sequential:
    """Linear layers with an activation between them. Without weights yet."""
    layers: list[nn.Module] = []
    with torch.device("meta"):  # here torch skips its own start, which would draw from the global generator
        for inputs, outputs in pairwise([features, *hidden, classes]):
            layers += [_ACTIVATION[activation]()] if layers else []
            layers.append(nn.Linear(inputs, outputs))
    return nn.Sequential(*layers)


def start(network: nn.Sequential, seed: int) -> nn.Sequential:
    """Glorot & Bengio (2010) weights and zero biases."""
    generator = torch.Generator().manual_seed(seed)
    network.to_empty(device="cpu")
    for layer in network:
        if isinstance(layer, nn.Linear | nn.Conv2d):
            nn.init.xavier_uniform_(layer.weight, generator=generator)
            nn.init.zeros_(layer.bias)  # type: ignore[arg-type]
    return network


def as_classifier(network: nn.Sequential, activation: str, components: np.ndarray | None) -> Classifier:
    """A perceptron as arrays; of components x P, W (x P) = (W P^T) x makes the first layer one of x itself."""
    linear = [layer for layer in network if isinstance(layer, nn.Linear)]
    arrays = {
        f"{i}.{part}": getattr(layer, part).detach().cpu().numpy().copy()
        for i, layer in enumerate(linear)
        for part in ("weight", "bias")
    }
    if components is not None:
        arrays["0.weight"] = arrays["0.weight"] @ components.T
    return Classifier(arrays, activation if len(linear) > 1 else "none")
