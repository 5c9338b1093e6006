"""Data-dependent Renyi divergence of GNMax and Confident-GNMax (Papernot et al. 2018, "Scalable Private Learning with
PATE", Appendix A).

When the votes agree, the plurality wins with probability 1 - q and a single vote can hardly change that. Theorem 6
turns q into a bound, given the divergences (mu, mu/sigma^2) that hold for all data at two higher orders mu1, mu2;
Proposition 10 chooses mu2 = sigma sqrt(ln 1/q), mu1 = mu2 + 1. With t = sqrt(ln 1/q) and s = 1/sigma that choice
makes the theorem short:

    q at a neighbour  <=  (q exp(mu2 s^2))^(1 - 1/mu2)  =  exp(-(t-s)^2)
    B                  =  exp(mu1 s^2) q^(-1/(mu1-1))   =  exp(2ts + s^2)
    exp((a-1) D_a)    <=  (1-q)^a (1 - exp(-(t-s)^2))^(1-a) + q B^(a-1)

The theorem bounds D || D' only: with two classes, sigma 5, order 4 and a gap of 47 the other direction costs 3.9
times as much, with sigma 1, order 2 and a gap of 9, 313 times. `both_directions` is ours: it adds the bound for
D' || D that the same two inequalities give, at 2% more on the reference votes.

All of it rests on those divergences and on q. Discrete Gaussian noise has the same divergences (Canonne, Kamath &
Steinke 2020, Proposition 5), so only q has to be its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_ndtr, logsumexp

from pate.accounting import conversion
from pate.accounting.confident import log_passes
from pate.accounting.discrete_gaussian import log_overtakes
from pate.accounting.guarantee import Guarantee, one_direction

Floats = NDArray[np.float64]
Bound = Callable[[ArrayLike, float, ArrayLike], Floats]  # ln q per query, sigma, orders -> queries x orders


def log_q(counts: np.ndarray, sigma: float, noise: str = "continuous") -> Floats:
    """ln of Proposition 7's bound on Pr[answer is not the plurality], per row: sum of erfc(gap / 2 sigma) / 2.

    A union bound; it may exceed 1 on split votes, where no data-dependent bound applies. With discrete noise each rival
    counts with its exact chance of overtaking the plurality, ties decided by a coin.
    """
    sigma = _positive(sigma, "sigma")
    counts = np.asarray(counts, dtype=float)
    gaps = np.sort(counts.max(axis=1, keepdims=True) - counts, axis=1)[:, 1:]
    each = log_ndtr(-gaps / (sigma * math.sqrt(2))) if noise == "continuous" else log_overtakes(gaps, sigma)
    return np.asarray(logsumexp(each, axis=1), dtype=np.float64)


def independent(sigma: float, orders: ArrayLike) -> Floats:
    """Proposition 8: each answer of GNMax is (a, a / sigma^2)-RDP, whatever the data (two counts move by one)."""
    return _orders(orders) / _positive(sigma, "sigma") ** 2


def published(log_q: ArrayLike, sigma: float, orders: ArrayLike) -> Floats:
    """Theorem 6 with Proposition 10, direction D || D' only (queries x orders); Proposition 8 where it does not apply.

    It applies for mu1 > a, mu2 > 1 and q <= exp((mu2-1) eps2) / (mu1/(mu1-1) * mu2/(mu2-1))^mu2, which in t and s is
    (t-s) exp(2ts - s^2) >= t + s, and for A = (1-q)/(1 - exp(-(t-s)^2)) <= B. Then the bound rises with q, also
    through the chosen mu1 and mu2, so that an upper bound on q will do: half of d/dt of its right side above is
    A^(a-1) (a t q - (a-1) (t-s) q' A) - q B^(a-1) (t - (a-1) s), at most 0 under just these conditions.
    """
    a, s = _orders(orders), 1 / _positive(sigma, "sigma")
    t = _root(log_q)
    possible = t > s
    near, t = np.where(possible, t - s, 1), np.where(possible, t, 1 + s)
    stay_now, stay_then = _log1mexp(t**2), _log1mexp(near**2)
    log_b = 2 * t * s + s**2
    applies = possible & (t > (a - 1) * s)
    applies &= (np.log(near) + 2 * t * s - s**2 >= np.log(t + s)) & (stay_now - stay_then <= log_b)
    total = _log_sum(a * stay_now - (a - 1) * stay_then, (a - 1) * log_b - t**2)
    return np.where(applies, np.minimum(total / (a - 1), a * s**2), a * s**2)


def both_directions(log_q: ArrayLike, sigma: float, orders: ArrayLike) -> Floats:
    """The larger of Theorem 6 and the like bound for D' || D (queries x orders); holds for either, unlike Theorem 6.

    At the neighbour the plurality loses with q' <= exp(-u^2), u = t - s (Mironov 2017, Prop 10, at order mu2). The
    plurality adds at most (1-q)^(1-a) to the sum of p'^a p^(1-a), the others, by Hoelder at order mu = sigma u + 1 > a,
    at most q' (exp(mu s^2) q'^(-1/(mu-1)))^(a-1) = exp(-u^2 + (a-1)(2us + s^2)). Both rise with q.
    """
    a, s = _orders(orders), 1 / _positive(sigma, "sigma")
    t = _root(log_q)
    u = t - s
    applies = u > (a - 1) * s
    total = _log_sum(-(a - 1) * _log1mexp(np.where(u > 0, t, 1) ** 2), (a - 1) * (2 * u * s + s**2) - u**2)
    reverse = np.where(applies, np.minimum(total / (a - 1), a * s**2), a * s**2)
    return np.maximum(reverse, published(log_q, sigma, orders))


def confident_independent(threshold_sigma: float, sigma: float, orders: ArrayLike) -> Floats:
    """Confident-GNMax, per query asked, answered or not: a/(2 sigma1^2) for the test, a/sigma^2 for the answer.

    The largest count moves by at most one, two counts of the argmax by one each.
    """
    return independent(math.sqrt(2) * _positive(threshold_sigma, "threshold_sigma"), orders) + independent(
        sigma, orders
    )


def confident(
    counts: np.ndarray,
    threshold: float,
    threshold_sigma: float,
    sigma: float,
    orders: ArrayLike,
    bound: Bound = published,
    noise: str = "continuous",
) -> Floats:
    """Confident-GNMax at these counts (queries x orders), every query charged for the test and for the answer.

    The test is a two-outcome mechanism with (a, a / (2 sigma1^2))-RDP, so Theorem 6 holds for it with sqrt(2) sigma1
    as its sigma and q the chance of its less likely outcome, whichever that is. Both charges add up because the pair
    (passed, answer) is a composition. The paper's experiments multiply the second charge by the chance of an answer:
    an expectation over runs, which bounds no divergence, so it is not offered.
    """
    if not math.isfinite(threshold):
        raise ValueError(f"threshold must be a finite number of votes, got {threshold}")
    wide = math.sqrt(2) * _positive(threshold_sigma, "threshold_sigma")
    test = np.minimum(*log_passes(np.asarray(counts, dtype=float).max(axis=1), threshold, threshold_sigma, noise))
    return bound(test, wide, orders) + bound(log_q(counts, sigma, noise), sigma, orders)


def prices(total: Callable[[Floats], Floats], delta: float) -> list[Guarantee]:
    """Theorem 6 on some votes, given the sum over queries at any orders: at the paper's, and at all."""
    paper, orders = conversion.PAPER_ORDERS, conversion.ORDERS
    few = conversion.epsilon(total(paper), paper, delta, "mironov")
    many = conversion.epsilon(total(orders), orders, delta)
    return one_direction("gnmax2018", few, many, delta, "Papernot et al. 2018, Thm 6")


