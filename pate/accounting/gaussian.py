"""The Gaussian mechanism, exactly (Balle & Wang 2018, Theorem 8; Dong, Roth & Su 2022, Corollary 2.13)."""

from __future__ import annotations

import math

from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr


def epsilon(mu: float, delta: float) -> float:
    """Epsilon at delta of a mu-Gaussian-DP mechanism: mu is the distance of means over the standard deviation."""

    def excess(value: float) -> float:
        return float(ndtr(mu / 2 - value / mu) - math.exp(value + log_ndtr(-mu / 2 - value / mu))) - delta

    if excess(0.0) <= 0:
        return 0.0
    high = mu * mu / 2 + mu * math.sqrt(2 * math.log(1 / delta))  # Mironov's conversion is above
    return float(brentq(excess, 0.0, high, xtol=1e-12)) + 1e-11
