"""The share of inputs for which the true class is answered."""

from __future__ import annotations

import numpy as np

from pate.evaluation.metrics import metric


@metric("accuracy")
def accuracy(belief: np.ndarray, truth: np.ndarray, answer: np.ndarray) -> np.ndarray:
    return (answer == truth).astype(float)
