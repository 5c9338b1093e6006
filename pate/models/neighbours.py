"""The graph itself as a model: an input's scores are those of the public inputs nearest to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pate.learning.spreading import PublicGraph, attached
from pate.models.model import Floats, Model

_TOGETHER = 1 << 24  # scores of neighbours that are looked up at once


@dataclass(frozen=True)
class Neighbours(Model):
    """Mean scores of the nearest points, the nearer the heavier; the points are public inputs in few coordinates."""

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
