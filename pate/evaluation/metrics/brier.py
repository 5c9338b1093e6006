"""Brier score: the squared distance between the probabilities and the true class, summed over classes, from 0 to 2; the
mean over inputs (Brier 1950)."""

from __future__ import annotations

import numpy as np

from pate.evaluation.metrics import metric


@metric("Brier score", better="lower", share=False)
def brier(belief: np.ndarray, truth: np.ndarray) -> np.ndarray:
    missed = belief.astype(float)
    missed[np.arange(len(truth)), truth] -= 1
    return (missed**2).sum(axis=1)
