"""Clipped gradient sums from one backward pass a lot (ghost clipping, Goodfellow 2015, Li et al. 2021).

Gradients are asked for at the layers' outputs only, so that no gradient of a weight is computed by autograd; what
layers.py makes of them are each record's norm and, with the clip factors as weights, the sum. A model with a layer
that has no rule is clipped through one gradient a record instead (torch.func).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.func import functional_call, grad, vmap
from torch.nn.functional import cross_entropy

from pate.dpsgd.layers import Rule, Summed, formed, known, linear, rule_of
from pate.dpsgd.summation import MOST_AT_ONCE
from pate.errors import ConfigError

MARGIN = 1e-5  # clip a little below the bound, so that float32 rounding cannot carry a record above it
_AT_ONCE = 2**25  # numbers in the gradients held at once where there is one a record


class Clipped(NamedTuple):
    """The sum over records of their clipped gradients, one tensor a parameter, and the sum of their losses."""

    gradient: list[Tensor]
    loss: float


def refuse_unsupported(model: nn.Module, record: Tensor) -> None:
    """What cannot be clipped record by record is refused by name, before any private record is read.

    `record` stands for the private ones: the model must answer it.
    """
    names: dict[int, str] = {}
    for name, layer in model.named_modules(remove_duplicate=False):
        if id(layer) in names:
            raise ConfigError(f"layers {names[id(layer)]!r} and {name!r} are one layer used twice: DP-SGD refuses that")
        names[id(layer)] = name
        _refuse(name, layer)
    owners: dict[int, str] = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        if id(parameter) in owners:
            raise ConfigError(f"{owners[id(parameter)]} and {name} are one parameter: DP-SGD refuses shared layers")
        owners[id(parameter)] = name
        if not parameter.requires_grad:
            raise ConfigError(f"{name} is frozen: DP-SGD trains every parameter, so leave it out of the model")
        if parameter.dtype not in (torch.float32, torch.float64):
            raise ConfigError(f"{name} is {parameter.dtype}, which rounds by more than the clip norm's margin")
    try:
        clipped_sum(model, record[None], torch.zeros(1, dtype=torch.int64, device=record.device), 1.0)
    except (RuntimeError, ValueError, TypeError, IndexError) as error:
        reason = str(error).strip().splitlines()[0]
        raise ConfigError(f"the model cannot be trained on records of shape {tuple(record.shape)}: {reason}") from error


def _refuse(name: str, layer: nn.Module) -> None:
    kind = type(layer).__name__
    if isinstance(layer, nn.modules.batchnorm._BatchNorm) or getattr(layer, "track_running_stats", False):
        raise ConfigError(
            f"layer {name!r} is a {kind}, which mixes records: no record's gradient can be clipped; use GroupNorm"
        )
    if isinstance(layer, nn.Embedding | nn.EmbeddingBag) and (layer.max_norm is not None or layer.scale_grad_by_freq):
        raise ConfigError(f"layer {name!r}: max_norm and scale_grad_by_freq let records touch the table without noise")
    if getattr(layer, "inplace", False):
        raise ConfigError(f"layer {name!r} works in place and overwrites what clipping needs: set inplace=False")


def clipped_sum(
    model: nn.Module,
    x: Tensor,
    y: Tensor,
    clip: float,
    micro_batch: int = 2048,
    squared: Tensor | None = None,
    weight: Tensor | None = None,
) -> Clipped:
    """The sum over records of the cross-entropy gradient clipped to norm `clip`.

    `squared` are the records' own squared norms (layers.squared_norms), where they are known: records do not change,
    and a first layer that is linear need not read them once more. `weight`, from 0 to 1, is what each clipped gradient
    is multiplied by: it stays within the clip, whereas a weight of the loss would be lost to clipping.

    `micro_batch` bounds memory and changes nothing else. A record whose gradient is not finite contributes nothing: its
    row is empty, and the others are what they were, bit for bit. By how much one record can move the sum, though it
    rounds, is proven in summation.py; sums over several micro-batches are in double precision.
    """
    parameters = list(model.parameters())
    pass_of = _by_layer if _has_rules(model) else _by_record
    step = at_once(model, micro_batch)
    total: list[Tensor] = []
    loss = 0.0
    for start in range(0, len(x), step):
        rows = slice(start, start + step)
        losses, norms_of = pass_of(model, x[rows], y[rows], None if squared is None else squared[rows])
        norms = norms_of(None)
        broken = ~torch.isfinite(_total(norms, losses.dtype))
        if broken.all():
            continue
        if broken.any():  # to weigh them with 0 would not do, because 0 * NaN is NaN
            losses, norms = _emptied(losses, broken), norms_of(broken)
        weights = (clip * (1 - MARGIN) / _total(norms, losses.dtype).sqrt()).clamp(max=1.0)
        weights = weights if weight is None else weights * weight[rows].to(weights.dtype)
        found = {id(p): g for own, _, summed in norms for p, g in zip(own, summed(weights), strict=True)}
        sums = [found[id(p)] for p in parameters]
        total = [t.double() + g for t, g in zip(total, sums, strict=True)] if total else sums
        loss += float(losses.sum())
    return Clipped(total or [torch.zeros_like(p) for p in parameters], loss)


def at_once(model: nn.Module, micro_batch: int) -> int:
    """How many records go through the model together."""
    if _has_rules(model):
        return min(micro_batch, MOST_AT_ONCE)
    return min(micro_batch, MOST_AT_ONCE, max(1, _AT_ONCE // sum(p.numel() for p in model.parameters())))


def _has_rules(model: nn.Module) -> bool:
    return all(known(layer) for layer in model.modules())


def _emptied(rows: Tensor, broken: Tensor | None) -> Tensor:
    """With zeros where a record is broken; in its place, so that no other moves."""
    return rows if broken is None else rows.masked_fill(broken.view(-1, *[1] * (rows.ndim - 1)), 0)


def _total(norms: list[_Norms], dtype: torch.dtype) -> Tensor:
    """Not finite in float32 where a clip factor would be too small for it to have all its digits."""
    return torch.stack([squared for _, squared, _ in norms]).sum(0).to(dtype)


_Norms = tuple[list[nn.Parameter], Tensor, Summed]
"""Some parameters, each record's squared gradient norm over them, and the sum of their gradients to be weighted."""

