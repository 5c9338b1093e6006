"""The discrete Gaussian: whole numbers k with Pr[K = k] proportional to exp(-k^2 / (2 sigma^2)).

Canonne, Kamath & Steinke 2020, "The Discrete Gaussian for Differential Privacy". Votes are whole numbers, so shifts are
too, and for those the divergence of order a is at most the continuous Gaussian's, a shift^2 / (2 sigma^2) (their
Proposition 5, Theorem 4): completing the square leaves the sum of exp(-(k - x)^2 / (2 sigma^2)) over that at x = 0,
where it is largest. Probabilities are sums here, never integrals; all are given by their logarithms.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

# A sum is cut where terms have fallen by exp(-42); as later ones fall ever faster, 1e-18 of it is lost.
_FALL = 42.0
_DIRECT = 20.0  # up to this spread every sum is taken by itself, beyond all are read from one table
_TABLE = 36.0  # the table's end, in spreads: what it holds is above the smallest double
_CHUNK = 2_000_000  # numbers at once


@lru_cache(maxsize=1024)
def log_normaliser(sigma: float, shift: float = 0.0) -> float:
    """ln of the sum over all whole k of exp(-(k - shift)^2 / (2 sigma^2)), shift 0 or 1/2.

    From sigma 1 on by Poisson summation: sigma sqrt(2 pi) times the sum of exp(-2 pi^2 sigma^2 j^2) cos(2 pi j shift).
    """
    k = np.arange(-12.0, 13.0)
    if sigma >= 1:
        waves = np.exp(-2 * (math.pi * sigma * k) ** 2) * np.cos(2 * math.pi * k * shift)
        return math.log(sigma * math.sqrt(2 * math.pi)) + math.log(waves.sum())
    exponent = -((k - shift) ** 2) / (2 * sigma**2)
    return float(np.logaddexp.reduce(np.sort(exponent)))


def log_mass(k: np.ndarray, sigma: float) -> np.ndarray:
    """ln Pr[K = k]."""
    return -((k / sigma) ** 2) / 2 - log_normaliser(sigma)


def log_tail(k: np.ndarray, sigma: float) -> np.ndarray:
    """ln Pr[K >= k] for whole k."""
    k = np.asarray(k, dtype=float)
    upper = _log_sums(np.where(k > 0, k, 1 - k), sigma) - log_normaliser(sigma)
    return np.where(k > 0, upper, np.log1p(-np.exp(np.minimum(upper, -math.log(2)))))


def log_below(cell: np.ndarray, part: np.ndarray, sigma: float) -> np.ndarray:
    """ln Pr[K + U < cell + part], U uniform on (0, 1), for whole cells and parts in [0, 1].

    Adding U to every count breaks ties uniformly at random; it makes the law a density that is Pr[K = k] on [k, k+1).
    """
    past = np.where(cell > 0, cell + 1.0, 1.0 - cell)  # the first beyond the cell, seen from 0
    beyond = _log_sums(past, sigma) - log_normaliser(sigma)
    with np.errstate(divide="ignore"):
        inside = np.log(np.where(cell > 0, 1 - part, part)) + log_mass(cell, sigma)
    outer = np.logaddexp(beyond, inside)
    return np.where(cell > 0, np.log1p(-np.exp(np.where(cell > 0, outer, -np.inf))), outer)


def log_overtakes(gap: np.ndarray, sigma: float) -> np.ndarray:
    """ln Pr[the noise of a rival exceeds that of a class `gap` >= 0 votes ahead by more, or as much and a coin falls].

    The difference D of two noises has Pr[D = d] = exp(-d^2 / (4 sigma^2)) times a sum over the whole numbers, shifted
    by d/2: one constant for even d, another for odd.
    """
    half, spread = sigma / math.sqrt(2), sigma * math.sqrt(2)
    gap = np.asarray(gap, dtype=float)
    even = log_normaliser(half) - 2 * log_normaliser(sigma)
    odd = log_normaliser(half, 0.5) - log_normaliser(half)
    tie = -((gap / spread) ** 2) / 2 + np.where(gap % 2 == 1, odd, 0) - math.log(2)
    return even + np.logaddexp(tie, _log_sums(gap + 1, spread, odd))


def _log_sums(first: np.ndarray, spread: float, odd: float = 0.0) -> np.ndarray:
    """ln of the sum over k >= first >= 0 of exp(-k^2 / (2 spread^2)), odd k times exp(odd)."""
    table = _each(spread, odd) if spread <= _DIRECT else _table(spread, odd)
    found = np.asarray(table[np.minimum(first, len(table) - 1).astype(int)])
    far = first >= len(table)
    if far.any():
        needed, place = np.unique(first[far], return_inverse=True)
        found[far] = _direct(needed, spread, odd)[place]
    return found


@lru_cache(maxsize=64)
def _each(spread: float, odd: float) -> np.ndarray:
    """The same of a small spread for first = 0, 1, ... 720, every sum taken by itself."""
    return _direct(np.arange(_TABLE * _DIRECT + 1), spread, odd)


@lru_cache(maxsize=8)
def _table(spread: float, odd: float) -> np.ndarray:
    """The same of a large spread, all sums read from one."""
    k = np.arange(math.ceil((_TABLE + 1.5) * spread), dtype=float)
    sums = sums_from(np.exp(-((k / spread) ** 2) / 2 + np.where(k % 2 == 1, odd, 0)))
    return np.log(sums[: math.floor(_TABLE * spread) + 1])


def _direct(first: np.ndarray, spread: float, odd: float) -> np.ndarray:
    """Every sum taken by itself."""
    found = np.empty(len(first))
    start = float(first.min(initial=np.inf)) / spread
    width = math.ceil(2 * _FALL * spread / (math.hypot(start, math.sqrt(2 * _FALL)) + start)) + 2
    for some in np.array_split(np.arange(len(first)), 1 + len(first) * width // _CHUNK):
        k = first[some, None] + np.arange(width)
        log_terms = -((k / spread) ** 2) / 2 + np.where(k % 2 == 1, odd, 0)
        top = log_terms.max(axis=1, keepdims=True)
        found[some] = top[:, 0] + np.log(np.exp(log_terms - top).sum(axis=1))
    return found


def sums_from(terms: np.ndarray) -> np.ndarray:
    """For each of n terms along the last axis the sum of it and all after it, with at most 2 sqrt(n) + 2 roundings:
    pieces of sqrt(n) terms are added up, then the pieces."""
    *outer, n = terms.shape
    side = math.isqrt(n) + 1
    padded = np.concatenate([terms, np.zeros((*outer, side * side - n))], axis=-1).reshape(*outer, side, side)
    inner = np.cumsum(padded[..., ::-1], axis=-1)[..., ::-1]
    pieces = np.cumsum(inner[..., ::-1, 0], axis=-1)[..., ::-1]
    inner[..., :-1, :] += pieces[..., 1:, None]
    return inner.reshape(*outer, side * side)[..., :n]
