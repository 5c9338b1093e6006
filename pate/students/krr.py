"""Kernel ridge regression on the labelled inputs alone: the student for many noisy labels and good features."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from pate.learning.checkpoint import Checkpoint
from pate.learning.spreading import surest
from pate.models.kernel_machine import KernelMachine
from pate.students.calibration import sharpness
from pate.students.student import Lesson, Student

_CHECKED = 1000  # labels that tell how sure it may be
_LEAST = 1e-3  # of the largest standard deviation
_UNSURE = 0.1  # of beliefs: this share of each class, the least sure, is not learned from
_NEVER = -1e4  # the score of a class without a single label: below everything else


@dataclass(frozen=True)
class KRR(Student):
    """The `penalty` is what keeps it from learning noise: five times the graph student's.

    Each feature is divided by its standard deviation in the pool to the `power`; all together keep a variance of 1.
    """

    kind: ClassVar[str] = "krr"

    gamma: float = 0.2
    penalty: float = 0.1
    power: float = 0.0

    def __post_init__(self) -> None:
        for name in ("gamma", "penalty"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be a positive number, got {getattr(self, name)}")
        if not 0 <= self.power <= 1:
            raise ValueError(f"power must lie between 0 and 1, got {self.power}")

    def fit(self, lesson: Lesson, checkpoint: Checkpoint | None = None) -> KernelMachine:
        kept, answer = lesson.index, lesson.label
        if lesson.belief is not None:
            kept, answer = surest(lesson.belief.T, _UNSURE)
        return kernel_student(lesson, kept, answer, self.gamma, self.penalty, self.power)


def kernel_student(
    lesson: Lesson, kept: np.ndarray, answer: np.ndarray, gamma: float, penalty: float, power: float = 0.0
) -> KernelMachine:
    """Kernel ridge regression of the kept inputs, as sure of itself as it fits labels it has not learned from."""
    scale = evened(lesson.features, power)
    x, target = lesson.features * scale, np.eye(lesson.classes)[answer]
    bias = np.where(target.any(axis=0), 0, _NEVER).astype(np.float32)
    place = {row: i for i, row in enumerate(kept)}
    asked = np.random.default_rng(lesson.seed).permutation(len(lesson.index))[:_CHECKED]
    taught = np.array([lesson.index[i] in place for i in asked])
    rows = np.array([place[row] for row in lesson.index[asked[taught]]], dtype=np.int64)
    machine, without = KernelMachine.fit_without(x[kept], target, gamma, penalty, rows, lesson.seed)
    scores = np.empty((len(asked), lesson.classes))
    scores[taught] = without
    scores[~taught] = machine.scores(x[lesson.index[asked[~taught]]])
    factor = sharpness(scores + bias, lesson.label[asked], lesson.wrong)
    return replace(machine.sharpened(factor), scale=scale, bias=bias)


def evened(features: np.ndarray, power: float) -> np.ndarray:
    """Factors that bring the variance of all features together to 1; with a `power`, small features count for more."""
    deviation = features.std(axis=0, dtype=np.float64)
    scale = 1 / np.maximum(deviation, _LEAST * deviation.max() + 1e-12) ** power
    return (scale / np.sqrt(((deviation * scale) ** 2).sum() + 1e-12)).astype(np.float32)
