"""A linear map of the inputs, or the inputs themselves: what `identity` and `pca` make, and the end of others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pate.features.encoder import Encoder, scaled
from pate.workspace.artifact import Arrays

if TYPE_CHECKING:
    from pate.models.onnx import OnnxGraph


def projected(raw: np.ndarray, mean: np.ndarray, components: np.ndarray) -> np.ndarray:
    """(v - mean) @ components, float32. In double precision: rounding would else depend on where in the block a record
    stands, and so on the others."""
    return ((raw.astype(np.float64) - mean) @ components).astype(np.float32)


@dataclass(frozen=True)
class LinearEncoder(Encoder):
    """x -> (v - mean) @ components, with v the input as a flat row; without components it is v itself."""

    kind: ClassVar[str] = "linear"
    absent: ClassVar[Mapping[str, None]] = {"scattering": None, "patches": None}  # stored all the same, see `split`

    mean: np.ndarray | None = None
    components: np.ndarray | None = None

    def raw(self, x: np.ndarray) -> np.ndarray:
        """What the components are components of."""
        return scaled(x.reshape(len(x), math.prod(x.shape[1:])))

    def raw_width(self, shape: Sequence[int]) -> int:
        """And how many numbers that are."""
        return math.prod(shape)

    def encode(self, x: np.ndarray) -> np.ndarray:
        raw = self.raw(x)
        if self.mean is None or self.components is None:
            return raw
        return projected(raw, self.mean, self.components.astype(np.float64))

    def width(self, shape: Sequence[int]) -> int:
        found = self.raw_width(shape)
        if self.mean is None or self.components is None:
            return found
        if found != len(self.mean):
            raise ValueError(f"{found} numbers describe an input, and the components are of {len(self.mean)}")
        return int(self.components.shape[1])

    def to_onnx(self, graph: OnnxGraph, x: str, shape: Sequence[int]) -> str:
        return self.project(graph, graph("Reshape", x, [-1, math.prod(shape)]))

    def project(self, graph: OnnxGraph, raw: str) -> str:
        """In double precision, as above."""
        if self.mean is None or self.components is None:
            return raw
        centred = graph("Sub", graph.cast(raw, np.double), graph.wide(self.mean))
        return graph.cast(graph("MatMul", centred, graph.wide(self.components)), np.float32)

    def check(self) -> None:
        super().check()
        if self.mean is None or self.components is None:
            if self.mean is not self.components:
                raise ValueError("components need a mean, and a mean components")
        elif self.components.ndim != 2 or self.mean.shape != self.components.shape[:1]:
            raise ValueError(f"mean {self.mean.shape} and components {self.components.shape} do not fit each other")

    def split(self) -> tuple[Arrays, dict[str, Any]]:
        """As the first encoders were stored, without a kind: what is drawn from features is known by these bytes."""
        arrays, facts = super().split()
        del facts["kind"]
        return arrays, {**facts, **self.absent}
