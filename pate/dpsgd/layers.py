"""One rule for each type of layer: per-record gradient norms, and the weighted sum of the gradients, from one pass.

A rule is given the layer's input `a` and the gradient `g` of its output, one record a row. Where a record meets the
weights once (a linear layer), its gradient g a^T has the norm |g| |a| and is never formed (Goodfellow 2015). Where it
meets them at many places (a convolution, a sequence), its gradient is a sum of such products over the places.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from pate.dpsgd.summation import pairwise

Summed = Callable[[Tensor], list[Tensor]]
"""The sum over records of weight times gradient, one tensor for each of the layer's parameters, in their order; added
up so that one record moves it by its own part and little more (summation.py)."""

Rule = Callable[..., tuple[Tensor, Summed]]
"""layer, a, g -> squared gradient norms of the records (double precision), and the sum still to be weighted."""

_WITHOUT_PARAMETERS = (
    nn.Sequential, nn.Identity, nn.Flatten, nn.Unflatten, nn.Tanh, nn.Sigmoid, nn.ReLU, nn.LeakyReLU, nn.ELU, nn.GELU,
    nn.SiLU, nn.Softplus, nn.MaxPool2d, nn.AvgPool2d, nn.AdaptiveAvgPool2d,
)  # fmt: skip
"""Layers that treat each record alone and have nothing to learn."""

_ROUNDING = 1e-6  # of a norm from a Gram matrix in double precision, relative to the sum of the products' sizes
_HALF_ULP = 2.0**-24  # of an addition in float32
_PIECE = 128  # numbers whose squares float32 adds up without drifting


def known(layer: nn.Module) -> bool:
    """Whether the layer has a rule, or nothing to learn, and treats each record alone; hooks could do anything."""
    hooks = (layer._forward_hooks, layer._forward_pre_hooks, layer._backward_hooks, layer._backward_pre_hooks)
    if any(hooks) or "forward" in vars(layer) or _moves_records(layer):
        return False
    return rule_of(layer) is not None or type(layer) in _WITHOUT_PARAMETERS


def _moves_records(layer: nn.Module) -> bool:
    """Whether rows may come out that are not one record each; a dimension counted from the end may be the first."""
    first = layer.start_dim if isinstance(layer, nn.Flatten) else getattr(layer, "dim", 1)
    return not (isinstance(first, int) and first > 0)


def rule_of(layer: nn.Module) -> Rule | None:
    """The rule for this layer, None if it has none."""
    if type(layer) is nn.Conv2d and (
        layer.groups > 1 or layer.padding_mode != "zeros" or isinstance(layer.padding, str)
    ):
        return None
    return _RULES.get(type(layer))


def linear(layer: nn.Linear, a: Tensor, g: Tensor, inputs: Tensor | None = None) -> tuple[Tensor, Summed]:
    """y = W a + b; `inputs` are the squared norms of a, where they are known."""
    if a.ndim > 2:
        return _places(a.flatten(1, -2), g.flatten(1, -2), layer.bias is not None, layer.weight.shape)
    inputs = squared_norms(a) if inputs is None else inputs
    squared = squared_norms(g) * (inputs if layer.bias is None else inputs + 1)

    def summed(weights: Tensor) -> list[Tensor]:
        def block(rows: slice) -> list[Tensor]:
            scaled = g[rows] * weights[rows, None]
            product = scaled.T @ a[rows]
            return [product] if layer.bias is None else [product, scaled.sum(0)]

        return pairwise(len(a), block)

    return squared, summed


def conv2d(layer: nn.Conv2d, a: Tensor, g: Tensor) -> tuple[Tensor, Summed]:
    """A linear layer at every place, on the patch of the image that lies there (im2col)."""
    patches = _patches(layer, a, g.shape[2:])
    outputs, inputs, height, width = layer.weight.shape
    at_places = g.permute(0, 2, 3, 1).flatten(1, 2)  # free of copies under channels_last
    squared, of_rows = _places(patches, at_places, layer.bias is not None, torch.Size((outputs, patches.shape[2])))

    def summed(weights: Tensor) -> list[Tensor]:
        weight, *bias = of_rows(weights)
        return [weight.view(outputs, height, width, inputs).permute(0, 3, 1, 2), *bias]

    return squared, summed


def _patches(layer: nn.Conv2d, a: Tensor, places: torch.Size) -> Tensor:
    """Records x places x (height, width, channels) of the kernel; channels last, so that their copies are long."""
    down, right = (int(side) for side in layer.padding)
    padded = F.pad(a, (right, right, down, down)) if down or right else a
    kernel, stride, dilation = layer.kernel_size, layer.stride, layer.dilation
    record, channel, row, column = padded.stride()
    return padded.as_strided(
        (len(a), *places, *kernel, a.shape[1]),
        (record, row * stride[0], column * stride[1], row * dilation[0], column * dilation[1], channel),
        padded.storage_offset(),
    ).reshape(len(a), places.numel(), -1)


def _places(a: Tensor, g: Tensor, bias: bool, shape: torch.Size) -> tuple[Tensor, Summed]:
    """y_l = W a_l + b at places l: the gradient is the sum over l of g_l a_l^T (records x places x width)."""
    places, inputs, outputs = a.shape[1], a.shape[2], g.shape[2]
    if places**2 * (inputs + outputs) < 4 * inputs * outputs:
        return _gram(a, g, bias, shape)
    products = torch.bmm(g.transpose(1, 2), a).view(len(a), *shape)
    return formed([products, g.sum(1)] if bias else [products])


def _gram(a: Tensor, g: Tensor, bias: bool, shape: torch.Size) -> tuple[Tensor, Summed]:
    """Few places and wide layers: |sum_l g_l a_l^T|^2 = sum_lm (g_l . g_m)(a_l . a_m) (ghost clipping, Li et al. 2021).

    The terms may cancel: in float32 a norm could come out far too small, so products are taken in double precision.
    So is their sum, because places that cancel round by more than they leave; how much they may is bounded by what is
    added to the norm, u for every place.
    """
    wide, deep = a.double(), g.double()
    inner = torch.bmm(wide, wide.transpose(1, 2)) + float(bias)
    norm = (inner * torch.bmm(deep, deep.transpose(1, 2))).sum((1, 2)).clamp(min=0).sqrt()
    inputs, outputs = _in_range(wide.square().sum(2), a.dtype), deep.square().sum(2)
    sizes = ((inputs + float(bias)) * outputs).sqrt().sum(1)

    def summed(weights: Tensor) -> list[Tensor]:
        def block(rows: slice) -> list[Tensor]:
            scaled = (g[rows].double() * weights[rows, None, None]).flatten(0, 1)
            weight = (scaled.T @ a[rows].double().flatten(0, 1)).view(shape)
            return [weight, scaled.sum(0)] if bias else [weight]

        return pairwise(len(a), block)

    return (norm + (_ROUNDING + _HALF_ULP * (a.shape[1] + 2)) * sizes).square(), summed


def group_norm(layer: nn.GroupNorm, a: Tensor, g: Tensor) -> tuple[Tensor, Summed]:
    """y = w x + b for each channel, x the input normalised within the record."""
    x = F.group_norm(a, layer.num_groups, eps=layer.eps)
    return formed([part[..., None].flatten(2).sum(2) for part in (g * x, g)])


def layer_norm(layer: nn.LayerNorm, a: Tensor, g: Tensor) -> tuple[Tensor, Summed]:
    """y = w x + b for each feature, x the input normalised within the record, or at each place of it."""
    x = F.layer_norm(a, layer.normalized_shape, eps=layer.eps)
    parts = [(g * x), g] if layer.bias is not None else [g * x]
    places = range(1, a.ndim - len(layer.normalized_shape))
    return formed([part.sum(tuple(places)) if places else part for part in parts])


def formed(gradients: list[Tensor]) -> tuple[Tensor, Summed]:
    """Gradients small enough to have one for each record."""
    squared = torch.stack([squared_norms(part[..., None].flatten(1)) for part in gradients]).sum(0)

    def summed(weights: Tensor) -> list[Tensor]:
        return pairwise(
            len(weights), lambda rows: [torch.tensordot(weights[rows], part[rows], 1) for part in gradients]
        )

    return squared, summed


def embedding(layer: nn.Embedding, a: Tensor, g: Tensor) -> tuple[Tensor, Summed]:
    """Row i of the table receives the sum of g over the places where the record has i; in double precision, because how
    many records meet in a row is theirs to say."""
    index, records = a.flatten(1), torch.arange(len(a), device=a.device)
    g = g.flatten(1, -2).double()
    if layer.padding_idx is not None:
        g = g * (index != layer.padding_idx)[:, :, None]
    key = records[:, None] * layer.num_embeddings + index
    pairs, place = torch.unique(key, return_inverse=True)  # of a record and a row
    record, row = pairs // layer.num_embeddings, pairs % layer.num_embeddings
    received = g.new_zeros(len(pairs), g.shape[2]).index_add_(0, place.flatten(), g.flatten(0, 1))
    squared = g.new_zeros(len(a), dtype=torch.float64).index_add_(0, record, squared_norms(received))

    def summed(weights: Tensor) -> list[Tensor]:
        table = torch.zeros_like(layer.weight, dtype=torch.float64)
        return [table.index_add_(0, row, received * weights[record, None])]

    return squared, summed


def squared_norms(rows: Tensor) -> Tensor:
    """Of each row, never too small by more than a few parts in a million: in float32 the sum of a wide row would drift
    further than the margin, so only short pieces are summed there; and small squares vanish there, so what they could
    be is added.
    """
    pieces, width = rows.shape[1] // _PIECE, rows.shape[1]
    whole, rest = torch.split(rows, [pieces * _PIECE, width - pieces * _PIECE], dim=1)
    norms = torch.linalg.vector_norm(whole.reshape(len(rows), pieces, _PIECE), dim=2) if pieces else whole
    squared = norms.double().square().sum(1) + rest.double().square().sum(1)
    return _in_range(squared + width * torch.finfo(rows.dtype).tiny, rows.dtype)


def _in_range(squared: Tensor, dtype: torch.dtype) -> Tensor:
    """Infinite where it is so in `dtype`: what is scaled down from there would lose its digits, and is left out."""
    return squared.masked_fill(squared > torch.finfo(dtype).max, float("inf"))


_RULES: dict[type[nn.Module], Rule] = {
    nn.Linear: linear,
    nn.Conv2d: conv2d,
    nn.GroupNorm: group_norm,
    nn.LayerNorm: layer_norm,
    nn.Embedding: embedding,
}
