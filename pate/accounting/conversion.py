"""From Renyi divergence to (epsilon, delta) and back: three conversions, each at most as large as the one before.

`mironov` is the published one, `closed_form` the best in closed form, `lossless` the best there is at a single order.
Each works per order; `epsilon` and `delta` take the smallest over the orders. An order at which the divergence is
infinite says nothing and is passed over. Any set of orders gives a valid result, a denser one a smaller result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Conversion = Literal["mironov", "closed_form", "lossless"]

# Real orders from 1.01 to 10,001, dense where the minimum of a PATE or DP-SGD curve usually lies.
ORDERS: Floats = 1 + np.concatenate([np.geomspace(0.01, 1, 40, endpoint=False), np.geomspace(1, 1e4, 360)])
PAPER_ORDERS: Floats = np.concatenate([np.arange(1.5, 64, 0.5), [128, 256, 512]])  # of the 2018 paper's kind

_PRECISION = 1e-9  # of a bisection; it stops above the root
_ROUNDING = 4e-15  # a generous bound on the relative rounding of one term of the sums below


def epsilon(rdp: ArrayLike, orders: ArrayLike, delta: float, conversion: Conversion = "closed_form") -> float:
    """The smallest epsilon at which a Renyi curve (one value per order) is known to give (epsilon, delta)-DP."""
    if not 0 < delta < 1:
        raise ValueError(f"delta must lie strictly between 0 and 1, got {delta}")
    z, a = _finite(rdp, orders)
    return float(np.min(_EPSILON[_known(conversion)](z, a, delta), initial=np.inf))


def by_order(rdp: Floats, orders: Floats, delta: float) -> Floats:
    """What each order says by itself, in closed form, of one curve or of several (curves x orders); infinite where the
    divergence is."""
    known = np.isfinite(rdp)
    return np.where(known, _closed_epsilon(np.where(known, rdp, 0.0), orders, delta), np.inf)


def delta(rdp: ArrayLike, orders: ArrayLike, epsilon: float, conversion: Conversion = "closed_form") -> float:
    """The smallest delta at which a Renyi curve (one value per order) is known to give (epsilon, delta)-DP."""
    if not 0 <= epsilon < np.inf:
        raise ValueError(f"epsilon must be zero or more and finite, got {epsilon}")
    z, a = _finite(rdp, orders)
    return float(np.exp(np.min(_LOG_DELTA[_known(conversion)](z, a, epsilon), initial=0.0)))


def _mironov_epsilon(z: Floats, a: Floats, delta: float) -> Floats:
    """Mironov 2017, Proposition 3; Abadi et al. 2016, Theorem 2.2 is the same statement about moments."""
    return z - np.log(delta) / (a - 1)


def _mironov_log_delta(z: Floats, a: Floats, epsilon: float) -> Floats:
    return np.minimum((a - 1) * (z - epsilon), 0)


def _closed_epsilon(z: Floats, a: Floats, delta: float) -> Floats:
    """Asoodeh et al. 2020, main result 2; its first term is Balle et al. 2020, Thm 21, Canonne et al. 2020, Prop 12."""
    small = a * delta < 1
    balle = z + np.log1p(-1 / a) - np.log(a * delta) / (a - 1)
    # ln(1 + expm1(y) / (a delta)), y = (a-1) z; for large y in logarithms, where the 1s no longer count
    y = (a - 1) * z
    asoodeh = np.where(
        y < 30,
        np.log1p(np.expm1(np.minimum(y, 30)) / (a * delta)),
        np.logaddexp(0, y - np.log(a * delta)),
    ) / (a - 1)
    return np.maximum(np.where(small, np.minimum(balle, asoodeh), z + np.log1p(-delta)), 0)


def _closed_log_delta(z: Floats, a: Floats, epsilon: float) -> Floats:
    """The inverse of `_closed_epsilon`, which falls in delta on either side of delta = 1/a and is continuous there.

    Up to epsilon = z + ln(1 - 1/a) only a delta of 1/a or more will do, and it is 1 - exp(epsilon - z). Beyond, delta
    is less than 1/a and the smaller of the two terms solved for it; the second one needs epsilon > z.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        large = np.log(-np.expm1(np.minimum(epsilon - z, 0)))
        balle = (a - 1) * (z - epsilon + np.log1p(-1 / a)) - np.log(a)
        asoodeh = _log_expm1((a - 1) * z) - _log_expm1((a - 1) * epsilon) - np.log(a)
    asoodeh = np.where(z == 0, -np.inf, np.where(epsilon > z, asoodeh, np.inf))
    return np.where(epsilon <= z + np.log1p(-1 / a), large, np.minimum(balle, asoodeh))


def _lossless_epsilon(z: Floats, a: Floats, delta: float) -> Floats:
    """Asoodeh et al. 2020, main result 1, inverted by bisection below the closed form.

    For a * delta >= 1 the closed form is itself lossless (their main result 2).
    """
    high = _closed_epsilon(z, a, delta)
    search = (a * delta < 1) & (high > 0)
    zs, orders, top = z[search], a[search], high[search]
    high[search] = _bisect(lambda e: _suffices(zs, orders, e, np.full_like(e, delta)), np.zeros_like(top), top)
    return high