_Pass = tuple[Tensor, Callable[[Tensor | None], list[_Norms]]]
"""The losses, and what one pass over the records says of all but the broken ones: a second could say something else."""


def _by_layer(model: nn.Module, x: Tensor, y: Tensor, squared: Tensor | None) -> _Pass:
    """From the gradients of the layers' outputs: autograd is asked for nothing else, and so computes nothing else."""
    with _recorded(model) as seen:
        losses = cross_entropy(model(x), y, reduction="none")
    gradients = torch.autograd.grad(losses.sum(), [output for _, _, _, output in seen])

    def norms(broken: Tensor | None) -> list[_Norms]:
        found = []
        for (layer, rule, a, _), g in zip(seen, gradients, strict=True):
            given = {"inputs": _emptied(squared, broken)} if squared is not None and rule is linear and a is x else {}
            parts = rule(layer, _emptied(a.detach(), broken), _emptied(g, broken), **given)
            found.append((list(layer.parameters()), *parts))
        return found

    return losses.detach(), norms


@contextmanager
def _recorded(model: nn.Module) -> Iterator[list[tuple[nn.Module, Rule, Tensor, Tensor]]]:
    """Each layer that has parameters, with its rule, its input and its output."""
    seen: list[tuple[nn.Module, Rule, Tensor, Tensor]] = []

    def hook(rule: Rule) -> Callable[[nn.Module, tuple[Tensor, ...], Tensor], None]:
        return lambda layer, inputs, output: seen.append((layer, rule, inputs[0], output))

    hooks = [
        layer.register_forward_hook(hook(rule))
        for layer in model.modules()
        if (rule := rule_of(layer)) and any(True for _ in layer.parameters())
    ]
    try:
        yield seen
    finally:
        for one in hooks:
            one.remove()


def _by_record(model: nn.Module, x: Tensor, y: Tensor, squared: Tensor | None) -> _Pass:
    """From one gradient a record, each computed as if there were no other: slow, and right for any model.

    Buffers are handed over like parameters, so that what a layer writes to them is gone with the pass.
    """
    named, buffers = dict(model.named_parameters()), dict(model.named_buffers())

    def loss(parameters: dict[str, Tensor], record: Tensor, label: Tensor) -> tuple[Tensor, Tensor]:
        found = cross_entropy(functional_call(model, {**parameters, **buffers}, (record[None],)), label[None])
        return found, found

    each = vmap(grad(loss, has_aux=True), in_dims=(None, 0, 0), randomness="different")
    gradients, losses = each({name: p.detach() for name, p in named.items()}, x, y)
    return losses, lambda broken: [(list(named.values()), *formed([_emptied(gradients[n], broken) for n in named]))]
