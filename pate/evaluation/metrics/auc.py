"""AUC: the chance that an input of a class is given more of that class than an input of another one is, ties counting
half (Hanley & McNeil 1982); the mean over classes, one against rest. None where a class has no inputs, or all of them.
"""

from __future__ import annotations

import numpy as np

from pate.evaluation.metrics import metric


@metric("AUC")
def auc(belief: np.ndarray, truth: np.ndarray, counts: np.ndarray) -> np.ndarray:
    return np.mean([_one_against_rest(belief[:, one], truth == one, counts) for one in range(belief.shape[1])], axis=0)


def _one_against_rest(score: np.ndarray, positive: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """For every positive input the negative ones below it, and half of those level with it: counted by rank."""
    others, ours = counts[~positive], counts[positive].astype(float)
    order = np.argsort(score[~positive], kind="stable")
    ranked = score[~positive][order]
    below = np.zeros((len(ranked) + 1, counts.shape[1]), np.float32)
    np.cumsum(others[order], axis=0, out=below[1:])
    first, last = (np.searchsorted(ranked, score[positive], side=side) for side in ("left", "right"))
    won = np.einsum("ir,ir->r", ours, (below[first] + below[last]) / 2)
    pairs = ours.sum(axis=0) * below[-1]
    return np.where(pairs > 0, won / np.maximum(pairs, 1), np.nan)
