"""Macro F1: the mean over classes of F1, the harmonic mean of precision and recall (van Rijsbergen 1979).

A class that is neither there nor answered takes no part.
"""

from __future__ import annotations

import numpy as np

from pate.evaluation.metrics import metric


@metric("macro F1")
def macro_f1(belief: np.ndarray, truth: np.ndarray, counts: np.ndarray, answer: np.ndarray) -> np.ndarray:
    classes = np.arange(belief.shape[1])[:, None]
    true, told = classes == truth, classes == answer
    both = (true & told).astype(np.float32) @ counts
    either = true.astype(np.float32) @ counts + told.astype(np.float32) @ counts
    there = either > 0
    with np.errstate(invalid="ignore"):
        f1 = 2 * both / either
    return np.where(there, f1, 0).sum(axis=0) / there.sum(axis=0)
