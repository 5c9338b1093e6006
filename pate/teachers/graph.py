"""Graph teachers: label spreading over one graph of the public inputs, seeded by a teacher's own records.

The graph is shared and public. A private record is attached to its nearest public inputs and seeds its own teacher's
scores; no weight, degree or class share of the graph, and no other teacher, ever depends on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pate.learning.spreading import OnGraph, PublicGraph, balanced_spread, nearest
from pate.teachers.ensemble import Partition, Teachers


@dataclass(frozen=True)
class OnSharedGraph(OnGraph, Teachers):
    """Teachers that share a graph of the public inputs."""

    batch: ClassVar[int] = 25

    def __post_init__(self) -> None:
        Teachers.__post_init__(self)
        OnGraph.__post_init__(self)

    def prepare(self, public: np.ndarray) -> Any:
        return self.graph(public, often=True)


@dataclass(frozen=True)
class GraphTeachers(OnSharedGraph):
    """A record seeds the `attached` public inputs nearest to it."""

    kind: ClassVar[str] = "graph"

    attached: int = 7

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.attached < 1:
            raise ValueError(f"attached must be at least 1, got {self.attached}")

    def predict_many(
        self, partitions: list[Partition], public: Any, classes: int, seeds: list[int]
    ) -> list[np.ndarray]:
        return [self._answers(x, y, public, classes) for x, y in partitions]

    def _answers(self, x: np.ndarray, y: np.ndarray, graph: PublicGraph, classes: int) -> np.ndarray:
        if len(y) == 0:
            return np.zeros(len(graph.points), np.int64)
        index, weight = graph.attach(x, self.attached)
        scores = balanced_spread(graph, np.repeat(y, index.shape[1]), index.ravel(), weight.ravel(), classes)
        answers = scores.argmax(axis=0)
        apart = np.flatnonzero(scores.max(axis=0) <= 0)  # no seed in their part of the graph: the nearest record tells
        answers[apart] = y[nearest(graph.points[apart], graph.coordinates(x), 1)[0][:, 0]]
        return answers
