"""What DP-SGD costs, by every accountant published for it: Gaussians on Poisson samples of the records, composed.

For comparison with PATE's ladder, one relation for all: a record is added, removed or replaced by nothing.
`q` is the sampling rate, `sigma` the noise multiplier.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, logsumexp

from pate.accounting import calibrate, conversion
from pate.accounting.moments import epsilon_from_moments

Floats = NDArray[np.float64]

ORDERS: Floats = 1 + np.geomspace(0.1, 500, 150)  # beyond them dp_accounting's series may not converge
MOMENTS = np.arange(1, 33, dtype=float)  # Abadi et al. 2016, section 5: lambda <= 32 suffices


def strong_composition_as_published(q: float, sigma: float, steps: int, delta: float) -> float:
    """The figure DP-SGD was first compared with (9.34 in Abadi et al. 2016, section 5.1). NOT a valid bound.

    It amplifies epsilon linearly by q and uses the classical Gaussian formula beyond epsilon 1, where neither holds.
    """
    _check(q, sigma, steps, delta)
    step_delta = delta / (2 * steps * q)
    step = q * math.sqrt(2 * math.log(1.25 / step_delta)) / sigma
    return step * math.sqrt(2 * steps * math.log(2 / delta)) + steps * step**2


def moments(q: float, sigma: float, steps: int, delta: float) -> float:
    """The moments accountant: Abadi et al. 2016, Theorem 2.2 (moments 1 to 32, tail bound)."""
    _check(q, sigma, steps, delta)
    return epsilon_from_moments(steps * log_moments(q, sigma), MOMENTS, delta)


def log_moments(q: float, sigma: float) -> Floats:
    """ln E over mu of (mu/mu0)^l for l = 1..32, mu0 = N(0, sigma^2), mu = (1-q) mu0 + q N(1, sigma^2).

    That is ln E over mu0 of (mu/mu0)^(l+1): binomially, sum_k C(l+1, k) (1-q)^(l+1-k) q^k exp((k^2-k) / (2 sigma^2)).
    The other expectation of the paper, over mu0 of (mu0/mu)^l, is never larger (Mironov et al. 2019, Theorem 5).
    """
    n = (MOMENTS + 1)[:, None]
    k = np.arange(MOMENTS[-1] + 2)[None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        stay = np.where(n > k, (n - k) * np.log1p(-q), 0.0)
    binomial = np.where(k <= n, gammaln(n + 1) - gammaln(k + 1) - gammaln(np.maximum(n - k, 0) + 1), -np.inf)
    terms = binomial + stay + k * math.log(q) + (k**2 - k) / (2 * sigma**2)
    return np.asarray(logsumexp(terms, axis=1), dtype=np.float64)


def rdp(q: float, sigma: float, orders: ArrayLike) -> Floats:
    """Renyi divergence of one step at real orders (Mironov et al. 2019), by dp_accounting."""
    import dp_accounting
    from dp_accounting.rdp import RdpAccountant

    _check(q, sigma, 1, 0.5)
    accountant = RdpAccountant(list(np.atleast_1d(np.asarray(orders, dtype=float))))
    accountant.compose(dp_accounting.PoissonSampledDpEvent(q, dp_accounting.GaussianDpEvent(sigma)))
    return np.asarray(accountant.rdp, dtype=np.float64)


def renyi(
    q: float,
    sigma: float,
    steps: int,
    delta: float,
    orders: ArrayLike = ORDERS,
    by: conversion.Conversion = "closed_form",
) -> float:
    """Renyi divergences at real orders, composed and converted."""
    _check(q, sigma, steps, delta)
    return conversion.epsilon(steps * rdp(q, sigma, orders), orders, delta, by)


def renyi_after(q: float, sigma: float, steps: int, delta: float, once: float | None = None) -> float:
    """Renyi divergences at whole orders, at which each is a finite sum (Mironov et al. 2019), with the release `once`
    before the steps, and their lossless conversion (Asoodeh et al. 2020): a little more than what is charged."""
    orders = np.arange(2, 257)
    divergence = steps * rdp(q, sigma, orders)
    if once is not None:
        divergence = divergence + orders / (2 * once**2)
    return conversion.epsilon(divergence, orders, delta, "lossless")


def pld(q: float, sigma: float, steps: int, delta: float) -> float:
    """The privacy loss distribution, composed: what this package charges DP-SGD with."""
    return calibrate.epsilon(sigma, q, steps, delta, "replaced-by-nothing")


def _check(q: float, sigma: float, steps: int, delta: float) -> None:
    if not 0 < q <= 1:
        raise ValueError(f"q must be a probability above 0, got {q}")
    if not (math.isfinite(sigma) and sigma > 0):
        raise ValueError(f"sigma must be a positive number, got {sigma}")
    if steps < 1:
        raise ValueError(f"steps must be at least 1, got {steps}")
    if not 0 < delta < 1:
        raise ValueError(f"delta must lie strictly between 0 and 1, got {delta}")
