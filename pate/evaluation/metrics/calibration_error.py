"""Expected calibration error: how far confidence is from the share of right answers (Guo et al. 2017, ECE)."""

from __future__ import annotations

import numpy as np

from pate.evaluation.metrics import metric

BINS = 10  # of equal width


@metric("calibration error", better="lower")
def calibration_error(belief: np.ndarray, truth: np.ndarray, counts: np.ndarray) -> np.ndarray:
    confidence, right, place = _placed(belief, truth)
    inside = np.arange(BINS)[:, None] == place
    return np.abs((inside * (confidence - right)) @ counts).sum(axis=0) / counts.sum(axis=0)


def bins(belief: np.ndarray, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inputs by the model's confidence: in each bin that holds any the mean confidence, the share that is right and the
    share of all inputs."""
    confidence, right, place = _placed(belief, truth)
    held = np.bincount(place, minlength=BINS)
    used = held > 0
    believed, was = (np.bincount(place, x, minlength=BINS)[used] / held[used] for x in (confidence, right))
    return believed, was, held[used] / len(truth)


def _placed(belief: np.ndarray, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    confidence, right = belief.max(axis=1), belief.argmax(axis=1) == truth
    return confidence, right, np.minimum((confidence * BINS).astype(int), BINS - 1)
