"""The Gaussian mechanism, exactly: continuous (Balle & Wang 2018, Theorem 8; Dong, Roth & Su 2022, Corollary 2.13) and
discrete (Canonne, Kamath & Steinke 2020, Theorem 7)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.special import log_ndtr, ndtr

from pate.accounting import conversion
from pate.accounting.discrete_gaussian import log_tail
from pate.accounting.guarantee import Guarantee, for_every
from pate.accounting.pld import Losses, compose, connect_the_dots

_POINTS = 300  # of the loss grid, between no loss and the largest
_LARGEST_LOSS = 300.0  # of one count: its exponential is still a number


def prices(moved: dict[float, int], noise: str, delta: float) -> Iterator[Guarantee]:
    """Counts that move by one, each with Gaussian noise of its own: moved[sigma] of them, on every data set.

    Continuous and discrete noise have the same Renyi divergences, but Balle & Wang's epsilon is the continuous one's.
    """
    continuous = noise == "continuous"
    squared = sum(times / sigma**2 for sigma, times in moved.items())  # distance of means, in standard deviations
    by_moments = conversion.epsilon(squared / 2 * conversion.PAPER_ORDERS, conversion.PAPER_ORDERS, delta, "mironov")
    moments_of = "Papernot et al. 2018, Prop 8" if continuous else "Canonne, Kamath & Steinke 2020, Prop 5"
    yield for_every("moments_independent", by_moments, delta, f"{moments_of}; Mironov 2017, Prop 3")
    if continuous:
        optimal, theorem = epsilon(math.sqrt(squared), delta), "Balle & Wang 2018, Thm 8"
    else:
        optimal = discrete_epsilon(moved, delta)
        theorem = "Canonne, Kamath & Steinke 2020, Thm 7; Zhu, Dong & Wang 2022, Thm 10"
    yield for_every("optimal_independent", optimal, delta, theorem)


def epsilon(mu: float, delta: float) -> float:
    """Epsilon at delta of a mu-Gaussian-DP mechanism: mu is the distance of means over the standard deviation."""

    from scipy.optimize import brentq  # here, because it doubles what this module takes to import

    def excess(value: float) -> float:
        return float(ndtr(mu / 2 - value / mu) - math.exp(value + log_ndtr(-mu / 2 - value / mu))) - delta

    if excess(0.0) <= 0:
        return 0.0
    high = mu * mu / 2 + mu * math.sqrt(2 * math.log(1 / delta))  # Mironov's conversion is above
    return float(brentq(excess, 0.0, high, xtol=1e-12)) + 1e-11


def discrete_epsilon(times: dict[float, int], delta: float) -> float:
    """Epsilon at delta of counts that move by 1, each with its own discrete noise: times[sigma] of them.

    The smaller of two bounds that hold for adaptive queries as well. One is the Renyi divergence a/(2 sigma^2) of each
    count (Proposition 5), summed and converted. The other composes the hockey-stick curve of one count (Theorem 7; the
    same in both directions by symmetry) as a privacy loss distribution; it is the worst, as a count that stays put
    loses nothing (Zhu, Dong & Wang 2022, Theorem 10: dominating pairs compose).
    """
    squared = sum(k / sigma**2 for sigma, k in times.items())
    by_renyi = conversion.epsilon(squared / 2 * conversion.ORDERS, conversion.ORDERS, delta)
    far = math.sqrt(2 * math.log(1e6 * sum(times.values()) / delta))  # deviations: rarer noise counts as lost
    step = max((2 * far * sigma + 1) / (2 * sigma**2) for sigma in times) / _POINTS
    if _POINTS * step > _LARGEST_LOSS:
        return by_renyi
    losses = Losses.join([_discrete_losses(sigma, step) for sigma in times])
    try:
        (composed,) = compose(losses, np.array([float(k) for k in times.values()]), delta)
    except ValueError:  # the grid would be too long
        return by_renyi
    return min(by_renyi, composed.epsilon(delta))


def _discrete_losses(sigma: float, step: float) -> Losses:
    """Of one count: delta(e) = Pr[K > e sigma^2 - 1/2] - exp(e) Pr[K > e sigma^2 + 1/2], and exp(-e) of it at -e."""
    e = step * np.arange(_POINTS + 1)
    first = np.floor(e * sigma**2 - 0.5) + 1
    here, there = log_tail(first, sigma), log_tail(first + 1, sigma)
    curve = np.exp(here) * np.maximum(-np.expm1(e + there - here), 0)
    found = connect_the_dots(curve[None, 1:], (np.exp(-e) * curve)[None, ::-1], step)
    rounding = 1e-15 * (4 + math.sqrt(40 * sigma))  # of the tails: see the table of `discrete_gaussian`
    return Losses(step, found.masses, found.infinite + rounding)
