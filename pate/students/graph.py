"""The graph student: labels spread over the graph of the public inputs, then kernel ridge regression learns the result.

A noisy label is one seed among its neighbours' and is outvoted where they disagree: no label is trusted blindly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pate.learning.checkpoint import Checkpoint
from pate.learning.spreading import OnGraph, surest
from pate.models.model import Model
from pate.students.krr import kernel_student
from pate.students.spread import spread_labels
from pate.students.student import Lesson, Student

_OFTEN = 2000  # labels from which on the whole inverse takes less time than what each gives to its own place


@dataclass(frozen=True)
class GraphStudent(OnGraph, Student):
    """Of every class the share `unsure` with the smallest lead over the second class is not learned from."""

    kind: ClassVar[str] = "graph"

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
        if not lesson.true:
            kept, answer = surest(self.scores(lesson), self.unsure)
        return kernel_student(lesson, kept, answer, self.gamma, self.penalty)

    def scores(self, lesson: Lesson) -> np.ndarray:
        """Of every input (classes x inputs). Few labels are spread; where something is believed of every input already,
        its neighbours would only overrule what is right."""
        if lesson.belief is not None:
            return lesson.belief.T
        return spread_labels(self.graph(lesson.features, often=len(lesson.index) > _OFTEN), lesson)
