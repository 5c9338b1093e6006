"""Self-training: the student labels the public inputs it is sure of, and learns again from those too."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pate.classifier import Classifier
from pate.students.student import Student
from pate.students.supervised import logistic


@dataclass(frozen=True)
class SelfTraining(Student):
    """In round r of `rounds`, the most confident share r/rounds of each predicted class joins the training set.

    Balanced by class, so that an easy class does not crowd out the others. Noisy labels stay as they were answered.
    """

    inverse_penalty: float = 1.0
    rounds: int = 5

    def __post_init__(self) -> None:
        if not (math.isfinite(self.inverse_penalty) and self.inverse_penalty > 0):
            raise ValueError(f"inverse_penalty must be a positive number, got {self.inverse_penalty}")
        if self.rounds < 1:
            raise ValueError(f"rounds must be at least 1, got {self.rounds}")

    def fit(self, features: np.ndarray, index: np.ndarray, label: np.ndarray, classes: int, seed: int) -> Classifier:
        model = logistic(features[index], label, classes, self.inverse_penalty)
        if len(index) == len(features):
            return model
        for done in range(1, self.rounds + 1):
            proba = model.proba(features)
            guess, sure = proba.argmax(axis=1), proba.max(axis=1)
            guess[index], sure[index] = label, np.inf
            joins = np.zeros(len(features), dtype=bool)
            for one in range(classes):
                mine = np.flatnonzero(guess == one)
                joins[mine[np.argsort(-sure[mine])][: math.ceil(len(mine) * done / self.rounds)]] = True
            joins[index] = True
            model = logistic(features[joins], guess[joins], classes, self.inverse_penalty)
        return model
