"""Composition of k answers that are each `step`-DP, whatever the data (Dwork & Roth 2014, section 3.5; for the best
there is, Kairouz, Oh & Viswanath 2015)."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betaln


def basic(step: float, k: int) -> float:
    """Theorem 3.16: epsilons add up; no delta is spent."""
    return step * k


def advanced(step: float, k: int, delta: float) -> float:
    """Theorem 3.20 (Dwork, Rothblum & Vadhan 2010) for pure steps."""
    return step * math.sqrt(2 * k * math.log(1 / delta)) + k * step * math.expm1(step)


def optimal(step: float, k: int, delta: float) -> float:
    """Kairouz, Oh & Viswanath 2015, Theorem 3.3: no smaller epsilon holds for every k mechanisms of pure step-DP.

    Every step-DP mechanism is at most as revealing as randomised response, so the composed loss takes the k + 1 values
    (2j - k) step, with a binomial law. delta(epsilon) = sum over j of (P_j - exp(epsilon) Q_j)_+, inverted by
    bisection; the upper end is returned, with a relative 1e-9 of delta set aside for rounding.
    """
    if not (math.isfinite(step) and step > 0):
        raise ValueError(f"step must be a positive number, got {step}")
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    if not 0 < delta < 1:
        raise ValueError(f"delta must lie strictly between 0 and 1, got {delta}")
    j = np.arange(k // 2, k + 1)  # smaller j lose at most 0
    loss = (2.0 * j - k) * step
    log_p = -betaln(j + 1, k - j + 1) - math.log(k + 1) + (j - k) * step - k * math.log1p(math.exp(-step))

    def exceeds(epsilon: float) -> bool:
        above = loss > epsilon
        spent = np.exp(log_p[above] + np.log(-np.expm1(epsilon - loss[above]))).sum()
        return bool(spent * (1 + 1e-9) > delta)

    low, high = 0.0, k * step
    if not exceeds(low):
        return low
    while high - low > 1e-9 * max(1.0, high):
        middle = (low + high) / 2
        low, high = (middle, high) if exceeds(middle) else (low, middle)
    return high
