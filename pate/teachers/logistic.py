"""Logistic teachers: multinomial logistic regression from scikit-learn."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pate.teachers.ensemble import Teachers


@dataclass(frozen=True)
class Logistic(Teachers):
    """`inverse_penalty` is scikit-learn's C."""

    kind: ClassVar[str] = "logistic"

    inverse_penalty: float = 10.0
    iterations: int = 200

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (math.isfinite(self.inverse_penalty) and self.inverse_penalty > 0):
            raise ValueError(f"inverse_penalty must be a positive number, got {self.inverse_penalty}")
        if self.iterations < 1:
            raise ValueError(f"iterations must be at least 1, got {self.iterations}")

    def predict_one(self, x: np.ndarray, y: np.ndarray, public: np.ndarray, classes: int, seed: int) -> np.ndarray:
        from sklearn.linear_model import LogisticRegression

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # not converging on a few records is no fault of the user's
            model = LogisticRegression(C=self.inverse_penalty, max_iter=self.iterations).fit(x, y)
        return np.asarray(model.predict(public))
