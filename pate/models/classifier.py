"""A feed-forward network as a model: logistic regression and the networks of DP-SGD."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pate.models.model import Floats, Model

if TYPE_CHECKING:
    from pate.models.onnx import OnnxGraph

ACTIVATIONS = ("tanh", "relu")


@dataclass(frozen=True)
class Classifier(Model):
    """Layers `0.weight` (outputs, inputs), `0.bias`, `1.weight`, ...; numpy alone is enough to run it.

    `activation` stands between the layers; a single layer is a linear classifier and has "none".
    """

    kind: ClassVar[str] = "Classifier"

    layers: dict[str, Floats]
    activation: str

    def __post_init__(self) -> None:
        depth = self.depth
        expected = {f"{i}.{part}" for i in range(depth) for part in ("weight", "bias")}
        if depth == 0 or set(self.layers) != expected:
            raise ValueError(f"layers must be 0.weight, 0.bias, 1.weight, ...; got {sorted(self.layers)}")
        allowed = ("none",) if depth == 1 else ACTIVATIONS
        if self.activation not in allowed:
            raise ValueError(f"activation={self.activation!r} with {depth} layer(s): expected {' or '.join(allowed)}")
        width = None
        for i in range(depth):
            weight, bias = self.layers[f"{i}.weight"], self.layers[f"{i}.bias"]
            if weight.dtype != np.float32 or bias.dtype != np.float32:
                raise ValueError(f"layer {i} holds {weight.dtype} and {bias.dtype}: expected float32")
            if weight.ndim != 2 or bias.shape != weight.shape[:1] or width not in (None, weight.shape[1]):
                raise ValueError(f"layer {i}: weight {weight.shape} and bias {bias.shape} do not fit {width} inputs")
            width = weight.shape[0]

    @property
    def depth(self) -> int:
        """How many linear layers there are."""
        return len(self.layers) // 2

    @property
    def features(self) -> int:
        return int(self.layers["0.weight"].shape[1])

    @property
    def classes(self) -> int:
        return int(self.layers[f"{self.depth - 1}.weight"].shape[0])

    def _forward(self, h: Floats) -> Floats:
        for i in range(self.depth):
            if i:
                h = np.tanh(h) if self.activation == "tanh" else np.maximum(h, 0)
            h = h @ self.layers[f"{i}.weight"].T + self.layers[f"{i}.bias"]
        return h

    def to_onnx(self, graph: OnnxGraph, rows: str) -> str:
        for i in range(self.depth):
            if i:
                rows = graph("Tanh" if self.activation == "tanh" else "Relu", rows)
            rows = graph("Gemm", rows, self.layers[f"{i}.weight"], self.layers[f"{i}.bias"], transB=1)
        return graph("Softmax", rows, axis=1)
