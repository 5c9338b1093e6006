"""The three-outcome laws of `three_outcomes` for discrete Gaussian noise.

Uniform ties are the argmax after adding U(0, 1) to every count: the density is p_j = Pr[K = j] on [j, j + 1).
f(x)/f(x+1) is exp((2j + 1) / (2 sigma^2)) there, which never decreases, as `argmax_independent` asks; and one vote on
it is larger by exactly exp(1/sigma^2). So f(x)^2 = exp(1/sigma^2) f(x-1) f(x+1), and by Cauchy-Schwarz
F(x)^2 <= exp(1/sigma^2) F(x-1) F(x+1): `rise` falls by at most 1/sigma^2 per vote, what Sampford's inequality says of
the continuous Gaussian. Moving s up by a whole vote therefore never lowers A's density ratio drop(s) + rise(s + gap)
and never raises B's, which is minus A's at (s + gap - 1, 2 - gap): both are extreme within a vote of a box's ends.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import log_ndtr

from pate.accounting.discrete_gaussian import log_below, log_mass, log_normaliser, sums_from
from pate.accounting.three_outcomes import Gaussian, NoiseLaw, Range

LARGEST_SIGMA = 300.0  # beyond, sums get long: a certificate would take minutes
_REACH = 9.3  # deviations from the mode beyond which terms are below exp(-42) of the largest
_FAR = 22.0  # deviations from the centre; there h has fallen by about exp(-22^2)
_SMALLEST = -650.0  # the logarithm of what a double holds with all its digits
_TERMS = 4_000_000  # at once


@dataclass(frozen=True)
class DiscreteGaussian(NoiseLaw):
    """Pr[K = k] proportional to exp(-k^2 / (2 sigma^2)), ties broken uniformly."""

    sigma: float

    def __post_init__(self) -> None:
        if not 0 < self.sigma <= LARGEST_SIGMA:
            raise ValueError(f"sigma must be positive and at most {LARGEST_SIGMA:g}, got {self.sigma}")

    @property
    def scale(self) -> float:
        return self.sigma

    def log_below(self, x: np.ndarray) -> np.ndarray:
        cell, part, finite = _split(x)
        return np.where(finite, log_below(cell, part, self.sigma), np.where(x > 0, 0.0, -np.inf))

    def log_wins(self, s: np.ndarray, lead: np.ndarray) -> np.ndarray:
        """A sum over the whole unit cells above s, and the part of the cell that holds s.

        On cell i the integral of f(x) F(x + lead) is h_i = p_i F(i + lead + 1/2), on the part of cell j above s = j + u
        it is p_j (1-u) F(j + lead + (1+u)/2).
        """
        s, lead = np.broadcast_arrays(np.asarray(s, float), np.asarray(lead, float))
        cell, part, finite = _split(s)
        cells = self._sums(np.where(finite, cell + 1, np.where(s < 0, -np.inf, 0)).ravel(), lead.ravel())
        with np.errstate(divide="ignore"):
            rest = np.log1p(-part) + log_mass(cell, self.sigma) + log_below(cell + lead, (1 + part) / 2, self.sigma)
        cells = cells.reshape(s.shape)
        return np.where(s == np.inf, -np.inf, np.where(finite, np.logaddexp(cells, rest), cells))

    def _sums(self, first: np.ndarray, lead: np.ndarray) -> np.ndarray:
        """ln of the sum of h_i over i >= first, pair by pair.

        log h is concave, with second differences of at most -1/sigma^2, so h falls by exp(-42) within 9.3 sigma + 2 of
        its mode, which lies between c - 1 and c + 0.8 sigma + 1, c = max(0, -lead/2). Below c it grows: p rises below
        0, and F(x+1)/F(x), an average of f(y+1)/f(y) over y < x, is at least the last of these. Above it falls: with
        y = i + lead, log F(y + 3/2) / F(y + 1/2) is at most p_0 + p_1 <= 0.8/sigma at y = 0, less beyond, and grows by
        at most 1/sigma^2 for each vote below. So nothing before c - 9.3 sigma - 3 counts, and all sums of one lead are
        read from one row, but for those that start so far out that a row would not hold their numbers.
        """
        near = first <= np.maximum(0, -lead / 2) + _FAR * self.sigma
        out = np.full(len(first), -np.inf)
        leads, row = np.unique(lead[near], return_inverse=True)
        table = _rows(self.sigma)
        row = table.of(leads)[row]
        start = table.lowest[row]
        out[near] = table.logs[row, (np.maximum(first[near], start) - start).astype(int)]
        far = np.flatnonzero(out < _SMALLEST)
        out[near] += table.tops[row]
        width = int(_REACH * self.sigma) + 4
        for some in np.array_split(far, 1 + len(far) * width // _TERMS):
            log_h = _log_h(self.sigma, first[some], lead[some], width)
            out[some] = log_h[:, 0] + np.log(np.exp(log_h - log_h[:, :1]).sum(axis=1))
        return out

    def drop(self, x: np.ndarray) -> np.ndarray:
        return (2 * np.floor(x) + 1) / (2 * self.sigma**2)

    def rise(self, x: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore"):
            return np.where(x == -np.inf, np.inf, self.log_below(x) - self.log_below(x - 1))

    def known_rdp(self, alpha: float) -> float:
        """Two counts move by one (Canonne, Kamath & Steinke 2020, Proposition 5)."""
        return alpha / self.sigma**2

    def log_moment_above(self, s: np.ndarray, alpha: float) -> np.ndarray:
        """p_j^alpha p_(j+1)^(1-alpha) is exp(alpha (alpha-1) / (2 sigma^2)) times a mass shifted by c = alpha - 1.

        Those from the cell of s on add up to at most 1 (Poisson summation), and beyond c, where they fall, to at most
        the first plus the integral.
        """
        grown, centre = alpha * (alpha - 1) / (2 * self.sigma**2), alpha - 1
        start = np.maximum((np.floor(s) - centre) / self.sigma, 0)
        first = -(start**2) / 2 - log_normaliser(self.sigma)
        tail = np.where(start > 0, np.minimum(np.logaddexp(first, log_ndtr(-start)), 0), 0)
        return grown + tail + 1e-14 * (16 + grown - np.where(np.isfinite(tail), tail, 0))

    def a_ratio(self, low: np.ndarray, high: np.ndarray, least: np.ndarray, most: np.ndarray) -> Range:
        return self._lowest_a(low, high, most), self._highest_a(low, high, least)

    def b_ratio(self, low: np.ndarray, high: np.ndarray, least: np.ndarray, most: np.ndarray) -> Range:
        return (
            -self._highest_a(low + most - 1, high + most - 1, 2 - most),
            -self._lowest_a(low + least - 1, high + least - 1, 2 - least),
        )

    def _lowest_a(self, low: np.ndarray, high: np.ndarray, gap: np.ndarray) -> np.ndarray:
        """At s in the lowest vote of the box; its limit as s falls, -(gap - 1)/sigma^2, is a bound everywhere."""
        with np.errstate(invalid="ignore"):
            found = self.drop(low) + self.rise(np.minimum(high, low + 1) + gap)
        limit = self.least_inner_ratio(gap)
        return np.where(low == -np.inf, limit, np.maximum(found, limit))

    def _highest_a(self, low: np.ndarray, high: np.ndarray, gap: np.ndarray) -> np.ndarray:
        """At s in the highest vote of the box."""
        return self.drop(high) + self.rise(np.maximum(low, high - 1) + gap)

    def rest_ratio(self, low: np.ndarray, high: np.ndarray, least: np.ndarray, most: np.ndarray) -> Range:
        below, above = super().rest_ratio(low, high, least, most)
        return np.maximum(below, self.least_inner_ratio(most)), above

    def least_inner_ratio(self, most: np.ndarray) -> np.ndarray:
        """drop(x) - drop(x + gap - 1) = -(gap - 1)/sigma^2 at whole gaps, and no less between."""
        return -(most - 1) / self.sigma**2


class _Rows:
    """For one sigma the logarithms of all sums of h_i over i >= first, from the `lowest` first on, less their largest
    (`tops`): a row for each lead that was asked for. It hangs on nothing else, whoever asks first and for what else."""

    def __init__(self, sigma: float) -> None:
        self._sigma, self._width = sigma, math.ceil((_FAR + 2 * _REACH) * sigma) + 10
        self._forget()

    def _forget(self) -> None:
        self._place: dict[float, int] = {}
        self.logs, self.tops, self.lowest = np.empty((0, self._width)), np.empty(0), np.empty(0)

    def of(self, leads: np.ndarray) -> np.ndarray:
        """The rows of these leads."""
        if self.logs.size > _TERMS:
            self._forget()
        new = np.array([lead for lead in leads.tolist() if lead not in self._place])
        for some in np.array_split(new, 1 + new.size * self._width // _TERMS) if new.size else ():
            self._add(some)
        return np.array([self._place[lead] for lead in leads.tolist()], dtype=int)

    def _add(self, leads: np.ndarray) -> None:
        self._place |= {lead: len(self.tops) + number for number, lead in enumerate(leads.tolist())}
        lowest = np.floor(np.maximum(0, -leads / 2) - _REACH * self._sigma) - 3
        log_h = _log_h(self._sigma, lowest, leads, self._width)
        tops = log_h.max(axis=1)
        with np.errstate(divide="ignore"):
            logs = np.log(sums_from(np.exp(log_h - tops[:, None])))
        self.logs = np.concatenate([self.logs, logs])
        self.tops, self.lowest = np.append(self.tops, tops), np.append(self.lowest, lowest)


@lru_cache(maxsize=2)
def _rows(sigma: float) -> _Rows:
    return _Rows(sigma)


def _log_h(sigma: float, first: np.ndarray, lead: np.ndarray, width: int) -> np.ndarray:
    """log h at first, first + 1, ... (rows, width), from a table of F."""
    if not len(first):
        return np.empty((0, width))
    i = first[:, None] + np.arange(width)
    y = i + lead[:, None]
    least, most = y.min(), max(y.min(), math.ceil(12 * sigma) + 1)  # F is 1 beyond
    table = log_below(np.arange(least, most + 1), np.array(0.5), sigma)
    return log_mass(i, sigma) + table[np.minimum(y - least, len(table) - 1).astype(int)]


def _split(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The cell of x, how far into it x is, and whether x is finite; 0 and 0 where it is not."""
    x = np.asarray(x, float)
    finite = np.isfinite(x)
    known = np.where(finite, x, 0)
    return np.floor(known), known - np.floor(known), finite


def gaussian(sigma: float, noise: str) -> NoiseLaw | None:
    """Gaussian noise, `discrete` or `continuous`, as `certified_rdp` takes it; None where nothing is certified."""
    if noise == "continuous":
        return Gaussian(sigma)
    return DiscreteGaussian(sigma) if sigma <= LARGEST_SIGMA else None