def _lossless_log_delta(z: Floats, a: Floats, epsilon: float) -> Floats:
    high = _closed_log_delta(z, a, epsilon)
    search = (high + np.log(a) < 0) & np.isfinite(high)
    zs, orders, top = z[search], a[search], high[search]
    high[search] = _bisect(lambda d: _suffices(zs, orders, np.full_like(d, epsilon), np.exp(d)), top - 60, top)
    return high


def _suffices(z: Floats, a: Floats, epsilon: Floats, delta: Floats) -> NDArray[np.bool_]:
    """Whether every mechanism of RDP z at order a is (epsilon, delta)-DP: false when rounding leaves it open.

    It is when no two coins, heads p and q = exp(-epsilon) (p - delta), are closer than z: the least value of
    F(p) = p^a q^(1-a) + (1-p)^a (1-q)^(1-a) must reach exp((a-1) z). F is convex, falls up to p = a * delta and rises
    at p = 1. Bisect on the sign of F' (over the log-odds of p between the two) until a point lies below, or the
    tangent at a point, which lies below F, stays above on all of the bracket.
    """
    target = (a - 1) * z
    left, right = np.full_like(a, -60.0), np.full_like(a, 60.0)
    bottom, top = a * delta, np.ones_like(a)
    enough, open_ = np.zeros(a.shape, dtype=bool), np.ones(a.shape, dtype=bool)
    for _ in range(50):
        middle = (left + right) / 2
        p, log_f, slope, rounding = _coins(middle, a, epsilon, delta)
        rising = slope >= 0
        left, right = np.where(rising, left, middle), np.where(rising, middle, right)
        bottom, top = np.where(rising, bottom, p), np.where(rising, p, top)
        falls = np.abs(slope) * (top - bottom)  # relative, from p to the far end of what is left
        lowest = log_f + np.log1p(-np.minimum(falls, 0.5)) - rounding
        enough |= open_ & (falls < 0.5) & (lowest >= target)
        open_ &= ~enough & (log_f + rounding >= target)
        if not open_.any():
            break
    return enough


def _coins(odds: Floats, a: Floats, epsilon: Floats, delta: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """p, ln F(p), F'(p)/F(p) and a bound on the rounding of ln F, at the log-odds of (p - a delta) / (1 - a delta)."""
    room = 1 - a * delta
    rest = room / (1 + np.exp(odds))  # 1 - p, without cancellation
    gain = room / (1 + np.exp(-odds))  # p - a delta
    p = a * delta + gain
    less = (a - 1) * delta + gain  # p - delta
    other = -np.expm1(-epsilon) + np.exp(-epsilon) * (rest + delta)  # 1 - q
    log_p, log_q = np.log(p), np.log(less) - epsilon
    log_rest, log_other = np.log(rest), np.log(other)
    heads, tails = a * log_p - (a - 1) * log_q, a * log_rest - (a - 1) * log_other
    log_f = np.logaddexp(heads, tails)
    in_heads, in_tails = np.exp(heads - log_f), np.exp(tails - log_f)
    slope = in_heads * gain / (p * less) + in_tails * ((a - 1) * np.exp(-epsilon) / other - a / rest)
    size = in_heads * (np.abs(log_p) + np.abs(log_q)) + in_tails * (np.abs(log_rest) + np.abs(log_other))
    return p, log_f, slope, _ROUNDING * (1 + a * size)


def _bisect(enough: Callable[[Floats], NDArray[np.bool_]], low: Floats, high: Floats) -> Floats:
    """The upper ends of the brackets left of `enough` turning true; `high` is known to be enough."""
    while np.any(high - low > _PRECISION):
        middle = (low + high) / 2
        good = enough(middle)
        low, high = np.where(good, low, middle), np.where(good, middle, high)
    return high


def _log_expm1(x: ArrayLike) -> Floats:
    x = np.asarray(x, dtype=float)
    return np.where(x < 30, np.log(np.expm1(np.minimum(x, 30))), x + np.log1p(-np.exp(-np.maximum(x, 30))))


def _finite(rdp: ArrayLike, orders: ArrayLike) -> tuple[Floats, Floats]:
    """Both as arrays, without the orders at which nothing is known."""
    z, a = np.atleast_1d(np.asarray(rdp, dtype=float)), np.atleast_1d(np.asarray(orders, dtype=float))
    if z.ndim != 1 or z.shape != a.shape:
        raise ValueError(f"rdp must hold one value per order, got shapes {z.shape} and {a.shape}")
    if not ((a > 1) & np.isfinite(a)).all():
        raise ValueError("orders must be finite and greater than 1")
    if not (z >= 0).all():
        raise ValueError("rdp must be zero or more at every order")
    known = np.isfinite(z)
    return z[known], a[known]


def _known(conversion: Conversion) -> Conversion:
    if conversion not in _EPSILON:
        raise ValueError(f"conversion must be one of {', '.join(_EPSILON)}, got {conversion!r}")
    return conversion


_EPSILON: dict[str, Callable[[Floats, Floats, float], Floats]] = {
    "mironov": _mironov_epsilon,
    "closed_form": _closed_epsilon,
    "lossless": _lossless_epsilon,
}
_LOG_DELTA: dict[str, Callable[[Floats, Floats, float], Floats]] = {
    "mironov": _mironov_log_delta,
    "closed_form": _closed_log_delta,
    "lossless": _lossless_log_delta,
}
