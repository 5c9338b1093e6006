"""The graph student: labels spread over the graph of the public inputs, then kernel ridge regression learns the result.

A noisy label is one seed among its neighbours' and is outvoted where they disagree: no label is trusted blindly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pate.kernel_machine import KernelMachine, one_hot
from pate.model import Model
from pate.spreading import OnGraph, balanced_spread
from pate.students.student import Lesson, Student
from pate.training import Checkpoint


@dataclass(frozen=True)
class Graph(OnGraph, Student):
    """Of every class the share `unsure` with the smallest lead over the second class is not learned from."""

    gamma: float = 0.2
    penalty: float = 0.02
    unsure: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("gamma", "penalty"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be a positive number, got {getattr(self, name)}")
        if not 0 <= self.unsure < 1:
            raise ValueError(f"unsure must be a share of at least 0 and below 1, got {self.unsure}")

    def fit(self, lesson: Lesson, checkpoint: Checkpoint | None = None) -> Model:
        kept, answer = lesson.index, lesson.label
        if not lesson.complete:
            weight = np.ones(len(lesson.index))
            graph = self.graph(lesson.features)
            scores = balanced_spread(graph, lesson.label, lesson.index, weight, lesson.classes)
            kept, answer = self._sure(scores)
        target = one_hot(answer, lesson.classes)
        return KernelMachine.fit(lesson.features[kept], target, self.gamma, self.penalty, lesson.seed)

    def _sure(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Inputs that a seed reaches and whose first class leads clearly, as clearly as others of that class."""
        answer, (second, first) = scores.argmax(axis=0), np.sort(scores, axis=0)[-2:]
        lead = np.where(first > 0, (first - second) / np.maximum(first, 1e-300), -1.0)
        kept = np.zeros(len(answer), dtype=bool)
        for one in np.unique(answer[first > 0]):
            mine = np.flatnonzero((answer == one) & (first > 0))
            kept[mine[lead[mine] >= np.quantile(lead[mine], self.unsure)]] = True
        return np.flatnonzero(kept), answer[kept]
