"""An encoder as ONNX operators: from raw inputs, pixels as bytes or as floats, to the rows a model reads."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pate.features.encoder import Encoder
from pate.release.onnx_graph import INPUT, Graph

_FLOOR = np.float32(0.01)  # added before the logarithm, as in features.scattering
_LEAST = np.float32(1e-5)  # added to a group's variance, as there


def rows(graph: Graph, encoder: Encoder, shape: Sequence[int], dtype: str) -> str:
    """What `encoder.transform` computes of inputs of this shape and type."""
    x = graph.cast(INPUT, np.float32)
    if dtype == "uint8":
        x = graph("Div", x, np.float32(255))  # pixels in [0, 1]
    raw = graph("Reshape", x, [-1, math.prod(shape)]) if encoder.scattering is None else _seen(graph, encoder, x, shape)
    if encoder.mean is None or encoder.components is None:
        return raw
    # In double precision, as the encoder does.
    centred = graph("Sub", graph.cast(raw, np.double), graph.wide(encoder.mean))
    return graph.cast(graph("MatMul", centred, graph.wide(encoder.components)), np.float32)


def _seen(graph: Graph, encoder: Encoder, x: str, shape: Sequence[int]) -> str:
    """The scattering descriptor of images, and the activations of prototypes by their patches where there are some."""
    from pate.release.onnx_patches import activations
    from pate.release.onnx_wavelets import scattering

    assert encoder.scattering is not None
    height, width, colours = (*shape, 1)[:3]
    planes = graph("Transpose", graph("Reshape", x, [-1, height, width, colours]), perm=[0, 3, 1, 2])
    flip, groups = encoder.scattering["flip"], encoder.scattering["groups"]
    views = [planes, graph("Gather", planes, np.arange(width)[::-1].copy(), axis=3)] if flip else [planes]
    size = (encoder.scattering["scales"], encoder.scattering["angles"])
    found = [scattering(graph, view, (height, width, colours), *size) for view in views]
    if groups is None:
        found = [_logarithm(graph, one) for one in found]
    seen = _mean(graph, found)
    if groups is not None:
        seen = _normalised(graph, seen, groups)
    seen = graph("Flatten", seen)
    if encoder.patches is None:
        return seen
    patches = [activations(graph, view, (height, width, colours), **encoder.patches) for view in views]
    return graph("Concat", seen, _mean(graph, patches), axis=1)


def _mean(graph: Graph, views: list[str]) -> str:
    return graph("Mul", graph("Add", *views), np.float32(0.5)) if len(views) == 2 else views[0]


def _logarithm(graph: Graph, x: str) -> str:
    return graph("Log", graph("Add", graph("Max", x, np.float32(0)), _FLOOR))


def _normalised(graph: Graph, x: str, groups: int) -> str:
    """Each group of channels of each image brought to mean 0 and variance 1."""
    grouped = graph("Reshape", x, [0, groups, -1])
    centred = graph("Sub", grouped, graph("ReduceMean", grouped, [2]))
    variance = graph("ReduceMean", graph("Mul", centred, centred), [2])
    return graph("Div", centred, graph("Sqrt", graph("Add", variance, _LEAST)))
