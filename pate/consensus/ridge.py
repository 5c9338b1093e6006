"""From a noisy sum to a predictor: ridge regression with the public inputs' second moments in place of private ones.

All of it is post-processing of what was released, and looks at public inputs besides: it costs nothing. With C = V
diag(w) V' the mean of phi phi' over public inputs, the released sum over n records is, in direction j, Z_j = w_j W_j n
plus noise of a known variance, where W is the least-squares predictor of e_y - 1/K. A Gaussian prior on W_j of variance
strength * w_j (classes differ where inputs do) makes the posterior mean of W a ridge regression whose penalty is larger
in directions of more noise; the strength is the most likely one given Z (empirical Bayes, type II maximum likelihood:
Berger 1985, section 3.5). No true label is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pate.consensus.moments import second_moments

_STRENGTHS = np.geomspace(1e-8, 1e8, 321)
_LEAST = 1e-12  # of an eigenvalue: below, a direction is not among the public inputs


@dataclass(frozen=True)
class Fit:
    """The predictor phi' weights of e_y - 1/K, how strong the signal is taken to be, and how many directions speak: the
    sum of the shares of each that are kept."""

    weights: np.ndarray
    strength: float
    heard: float


def fit(pool: np.ndarray, released: np.ndarray, records: int, noise: float, length: float) -> Fit:
    """`pool` are the public inputs in the basis, `noise` is the deviation of an entry of the released sum, and `length`
    that of one record's answer: n records are a sample, which varies too, by length^2 w_j / n over all classes."""
    free = released.shape[1] - 1
    centred = released - released.mean(axis=1, keepdims=True)  # answers sum to zero over classes; noise need not
    w, directions = second_moments(pool)
    w = np.maximum(w, _LEAST)
    z = directions.T @ centred / records
    chance = (noise / records) ** 2 + length**2 * w / (records * free)  # of an entry of z
    signal = _STRENGTHS[:, None] * w**3
    likely = -(free * np.log(signal + chance) + (z**2).sum(axis=1) / (signal + chance)).sum(axis=1)
    best = int(likely.argmax())
    kept = signal[best] / (signal[best] + chance)
    return Fit(directions @ ((kept / w)[:, None] * z), float(_STRENGTHS[best]), float(kept.sum()))


def shares(scores: np.ndarray) -> np.ndarray:
    """Predictions of e_y - 1/K as shares of one: the nearest point of the simplex (Duchi et al. 2008)."""
    shifted = scores + 1 / scores.shape[1]
    ranked = -np.sort(-shifted, axis=1)
    excess = (np.cumsum(ranked, axis=1) - 1) / np.arange(1, scores.shape[1] + 1)
    last = (ranked > excess).sum(axis=1) - 1
    return np.asarray(np.maximum(shifted - excess[np.arange(len(scores)), last][:, None], 0))
