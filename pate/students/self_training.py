"""Self-training: the student labels the public inputs it is sure of, and learns again from those."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pate.learning.checkpoint import Checkpoint
from pate.models.classifier import Classifier
from pate.students.student import Lesson, Student
from pate.students.supervised import first_guess, logistic

_EVEN = 10  # labels per class added before class shares are estimated: few noisy labels say little about them
_FIRST, _LAST = 0.5, 0.9  # share of the pool learned from in the first and the last round; the least sure stay out


@dataclass(frozen=True)
class SelfTraining(Student):
    """Each round, the surest inputs of every class become the next training set, in the classes' estimated shares.

    An answered query, or what is believed of an input, counts for half, and what the student thinks for half: it can be
    overruled.
    """

    kind: ClassVar[str] = "self_training"

    inverse_penalty: float = 1.0
    rounds: int = 5

    def __post_init__(self) -> None:
        if not (math.isfinite(self.inverse_penalty) and self.inverse_penalty > 0):
            raise ValueError(f"inverse_penalty must be a positive number, got {self.inverse_penalty}")
        if self.rounds < 1:
            raise ValueError(f"rounds must be at least 1, got {self.rounds}")

    def fit(self, lesson: Lesson, checkpoint: Checkpoint | None = None) -> Classifier:
        features, index, label, classes = lesson.features, lesson.index, lesson.label, lesson.classes
        model = first_guess(lesson, self.inverse_penalty)
        if lesson.true:
            return model
        shares = (np.bincount(label, minlength=classes) + _EVEN) / (len(label) + classes * _EVEN)
        for taken in np.linspace(_FIRST, _LAST, self.rounds):
            belief = _in_shares(model.proba(features), shares)
            belief[index] /= 2
            belief[index] += (np.eye(classes)[label] if lesson.belief is None else lesson.belief) / 2
            guess, chosen = belief.argmax(axis=1), np.zeros(len(features), dtype=bool)
            for one in range(classes):
                mine = np.flatnonzero(guess == one)
                surest = mine[np.argsort(-belief[mine, one], kind="stable")]
                chosen[surest[: math.ceil(taken * shares[one] * len(features))]] = True
            model = logistic(features[chosen], guess[chosen], classes, self.inverse_penalty)
        return model


def _in_shares(proba: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Reweight classes so that an easy one does not crowd out the others."""
    weighted = proba * (shares / np.maximum(proba.mean(axis=0), 1e-9))
    return weighted / weighted.sum(axis=1, keepdims=True)
