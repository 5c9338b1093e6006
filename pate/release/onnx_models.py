"""Each kind of model as ONNX operators, from the encoder's rows to class probabilities."""

from __future__ import annotations

import numpy as np

from pate.models.classifier import Classifier
from pate.models.convnet import ConvNet
from pate.models.kernel_machine import KernelMachine
from pate.models.model import Model
from pate.models.neighbours import Neighbours
from pate.models.tanhnet import TanhNet
from pate.release.onnx_graph import Graph


class NotExpressible(Exception):
    """Nobody has written this as ONNX operators yet: the release goes without."""


def probabilities(graph: Graph, model: Model, rows: str) -> str:
    """What `model.proba` computes."""
    match model:
        case Neighbours():
            return _neighbours(graph, model, rows)
        case Classifier():
            scores = _classifier(graph, model, rows)
        case KernelMachine():
            scores = _kernel_machine(graph, model, rows)
        case TanhNet():
            scores = _tanhnet(graph, model, rows)
        case ConvNet() if type(model) is ConvNet:  # others of its kind are other networks
            scores = _convnet(graph, model, rows)
        case _:
            raise NotExpressible(f"a model of kind {type(model).__name__}")
    return graph("Softmax", scores, axis=1)


def _classifier(graph: Graph, model: Classifier, rows: str) -> str:
    for i in range(model.depth):
        if i:
            rows = graph("Tanh" if model.activation == "tanh" else "Relu", rows)
        rows = graph("Gemm", rows, model.layers[f"{i}.weight"], model.layers[f"{i}.bias"], transB=1)
    return rows


def _kernel_machine(graph: Graph, model: KernelMachine, rows: str) -> str:
    """In double precision, because its weights are large and cancel: in single, answers are 1e-4 to 1e-3 off."""
    if model.scale is not None:
        rows = graph("Mul", rows, model.scale)
    rows, gamma = graph.cast(rows, np.double), np.double(model.gamma)
    lengths = np.square(model.centres, dtype=np.double).sum(axis=1)
    across = graph("MatMul", rows, graph("Transpose", graph.wide(model.centres), perm=[1, 0]))
    squared = graph("Sub", graph("Add", graph("ReduceSumSquare", rows, [1]), lengths), graph("Add", across, across))
    kernel = graph("Exp", graph("Mul", graph("Max", squared, np.double(0)), -gamma))
    scores = graph.cast(graph("MatMul", kernel, graph.wide(model.weights)), np.float32)
    return scores if model.bias is None else graph("Add", scores, model.bias)


def _neighbours(graph: Graph, model: Neighbours, rows: str) -> str:
    """Shares already, so without a softmax. The formulas are those of `spreading.nearest` and `attached`."""
    place = graph("MatMul", graph("Sub", rows, model.mean), model.directions)
    lengths = np.einsum("nd,nd->n", model.points, model.points)
    across = graph("Mul", graph("MatMul", place, np.ascontiguousarray(model.points.T)), np.float32(2))
    squared = graph("Add", graph("Sub", lengths, across), graph("ReduceSumSquare", place, [1]))
    count = min(model.count, len(model.points))
    near, index = graph.several(2, "TopK", squared, [count], axis=1, largest=0, sorted=1)
    near = graph("Max", near, np.float32(0))
    own = graph("Sqrt", graph("Max", graph("Slice", near, [count - 1], [count], [1]), np.float32(1e-12)))
    scale = graph("Mul", own, graph("Gather", model.reach, index))
    weight = graph("Softmax", graph("Neg", graph("Div", near, scale)), axis=1)
    mean = graph("MatMul", graph("Unsqueeze", weight, [1]), graph("Gather", model.values, index))
    return graph("Squeeze", mean, [1])


def _convnet(graph: Graph, model: ConvNet, rows: str) -> str:
    maps = _images(graph, model, rows)
    maps = graph("Relu", _convolution(graph, model, 0, maps, strides=[2, 2], pads=[2] * 4))
    maps = graph("Relu", _convolution(graph, model, 2, maps, pads=[1] * 4))
    maps = graph("MaxPool", maps, kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1)
    maps = graph("Relu", _convolution(graph, model, 5, maps, pads=[1] * 4))
    hidden = graph("Relu", _linear(graph, model, 8, graph("Flatten", maps)))
    return _linear(graph, model, 10, hidden)


def _tanhnet(graph: Graph, model: TanhNet, rows: str) -> str:
    maps = _images(graph, model, rows)
    for place, pads in ((0, 2), (3, 0)):
        maps = graph("Tanh", _convolution(graph, model, place, maps, strides=[2, 2], pads=[pads] * 4))
        maps = graph("MaxPool", maps, kernel_shape=[2, 2], strides=[1, 1])
    hidden = graph("Tanh", _linear(graph, model, 7, graph("Flatten", maps)))
    return _linear(graph, model, 9, hidden)


def _images(graph: Graph, model: ConvNet, rows: str) -> str:
    """Flat rows as images, colours first."""
    return graph("Transpose", graph("Reshape", rows, [-1, *model.shape]), perm=[0, 3, 1, 2])


def _convolution(graph: Graph, model: ConvNet, place: int, maps: str, **how: list[int]) -> str:
    return graph("Conv", maps, model.layers[f"{place}.weight"], model.layers[f"{place}.bias"], **how)


def _linear(graph: Graph, model: ConvNet, place: int, rows: str) -> str:
    return graph("Gemm", rows, model.layers[f"{place}.weight"], model.layers[f"{place}.bias"], transB=1)
