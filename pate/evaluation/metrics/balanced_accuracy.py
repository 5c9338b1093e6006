"""Balanced accuracy: the mean over classes of the share of a class's inputs that is recognised (Brodersen et al. 2010).

Always answering one of k classes has 1/k, however common that class is. A class without inputs takes no part.
"""

from __future__ import annotations

import numpy as np

from pate.evaluation.metrics import metric


@metric("balanced accuracy")
def balanced_accuracy(belief: np.ndarray, truth: np.ndarray, counts: np.ndarray, answer: np.ndarray) -> np.ndarray:
    true = np.arange(belief.shape[1])[:, None] == truth
    right = answer == truth
    held = true.astype(np.float32) @ counts
    with np.errstate(invalid="ignore"):
        recalled = ((true & right).astype(np.float32) @ counts) / held
    there = held > 0
    return np.where(there, recalled, 0).sum(axis=0) / there.sum(axis=0)
