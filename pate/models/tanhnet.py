"""The convolutional network of DP-SGD's literature as a model: it reads images as flat rows, and torch runs it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pate.models.convnet import ConvNet

if TYPE_CHECKING:
    from torch import nn  # elsewhere inside functions, because it takes seconds to import

    from pate.models.onnx import OnnxGraph


@dataclass(frozen=True)
class TanhNet(ConvNet):
    """The network of `build` with its weights by torch's names."""

    kind: ClassVar[str] = "TanhNet"
    places: ClassVar[tuple[int, ...]] = (0, 3, 7, 9)

    def _empty(self) -> nn.Sequential:
        return build(self.shape, self.classes)

    def to_onnx(self, graph: OnnxGraph, rows: str) -> str:
        maps = self._planes(graph, rows)
        for place, pads in ((0, 2), (3, 0)):
            maps = graph("Tanh", self._convolved(graph, place, maps, strides=[2, 2], pads=[pads] * 4))
            maps = graph("MaxPool", maps, kernel_shape=[2, 2], strides=[1, 1])
        hidden = graph("Tanh", self._combined(graph, 7, graph("Flatten", maps)))
        return graph("Softmax", self._combined(graph, 9, hidden), axis=1)


def build(shape: Sequence[int], classes: int) -> nn.Sequential:
    """MNIST_CNN of Tramer & Boneh 2021 (their code): convolutions of 16 and 32 maps, each followed by tanh and
    overlapping maxima.

    Without weights yet.
    """
    import torch
    from torch import nn

    height, width, colours = shape
    rows, columns = (_side(side) for side in (height, width))
    with torch.device("meta"):  # here torch skips its own start, which would draw from the global generator
        network = nn.Sequential(
            nn.Conv2d(colours, 16, 8, stride=2, padding=2),
            nn.Tanh(),
            nn.MaxPool2d(2, stride=1),
            nn.Conv2d(16, 32, 4, stride=2),
            nn.Tanh(),
            nn.MaxPool2d(2, stride=1),
            nn.Flatten(),
            nn.Linear(32 * rows * columns, 32),
            nn.Tanh(),
            nn.Linear(32, classes),
        )
    return network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]


def _side(pixels: int) -> int:
    """Left of so many after two convolutions, each halving what it sees and each followed by a maximum of two."""
    first = (pixels + 2 * 2 - 8) // 2
    return (first - 4) // 2
