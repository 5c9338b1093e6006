"""How sure a student may be: scores are made sharper or flatter until the noisy labels themselves fit best.

Temperature scaling (Guo et al. 2017) on labels that are there anyway: it needs neither private data nor true labels.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import log_softmax

_RANGE, _POINTS = (-4.0, 7.0), 45  # logarithm of the factor


def sharpness(scores: np.ndarray, label: np.ndarray, wrong: float) -> float:
    """The factor on the scores (of inputs not learned from) under which their labels are most likely.

    A share `wrong` of the labels is expected to be any other class: being sure of the truth is then not punished.
    """
    others = max(scores.shape[1] - 1, 1)
    rows = np.arange(len(label))

    def unlikely(logarithm: float) -> float:
        right = np.exp(log_softmax(np.exp(logarithm) * scores.astype(np.float64), axis=1))[rows, label]
        return -float(np.log(np.maximum((1 - wrong) * right + wrong * (1 - right) / others, 1e-300)).mean())

    grid = np.linspace(*_RANGE, _POINTS)  # there can be several valleys, where wrong labels are expected
    best = int(np.argmin([unlikely(point) for point in grid]))
    around = grid[max(best - 1, 0)], grid[min(best + 1, _POINTS - 1)]
    return _least(unlikely, around)


def as_sure_as(scores: np.ndarray, belief: np.ndarray) -> float:
    """The factor on the scores under which their softmax is nearest to these shares of one (in cross-entropy)."""

    def unlikely(logarithm: float) -> float:
        return -float((belief * log_softmax(np.exp(logarithm) * scores.astype(np.float64), axis=1)).sum(axis=1).mean())

    return _least(unlikely, _RANGE)


def _least(unlikely: Callable[[float], float], between: tuple[float, float]) -> float:
    """The factor, between these logarithms, that makes it least."""
    from scipy.optimize import minimize_scalar  # here, because every command would wait for it

    return float(np.exp(minimize_scalar(unlikely, bounds=between, method="bounded").x))
