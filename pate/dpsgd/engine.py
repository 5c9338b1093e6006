"""Clipped gradient sums in closed form: one backward pass a lot, no per-example gradient is ever formed.

For a linear layer with input a and output gradient g, one record's weight gradient is the outer product g a^T,
whose norm is |g| |a| (Goodfellow 2015). So norms need only the gradients of the layer outputs, and the sum of
clipped gradients is one matrix product of the rescaled output gradients (ghost clipping, Li et al. 2021).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from pate.errors import ConfigError

MARGIN = 1e-5  # clip a little below the bound, so that float32 rounding cannot carry a record above it


class Rule(Protocol):
    """What a layer type must answer, given its input `a` and the gradient `g` of its output, one record a row."""

    def squared_norms(self, layer: Any, a: Tensor, g: Tensor) -> Tensor:
        """The squared gradient norm of each record over this layer's parameters."""

    def weighted_sum(self, layer: Any, a: Tensor, g: Tensor, weights: Tensor) -> list[Tensor]:
        """Sum over records of weight times gradient, one tensor for each of `layer.parameters()`, in their order."""


class LinearRule:
    """y = W a + b: the gradients are g a^T and g."""

    def squared_norms(self, layer: nn.Linear, a: Tensor, g: Tensor) -> Tensor:
        if a.ndim != 2:
            raise ConfigError(f"a Linear layer reads {tuple(a.shape)}: DP-SGD clips it for one vector a record only")
        inputs = a.square().sum(1)
        return g.square().sum(1) * (inputs if layer.bias is None else inputs + 1)

    def weighted_sum(self, layer: nn.Linear, a: Tensor, g: Tensor, weights: Tensor) -> list[Tensor]:
        scaled = g * weights[:, None]
        return [scaled.T @ a] if layer.bias is None else [scaled.T @ a, scaled.sum(0)]


RULES: Mapping[type[nn.Module], Rule] = {nn.Linear: LinearRule()}
WITHOUT_PARAMETERS = (nn.Sequential, nn.Tanh, nn.ReLU, nn.Flatten)


def refuse_unsupported(model: nn.Module) -> None:
    """Every layer needs a rule; one that mixes records (batch norm) can have none, whatever its parameters."""
    for name, layer in model.named_modules():
        if type(layer) not in RULES and type(layer) not in WITHOUT_PARAMETERS:
            known = ", ".join(kind.__name__ for kind in (*RULES, *WITHOUT_PARAMETERS))
            raise ConfigError(
                f"layer {name!r} is a {type(layer).__name__}: DP-SGD has no clipping rule for it; use {known}"
            )
        if getattr(layer, "inplace", False):
            raise ConfigError(f"layer {name!r} works in place and overwrites what clipping needs: set inplace=False")
    if len(list(model.named_parameters(remove_duplicate=False))) != len(list(model.parameters())):
        raise ConfigError("two layers share a parameter: DP-SGD clips each layer on its own, so untie them")


def clipped_sum(model: nn.Module, x: Tensor, y: Tensor, clip: float, micro_batch: int = 4096) -> list[Tensor]:
    """The sum over records of the cross-entropy gradient clipped to norm `clip`, one tensor a parameter.

    `micro_batch` bounds memory and changes nothing else.
    """
    total = {id(p): torch.zeros_like(p) for p in model.parameters()}
    for start in range(0, len(x), micro_batch):
        seen = _outputs_and_gradients(model, x[start : start + micro_batch], y[start : start + micro_batch])
        squared = torch.stack([RULES[type(layer)].squared_norms(layer, a, g) for layer, a, g in seen]).sum(0)
        # A record whose norm is not finite contributes nothing; zero its rows too, because 0 * NaN is NaN.
        finite = torch.isfinite(squared)
        weights = torch.where(finite, (clip * (1 - MARGIN) / squared.sqrt()).clamp(max=1.0), 0.0)
        for layer, a, g in seen:
            parts = RULES[type(layer)].weighted_sum(layer, _kept(a, finite), _kept(g, finite), weights)
            for parameter, part in zip(layer.parameters(), parts, strict=True):
                total[id(parameter)] += part
    return list(total.values())


def _kept(rows: Tensor, keep: Tensor) -> Tensor:
    return torch.where(keep.view(-1, *[1] * (rows.ndim - 1)), rows, 0.0)


def _outputs_and_gradients(model: nn.Module, x: Tensor, y: Tensor) -> list[tuple[nn.Module, Tensor, Tensor]]:
    """Each layer that has a rule, with its input and the gradient of the summed loss at its output."""
    with _recorded(model) as records:
        loss = cross_entropy(model(x), y, reduction="sum")
    gradients = torch.autograd.grad(loss, [output for _, _, output in records])
    return [(layer, a, g) for (layer, a, _), g in zip(records, gradients, strict=True)]


@contextmanager
def _recorded(model: nn.Module) -> Iterator[list[tuple[nn.Module, Tensor, Tensor]]]:
    records: list[tuple[nn.Module, Tensor, Tensor]] = []

    def record(layer: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        if any(layer is seen for seen, _, _ in records):
            raise ConfigError(
                f"a {type(layer).__name__} runs twice for one record: DP-SGD has no clipping rule for that"
            )
        records.append((layer, inputs[0].detach(), output))

    hooks = [layer.register_forward_hook(record) for layer in model.modules() if type(layer) in RULES]
    try:
        yield records
    finally:
        for hook in hooks:
            hook.remove()