def _root(log_q: ArrayLike) -> Floats:
    """t = sqrt(ln 1/q) as a column; 0 where the bound on q is no probability."""
    return np.sqrt(np.maximum(-np.atleast_1d(np.asarray(log_q, dtype=float)), 0))[:, None]


def _log1mexp(x: Floats) -> Floats:
    """ln(1 - exp(-x)) for x > 0, minus infinity at 0."""
    with np.errstate(divide="ignore"):
        return np.where(x < 0.7, np.log(-np.expm1(-x)), np.log1p(-np.exp(-x)))


def _log_sum(x: Floats, y: Floats) -> Floats:
    """ln(exp(x) + exp(y)), never below 0 and exact to the last digits also when it is tiny (x near 0, y very low)."""
    small = np.maximum(x, y) < 0.5
    tiny = np.log1p(np.maximum(np.expm1(np.where(small, x, 0)) + np.exp(np.where(small, y, 0)), 0))
    return np.where(small, tiny, np.maximum(np.logaddexp(x, y), 0))


def _orders(orders: ArrayLike) -> Floats:
    a = np.atleast_1d(np.asarray(orders, dtype=float))
    if not ((a > 1) & np.isfinite(a)).all():
        raise ValueError("orders must be finite and greater than 1")
    return a


def _positive(value: float, name: str) -> float:
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name} must be a positive number, got {value}")
    return float(value)
