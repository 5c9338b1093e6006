"""The law of Confident-GNMax: a noisy threshold test on the largest count around the noisy argmax.

No answer is one more outcome. The two noises are independent, so every other probability is the argmax's times the
chance of passing, which a neighbour changes too (Papernot et al. 2018, Algorithm 1). Whole votes with whole noise pass
when they reach the threshold rounded up, so that chance is a tail of the discrete Gaussian.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import log_ndtr

from pate.accounting.discrete_gaussian import log_tail
from pate.accounting.law import Change, Laws


def log_passes(top: np.ndarray, threshold: float, sigma: float, noise: str) -> tuple[np.ndarray, np.ndarray]:
    """ln of the chances that a largest count passes the test and that it fails."""
    if noise == "continuous":
        return log_ndtr((top - threshold) / sigma), log_ndtr((threshold - top) / sigma)
    short = np.ceil(threshold) - top  # K >= short passes; K <= short - 1, or -K >= 1 - short, fails
    return log_tail(short, sigma), log_tail(1 - short, sigma)


def behind_threshold(threshold: float, sigma: float, noise: str) -> Change:
    """Turn laws of the argmax into laws over (no answer, classes)."""

    def change(laws: Laws) -> Laws:
        passes, fails = (chance[..., None] for chance in log_passes(laws.distinct[:, :1], threshold, sigma, noise))
        passes_there, fails_there = (
            chance[..., None] for chance in log_passes(_largest_after(laws), threshold, sigma, noise)
        )
        exists = laws.weight.any(axis=2, keepdims=True)
        none = np.broadcast_to(np.exp(fails), exists.shape)
        return replace(
            laws,
            weight=np.concatenate([laws.weight, exists], axis=2),
            p=np.concatenate([laws.p * np.exp(passes), none], axis=2),
            other=np.concatenate([laws.other * np.exp(passes_there), np.exp(fails_there)], axis=2),
            logratio=np.concatenate(
                [laws.logratio + passes - passes_there, np.broadcast_to(fails - fails_there, exists.shape)], axis=2
            ),
        )

    return change


def _largest_after(laws: Laws) -> np.ndarray:
    """The largest count of each neighbour (histogram x neighbour)."""
    size, d = laws.distinct.shape
    top, second = laws.distinct[:, 0], laws.distinct[:, min(1, d - 1)]
    alone = laws.multiplicity[:, 0] == 1
    left = np.broadcast_to(top[:, None], (size, d)).copy()
    left[:, 0] = np.where(alone, np.maximum(top - 1, second if d > 1 else top - 1), top)
    return np.maximum(left[:, :, None], laws.distinct[:, None, :] + 1).reshape(size, d * d)
