"""The descriptor of an image as ONNX operators: that of `features.scattering`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pate.features.patches_onnx import activations
from pate.features.scattering import FLOOR, LEAST
from pate.features.wavelets_onnx import scattering
from pate.models.onnx import OnnxGraph


def described(
    graph: OnnxGraph,
    x: str,
    shape: Sequence[int],
    arguments: Mapping[str, Any],
    prototypes: Mapping[str, np.ndarray] | None,
) -> str:
    """The scattering descriptor of images, and the activations of prototypes by their patches where there are some."""
    height, width, colours = (*shape, 1)[:3]
    planes = graph("Transpose", graph("Reshape", x, [-1, height, width, colours]), perm=[0, 3, 1, 2])
    flip, groups = arguments["flip"], arguments["groups"]
    views = [planes, graph("Gather", planes, np.arange(width)[::-1].copy(), axis=3)] if flip else [planes]
    size = (arguments["scales"], arguments["angles"])
    found = [scattering(graph, view, (height, width, colours), *size) for view in views]
    if groups is None:
        found = [_logarithm(graph, one) for one in found]
    seen = _mean(graph, found)
    if groups is not None:
        seen = _normalised(graph, seen, groups)
    seen = graph("Flatten", seen)
    if prototypes is None:
        return seen
    patches = [activations(graph, view, (height, width, colours), **prototypes) for view in views]
    return graph("Concat", seen, _mean(graph, patches), axis=1)


def _mean(graph: OnnxGraph, views: list[str]) -> str:
    return graph("Mul", graph("Add", *views), np.float32(0.5)) if len(views) == 2 else views[0]


def _logarithm(graph: OnnxGraph, x: str) -> str:
    return graph("Log", graph("Add", graph("Max", x, np.float32(0)), np.float32(FLOOR)))


def _normalised(graph: OnnxGraph, x: str, groups: int) -> str:
    """Each group of channels of each image brought to mean 0 and variance 1."""
    grouped = graph("Reshape", x, [0, groups, -1])
    centred = graph("Sub", grouped, graph("ReduceMean", grouped, [2]))
    variance = graph("ReduceMean", graph("Mul", centred, centred), [2])
    return graph("Div", centred, graph("Sqrt", graph("Add", variance, np.float32(LEAST))))
