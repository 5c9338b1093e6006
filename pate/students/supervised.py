"""The plainest student: logistic regression on the labelled inputs alone."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from threadpoolctl import threadpool_limits

from pate.learning.checkpoint import Checkpoint
from pate.models.classifier import Classifier
from pate.students.student import Lesson, Student

_SMALL = 5_000_000  # numbers
_NEVER = -1e4  # the score of a class without a single label: below everything else


@dataclass(frozen=True)
class Supervised(Student):
    """Multinomial logistic regression; `inverse_penalty` is scikit-learn's C."""

    kind: ClassVar[str] = "supervised"

    inverse_penalty: float = 1.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.inverse_penalty) and self.inverse_penalty > 0):
            raise ValueError(f"inverse_penalty must be a positive number, got {self.inverse_penalty}")

    def fit(self, lesson: Lesson, checkpoint: Checkpoint | None = None) -> Classifier:
        return first_guess(lesson, self.inverse_penalty)


def first_guess(lesson: Lesson, inverse_penalty: float) -> Classifier:
    """From the labels; or from beliefs, an input being as much of each class as is believed of it."""
    if lesson.belief is None:
        return logistic(lesson.features[lesson.index], lesson.label, lesson.classes, inverse_penalty)
    rows, label = np.nonzero(lesson.belief)
    return logistic(lesson.features[rows], label, lesson.classes, inverse_penalty, lesson.belief[rows, label])


def logistic(
    x: np.ndarray, y: np.ndarray, classes: int, inverse_penalty: float, weight: np.ndarray | None = None
) -> Classifier:
    """Logistic regression as a one-layer classifier over all classes, also those that no example shows."""
    from sklearn.linear_model import LogisticRegression

    seen = np.unique(y)
    weights = np.zeros((classes, x.shape[1]), dtype=np.float32)
    bias = np.full(classes, _NEVER, dtype=np.float32)
    if len(seen) == 1:
        bias[seen] = 0
    else:
        threads = 1 if x.size < _SMALL else None  # threads that wait for each other cost small problems tenfold
        with warnings.catch_warnings(), threadpool_limits(threads):
            warnings.simplefilter("ignore")  # an early stop of the solver shows in the accuracy, if at all
            model = LogisticRegression(C=inverse_penalty, max_iter=300).fit(x, y, sample_weight=weight)
        two = len(seen) == 2  # scikit-learn then keeps one row, for the second class
        weights[seen] = np.concatenate([-model.coef_ / 2, model.coef_ / 2]) if two else model.coef_
        bias[seen] = np.concatenate([-model.intercept_ / 2, model.intercept_ / 2]) if two else model.intercept_
    return Classifier({"0.weight": weights, "0.bias": bias}, "none")
