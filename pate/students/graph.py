"""The graph student: labels spread over the graph of the public inputs, then kernel ridge regression learns the result.

A noisy label is one seed among its neighbours' and is outvoted where they disagree: no label is trusted blindly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pate.kernel_machine import KernelMachine, one_hot
from pate.model import Model
from pate.spreading import OnGraph, balanced_spread, surest
from pate.students.calibration import sharpness
from pate.students.student import Lesson, Student
from pate.training import Checkpoint

_CHECKED = 1000  # labels that tell how sure it may be


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
            kept, answer = surest(scores, self.unsure)
        return kernel_student(lesson, kept, one_hot(answer, lesson.classes), self.gamma, self.penalty)


def kernel_student(lesson: Lesson, kept: np.ndarray, target: np.ndarray, gamma: float, penalty: float) -> KernelMachine:
    """Kernel ridge regression of the kept inputs, as sure of itself as it fits labels it has not learned from."""
    place = {row: i for i, row in enumerate(kept)}
    asked = np.random.default_rng(lesson.seed).permutation(len(lesson.index))[:_CHECKED]
    taught = np.array([lesson.index[i] in place for i in asked])
    rows = np.array([place[row] for row in lesson.index[asked[taught]]], dtype=np.int64)
    machine, without = KernelMachine.fit_without(lesson.features[kept], target, gamma, penalty, rows, lesson.seed)
    scores = np.empty((len(asked), lesson.classes))
    scores[taught] = without
    scores[~taught] = machine.scores(lesson.features[lesson.index[asked[~taught]]])
    return machine.sharpened(sharpness(scores, lesson.label[asked], lesson.wrong))
