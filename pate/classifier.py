"""A trained feed-forward network as plain arrays: what the student, DP-SGD and the non-private bound hand over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pate.artifact import Artifact

ACTIVATIONS = ("tanh", "relu")
_BATCH = 8192  # rows scored at once, so that memory does not grow with the data

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Classifier(Artifact):
    """Layers `0.weight` (outputs, inputs), `0.bias`, `1.weight`, ...; numpy alone is enough to run it.

    `activation` stands between the layers; a single layer is a linear classifier and has "none".
    """

    format: ClassVar[str] = "safetensors"

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
        """How many numbers describe a record."""
        return int(self.layers["0.weight"].shape[1])

    @property
    def classes(self) -> int:
        """How many classes are told apart."""
        return int(self.layers[f"{self.depth - 1}.weight"].shape[0])

    def scores(self, x: Floats) -> Floats:
        """Logits, one row a record."""
        if x.ndim != 2 or x.shape[1] != self.features:
            raise ValueError(f"records of shape {x.shape}: this classifier reads (n, {self.features})")
        out = np.empty((len(x), self.classes), dtype=np.float32)
        for start in range(0, len(x), _BATCH):
            out[start : start + _BATCH] = self._forward(x[start : start + _BATCH].astype(np.float32, copy=False))
        return out

    def proba(self, x: Floats) -> Floats:
        """Softmax of the scores."""
        scores = self.scores(x)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True), dtype=np.float32)

    def predict(self, x: Floats) -> NDArray[np.int64]:
        """The class of the highest score."""
        return np.asarray(self.scores(x).argmax(axis=1), dtype=np.int64)

    def _forward(self, h: Floats) -> Floats:
        for i in range(self.depth):
            if i:
                h = np.tanh(h) if self.activation == "tanh" else np.maximum(h, 0)
            h = h @ self.layers[f"{i}.weight"].T + self.layers[f"{i}.bias"]
        return h
