"""The share of inputs whose most probable class is the true one."""

from __future__ import annotations

import numpy as np

from pate.evaluation.metrics import metric


@metric("accuracy")
def accuracy(belief: np.ndarray, truth: np.ndarray) -> float:
    return float((belief.argmax(axis=1) == truth).mean())
