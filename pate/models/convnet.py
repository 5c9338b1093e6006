"""A small convolutional network as a model: it reads images as flat rows, and torch runs it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pate.learning.device import one_thread
from pate.models.model import Floats, Model

if TYPE_CHECKING:
    import torch  # elsewhere inside functions, because it takes seconds to import
    from torch import nn

    from pate.models.onnx import OnnxGraph

_MOVES = ((-1, 0), (1, 0), (0, -1), (0, 1))  # pixels down and right


@dataclass(frozen=True)
class ConvNet(Model):
    """The network of `build` with its weights by torch's names; `moved` if it offers the mean over moved copies."""

    kind: ClassVar[str] = "ConvNet"

    layers: dict[str, Floats]
    shape: list[int]  # height, width, colours
    moved: bool = False
    places: ClassVar[tuple[int, ...]] = (0, 2, 5, 8, 10)  # of layers with weights

    def __post_init__(self) -> None:
        wanted = {f"{place}.{part}" for place in self.places for part in ("weight", "bias")}
        named = set(self.layers) == wanted and all(array.ndim and array.size for array in self.layers.values())
        if not named or len(self.shape) != 3 or min(self.shape) < 1:
            raise ValueError("these layers and this shape of an image are not a network of this kind")
        self._network()  # and its weights fit each other

    @property
    def features(self) -> int:
        return math.prod(self.shape)

    @property
    def classes(self) -> int:
        return len(self.layers[f"{self.places[-1]}.bias"])

    def _forward(self, x: Floats) -> Floats:
        with one_thread():
            return run(self._network(), images(x, self.shape))

    def views(self, x: Floats) -> Floats | None:
        if not self.moved:
            return None
        height, width, colours = self.shape
        framed = np.pad(x.reshape(len(x), height, width, colours), ((0, 0), (1, 1), (1, 1), (0, 0)))
        found = np.zeros((len(x), self.classes), np.float32)
        for down, right in _MOVES:
            copy = framed[:, 1 - down : 1 - down + height, 1 - right : 1 - right + width]
            found += self.proba(np.ascontiguousarray(copy).reshape(len(x), -1)) / len(_MOVES)
        return found

    @property
    def viewed(self) -> str:
        return "copies of each image moved by a pixel" if self.moved else ""

    def to_onnx(self, graph: OnnxGraph, rows: str) -> str:
        maps = self._planes(graph, rows)
        maps = graph("Relu", self._convolved(graph, 0, maps, strides=[2, 2], pads=[2] * 4))
        maps = graph("Relu", self._convolved(graph, 2, maps, pads=[1] * 4))
        maps = graph("MaxPool", maps, kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1)
        maps = graph("Relu", self._convolved(graph, 5, maps, pads=[1] * 4))
        hidden = graph("Relu", self._combined(graph, 8, graph("Flatten", maps)))
        return graph("Softmax", self._combined(graph, 10, hidden), axis=1)

    def _planes(self, graph: OnnxGraph, rows: str) -> str:
        """Flat rows as images, colours first."""
        return graph("Transpose", graph("Reshape", rows, [-1, *self.shape]), perm=[0, 3, 1, 2])

    def _convolved(self, graph: OnnxGraph, place: int, maps: str, **how: list[int]) -> str:
        return graph("Conv", maps, self.layers[f"{place}.weight"], self.layers[f"{place}.bias"], **how)

    def _combined(self, graph: OnnxGraph, place: int, rows: str) -> str:
        return graph("Gemm", rows, self.layers[f"{place}.weight"], self.layers[f"{place}.bias"], transB=1)

    def _network(self) -> nn.Sequential:
        import torch

        try:
            network = self._empty()
            state = {name: torch.from_numpy(array) for name, array in self.layers.items()}
            network.load_state_dict(state, assign=True)
        except RuntimeError as error:
            raise ValueError(f"weights do not fit a network for inputs of shape {self.shape}") from error
        return network

    def _empty(self) -> nn.Sequential:
        channels, hidden = len(self.layers["0.bias"]), len(self.layers["8.bias"])
        return build(self.shape, channels, hidden, self.classes)


def build(shape: Sequence[int], channels: int, hidden: int, classes: int) -> nn.Sequential:
    """Three convolutions that bring an image to a quarter of its size, and two linear layers. Without weights yet."""
    import torch
    from torch import nn

    height, width, colours = shape
    with torch.device("meta"):  # here torch skips its own start, which would draw from the global generator
        return nn.Sequential(
            nn.Conv2d(colours, channels, 5, stride=2, padding=2),
            nn.ReLU(),
            nn.Conv2d(channels, 2 * channels, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2, ceil_mode=True),
            nn.Conv2d(2 * channels, 2 * channels, 3, padding=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(2 * channels * math.ceil(height / 4) * math.ceil(width / 4), hidden),
            nn.ReLU(),
            nn.Linear(hidden, classes),
        )


def start(network: nn.Sequential, generator: torch.Generator) -> nn.Sequential:
    """He et al. (2015) weights and zero biases, drawn from the generator and from nothing else."""
    import torch
    from torch import nn

    network.to_empty(device="cpu")
    for layer in network:
        if isinstance(layer, nn.Conv2d | nn.Linear):
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu", generator=generator)
            nn.init.zeros_(layer.bias)  # type: ignore[arg-type]
    return network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]


def images(x: Floats, shape: Sequence[int]) -> torch.Tensor:
    """Flat rows as images, colours first, in the layout that is fast on a CPU."""
    import torch

    return torch.from_numpy(np.ascontiguousarray(x)).reshape(len(x), *shape).permute(0, 3, 1, 2)


def run(network: nn.Module, x: torch.Tensor) -> Floats:
    """What the network makes of all these images, in pieces that fit in memory."""
    import torch

    with torch.inference_mode():
        return np.concatenate([network(part).numpy() for part in torch.split(x, 1000)])
