"""The graph itself as a model: an input's scores are those of the public inputs nearest to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pate.learning.spreading import PublicGraph, attached
from pate.models.model import Floats, Model

if TYPE_CHECKING:
    from pate.models.onnx import OnnxGraph

_TOGETHER = 1 << 24  # scores of neighbours that are looked up at once


@dataclass(frozen=True)
class Neighbours(Model):
    """Mean scores of the nearest points, the nearer the heavier; the points are public inputs in few coordinates."""

    kind: ClassVar[str] = "Neighbours"

    mean: Floats
    directions: Floats
    points: Floats
    reach: Floats
    values: Floats  # (points, classes)
    count: int

    def __post_init__(self) -> None:
        flat, tables = (self.mean, self.reach), (self.directions, self.points, self.values)
        if any(array.ndim != 1 for array in flat) or any(array.ndim != 2 for array in tables) or self.count < 1:
            raise ValueError("a graph needs vectors of points, directions and scores, and a neighbour or more")
        if len(self.points) != len(self.values) or len(self.points) != len(self.reach):
            raise ValueError(f"{len(self.points)} points, {len(self.values)} scores: expected as many")
        if self.directions.shape != (len(self.mean), self.points.shape[1]):
            raise ValueError(
                f"directions {self.directions.shape} lead not from {len(self.mean)} features to the points"
            )

    @classmethod
    def of(cls, graph: PublicGraph, values: np.ndarray, count: int) -> Neighbours:
        arrays = (graph.mean, graph.directions, graph.points, graph.reach, values)
        mean, directions, points, reach, kept = (np.ascontiguousarray(array, dtype=np.float32) for array in arrays)
        return cls(mean, directions, points, reach, kept, count)

    @property
    def features(self) -> int:
        return len(self.mean)

    @property
    def classes(self) -> int:
        return int(self.values.shape[1])

    def _forward(self, x: Floats) -> Floats:
        index, weight = attached((x - self.mean) @ self.directions, self.points, self.reach, self.count)
        found = np.empty((len(x), self.classes), np.float32)
        rows = max(1, _TOGETHER // (index.shape[1] * self.classes))
        for start in range(0, len(x), rows):
            part = slice(start, start + rows)
            found[part] = np.einsum("nk,nkc->nc", weight[part], self.values[index[part]], dtype=np.float32)
        return found

    def proba(self, x: Floats) -> Floats:
        """Scores are shares already: a mean of shares."""
        return self.scores(x)

    @property
    def carried(self) -> str:
        return f"the coordinates of {len(self.points)} of them, to compare new ones with"

    def to_onnx(self, graph: OnnxGraph, rows: str) -> str:
        """Without a softmax, as above. The formulas are those of `spreading.nearest` and `attached`."""
        place = graph("MatMul", graph("Sub", rows, self.mean), self.directions)
        lengths = np.einsum("nd,nd->n", self.points, self.points)
        across = graph("Mul", graph("MatMul", place, np.ascontiguousarray(self.points.T)), np.float32(2))
        squared = graph("Add", graph("Sub", lengths, across), graph("ReduceSumSquare", place, [1]))
        count = min(self.count, len(self.points))
        near, index = graph.several(2, "TopK", squared, [count], axis=1, largest=0, sorted=1)
        near = graph("Max", near, np.float32(0))
        own = graph("Sqrt", graph("Max", graph("Slice", near, [count - 1], [count], [1]), np.float32(1e-12)))
        scale = graph("Mul", own, graph("Gather", self.reach, index))
        weight = graph("Softmax", graph("Neg", graph("Div", near, scale)), axis=1)
        mean = graph("MatMul", graph("Unsqueeze", weight, [1]), graph("Gather", self.values, index))
        return graph("Squeeze", mean, [1])
