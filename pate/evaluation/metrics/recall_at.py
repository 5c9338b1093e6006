"""Recall of a named class at a fixed false-positive rate: `compare.positive`, `compare.false_positives`.

Inputs are taken for the class from some probability of it on. Of all such thresholds that take no more than that share
of the other classes' inputs for it, the one that finds most of the class; inputs of the same probability fall on the
same side, and nothing is interpolated. None where no class is named, or the test set has none of it, or nothing else.
"""

from __future__ import annotations

import numpy as np

from pate.evaluation.metrics import Question, metric

_ROUNDING = 1e-6  # of the allowed number of inputs


@metric("recall at a false-positive rate")
def recall_at(belief: np.ndarray, truth: np.ndarray, counts: np.ndarray, asked: Question) -> np.ndarray:
    if asked.positive is None:
        return np.full(counts.shape[1], np.nan)
    score, positive = belief[:, asked.positive], truth == asked.positive
    order = np.argsort(-score, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(score[order])), len(score) - 1)  # the last of each probability
    found = np.cumsum(counts[order] * positive[order, None], axis=0)[ends]
    mistaken = np.cumsum(counts[order] * ~positive[order, None], axis=0)[ends]
    ours, others = found[-1], mistaken[-1]
    allowed = mistaken <= asked.false_positives * others + _ROUNDING
    most = np.where(allowed, found, 0).max(axis=0)
    return np.where((ours > 0) & (others > 0), most / np.maximum(ours, 1), np.nan)
