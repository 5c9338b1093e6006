"""One sum of bounded answers with Gaussian noise on every coordinate: its price, and the noise an epsilon asks for.

A unit (a record, or all records of a person) adds one vector of length at most B. Replaced by nothing it moves the sum
by at most B, replaced by another by at most 2 B, so with noise of deviation sigma B the release is 1/sigma-Gaussian-DP,
or 2/sigma: delta(e) = Phi(1/(2 sigma) - e sigma) - exp(e) Phi(-1/(2 sigma) - e sigma) (Balle & Wang 2018, Theorem 8).

Discrete noise on whole numbers has the same Renyi divergences a / (2 sigma^2) (Canonne, Kamath & Steinke 2020, Theorem
4: each coordinate's are at most the continuous one's, and they add up), but another curve. Rounding the continuous
mechanism's output is post-processing, and what it gives is close to the discrete mechanism: if every output law is
within T of it in total variation, delta grows by (1 + exp(e)) T. Of both prices the smaller one is taken.
"""

from __future__ import annotations

import math

import numpy as np

from pate.accounting import conversion, gaussian
from pate.accounting.filter import ORDERS, Cost
from pate.accounting.guarantee import Adjacency, Guarantee, Relation, given

CONTINUOUS = "Balle & Wang 2018, Thm 8"
ROUNDED = "Balle & Wang 2018, Thm 8, of the rounded sum; discrete noise within total variation of it"
RENYI = "Canonne, Kamath & Steinke 2020, Thm 4; Asoodeh et al. 2020"
_SECOND, _THIRD = 0.96789, 1.5101  # integrals of |f''| and |f'''| of the standard normal density, rounded up
_PRECISION = 1e-9  # relative, of the noise found for an epsilon
_WIDEST = 1e6  # noise that is considered, in bounds


def far_from_rounded(deviation: float, coordinates: int) -> float:
    """A bound on the total variation distance between discrete Gaussian noise of this deviation, in whole steps, on so
    many coordinates, and continuous noise of the same deviation that is rounded.

    With f the density, a cell's mass is within max |f''| / 24 of f(k), the error of the midpoint rule. The maxima of
    all cells sum to at most the integral of |f''|, plus |f'''|'s for the variation inside cells; the discrete masses
    are f(k) over their sum, which differs from 1 by at most 3 exp(-2 pi^2 deviation^2) (Poisson summation).
    """
    if deviation < 2:
        return math.inf
    one = (_SECOND / deviation**2 + _THIRD / deviation**3) / 48 + 2 * math.exp(-2 * (math.pi * deviation) ** 2)
    return coordinates * one


def priced(mu: float, delta: float, far: float = 0.0) -> tuple[float, str]:
    """Epsilon at delta, and by which theorem, where a unit moves the sum by mu deviations; `far` is the total variation
    from the rounded continuous mechanism, 0 where noise is continuous."""
    if not far:
        return gaussian.epsilon(mu, delta), CONTINUOUS
    by_renyi = conversion.epsilon(mu**2 / 2 * conversion.ORDERS, conversion.ORDERS, delta)
    best = by_renyi
    for _ in range(2):  # with an epsilon that holds in the exponent, what comes out holds as well, and is smaller
        left = delta - (1 + math.exp(min(best, 700.0))) * far
        if left <= 0:
            break
        best = min(best, gaussian.epsilon(mu, left))
    return (best, ROUNDED) if best < by_renyi else (by_renyi, RENYI)


def guarantees(
    sigma: float, delta: float, far: float = 0.0, group: str | None = None, accountant: str = "gaussian_sum"
) -> tuple[Guarantee, Guarantee]:
    """Under zero-out and under replace-one, on every data set."""
    out, other = priced(1 / sigma, delta, far), priced(2 / sigma, delta, far)
    relations = Relation(Adjacency.ZERO_OUT, group), Relation(Adjacency.REPLACE_ONE, group)
    return (
        Guarantee(out[0], delta, relations[0], False, accountant, out[1]),
        Guarantee(other[0], delta, relations[1], False, accountant, other[1]),
    )


def cost(sigma: float, delta: float, far: float = 0.0) -> Cost:
    """As the ledger adds it up, under zero-out."""
    rdp = np.array(ORDERS, dtype=float) / (2 * sigma**2)
    return Cost(tuple(np.nextafter(rdp, np.inf).tolist()), math.inf, priced(1 / sigma, delta, far)[0], delta)


def noise_for(epsilon: float, delta: float, far: float = 0.0) -> float:
    """The least sigma, to a relative 1e-9, whose zero-out price is at most `epsilon`; a ValueError if none is."""
    if not (math.isfinite(epsilon) and epsilon > 0):
        raise ValueError(f"epsilon must be a positive number, got {epsilon}")
    low, high = 1e-2, 1.0
    if priced(1 / low, delta, far)[0] <= epsilon:
        raise ValueError(f"epsilon={given(epsilon)} asks for almost no noise: ask for less")
    while priced(1 / high, delta, far)[0] > epsilon:
        low, high = high, 4 * high
        if high > _WIDEST:
            raise ValueError(f"epsilon={given(epsilon)} is out of reach at delta={given(delta)}: ask for more")
    while high / low > 1 + _PRECISION:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if priced(1 / middle, delta, far)[0] <= epsilon else (middle, high)
    return high
