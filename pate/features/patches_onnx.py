"""Activations of prototypes by an image's patches as ONNX operators: those of `features.patches`."""

from __future__ import annotations

import numpy as np

from pate.features.patches import GRID, SOFT
from pate.models.onnx import OnnxGraph


def activations(
    graph: OnnxGraph,
    planes: str,
    shape: tuple[int, int, int],
    mean: np.ndarray,
    whitening: np.ndarray,
    prototypes: np.ndarray,
) -> str:
    """Square roots of the average activations (n x 16 prototypes) of planes (n x colours x H x W) in [0, 1]."""
    height, width, colours = shape
    count, size = len(prototypes), prototypes.shape[-1]
    down, across = height - size + 1, width - size + 1
    pixels = colours * size * size
    cut = np.eye(pixels, dtype=np.float32).reshape(pixels, colours, size, size)  # a convolution that copies
    patches = graph("Transpose", graph("Conv", planes, cut), perm=[0, 2, 3, 1])
    patches = graph("Sub", patches, graph("ReduceMean", patches, [3]))
    variance = graph("ReduceMean", graph("Mul", patches, patches), [3])
    patches = graph("Div", patches, graph("Sqrt", graph("Add", variance, np.float32(SOFT))))
    q = graph("MatMul", graph("Sub", patches, mean), whitening)
    c = prototypes.reshape(count, -1)
    near = graph("Add", graph("MatMul", q, -2 * np.ascontiguousarray(c.T)), np.einsum("kd,kd->k", c, c))
    distances = graph("Sqrt", graph("Max", graph("Add", near, graph("ReduceSumSquare", q, [3])), np.float32(0)))
    triangle = graph("Max", graph("Sub", graph("ReduceMean", distances, [3]), distances), np.float32(0))
    rows = graph("MatMul", _places(down), graph("Reshape", triangle, [0, down, across * count]))
    pooled = graph("MatMul", _places(across), graph("Reshape", rows, [0, GRID, across, count]))
    return graph("Flatten", graph("Sqrt", pooled))


def _places(side: int) -> np.ndarray:
    """The averages over GRID places of so many, as a matrix; place i reaches from floor(i n/g) to ceil((i+1) n/g)."""
    found = np.zeros((GRID, side), np.float32)
    for i in range(GRID):
        first, last = i * side // GRID, -(-(i + 1) * side // GRID)
        found[i, first:last] = 1 / (last - first)
    return found
