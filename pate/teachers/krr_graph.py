"""Kernel ridge teachers whose answers are spread over the graph of the public inputs, where neighbours correct each
other. The graph is shared and public; what is spread on it is one teacher's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pate.learning.spreading import balanced_spread
from pate.teachers.ensemble import Partition
from pate.teachers.graph import OnSharedGraph
from pate.teachers.krr import KRR


@dataclass(frozen=True)
class KRRGraph(OnSharedGraph):
    """Each public input is a seed of the class that kernel ridge regression names."""

    kind: ClassVar[str] = "krr_graph"

    alpha: float = 0.8
    gamma: float = 0.2
    penalty: float = 0.002

    def __post_init__(self) -> None:
        super().__post_init__()
        self._krr()  # checks its fields

    def prepare(self, public: np.ndarray) -> Any:
        return public, self.graph(public, often=True)

    def predict_many(
        self, partitions: list[Partition], public: Any, classes: int, seeds: list[int]
    ) -> list[np.ndarray]:
        features, graph = public
        everything, alike = np.arange(len(features)), np.ones(len(features))
        answers = self._krr().predict_many(partitions, features, classes, seeds)
        return [balanced_spread(graph, answer, everything, alike, classes).argmax(axis=0) for answer in answers]

    def _krr(self) -> KRR:
        return KRR(self.count, self.gamma, self.penalty)
