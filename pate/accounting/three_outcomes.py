"""What is left of a noisy argmax once the untouched classes are set aside: three outcomes.

A neighbour moves one vote from class a to class b: n_a -> n_a - 1, n_b -> n_b + 1. Condition on M, the best noisy
count among all other classes, and on whose it is; both have the same law in the two worlds and are independent of the
noise of a and b. Then a wins, b wins, or the rest does. With gap = n_a - n_b, s = M - n_a, and independent noises
Z of a and Z' of b with density f and distribution function F,

    A = Pr[Z > s, Z + gap > Z'],  B = Pr[Z' > s + gap, Z' - gap > Z],  R = F(s) F(s + gap),

and after the move A', B', R' are the same three at (gap - 2, s + 1). All are made of one function, log_wins(s, lead),
the logarithm of the integral of f(x) F(x + lead) over x > s: A is at (s, gap), B at (s + gap, -gap).

The bounds in `argmax_independent` ask one thing of a noise: f(x) / f(x + 1) never decreases (`drop`, its logarithm).
Laplace and Gaussian densities are log-concave; the steps of discrete densities satisfy it too (the discrete Gaussian's
are in `three_outcomes_discrete`). It follows that F(x) / F(x - 1), a running average of f(y) / f(y - 1) over y < x,
never increases (`rise`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import log_ndtr, roots_legendre

Range = tuple[np.ndarray, np.ndarray]  # lower and upper ends


@dataclass(frozen=True)
class NoiseLaw(ABC):
    """Independent noise on every count."""

    @property
    @abstractmethod
    def scale(self) -> float:
        """The distance over which probabilities change by a constant factor."""

    @abstractmethod
    def log_below(self, x: np.ndarray) -> np.ndarray:
        """log F(x)."""

    @abstractmethod
    def log_wins(self, s: np.ndarray, lead: np.ndarray) -> np.ndarray:
        """log Pr[Z > s and Z + lead > Z']; relative error of the probability below 1e-14 (1 + |its logarithm|)."""

    @abstractmethod
    def drop(self, x: np.ndarray) -> np.ndarray:
        """log f(x) - log f(x + 1)."""

    @abstractmethod
    def rise(self, x: np.ndarray) -> np.ndarray:
        """log F(x) - log F(x - 1)."""

    @abstractmethod
    def known_rdp(self, alpha: float) -> float:
        """The data-independent bound of the literature."""

    def log_moment_above(self, s: np.ndarray, alpha: float) -> np.ndarray:
        """An upper bound on the log of the integral of f(x)^alpha f(x+1)^(1-alpha) over x > s, or infinity."""
        return np.full_like(s, np.inf)

    def a_ratio(self, low: np.ndarray, high: np.ndarray, least: np.ndarray, most: np.ndarray) -> Range:
        """Range of log f(s)F(s+gap) / f(s+1)F(s+gap-1), A's density ratio: s in [low, high], gap in [least, most]."""
        return self.drop(low) + self.rise(high + most), self.drop(high) + self.rise(low + least)

    def b_ratio(self, low: np.ndarray, high: np.ndarray, least: np.ndarray, most: np.ndarray) -> Range:
        """The same for B's, log f(s+gap)F(s) / f(s+gap-1)F(s+1)."""
        return (
            -self.drop(high + most - 1) - self.rise(low + 1),
            -self.drop(low + least - 1) - self.rise(high + 1),
        )

    def rest_ratio(self, low: np.ndarray, high: np.ndarray, least: np.ndarray, most: np.ndarray) -> Range:
        """Range of log R/R' = rise(s + gap) - rise(s + 1); never positive, as gap >= 1."""
        above = np.minimum(self.rise(low + least) - self.rise(high + 1), 0)
        return self.rise(high + most) - self.rise(low + 1), above

    def least_inner_ratio(self, most: np.ndarray) -> np.ndarray:
        """A lower bound on log f(x)f(x+gap) / f(x+1)f(x+gap-1) = drop(x) - drop(x+gap-1) for 1 <= gap <= most."""
        everywhere = np.array(np.inf)
        return np.broadcast_to(self.drop(-everywhere) - self.drop(everywhere), most.shape)


@dataclass(frozen=True)
class _Exponential(NoiseLaw):
    """Noise whose density and lower tail change by exp(gamma) per vote."""

    gamma: float

    def __post_init__(self) -> None:
        _check_positive("gamma", self.gamma)

    @property
    def scale(self) -> float:
        return 1 / self.gamma

    def rise(self, x: np.ndarray) -> np.ndarray:
        x = np.maximum(x, 0)  # further down the ratio stays
        return self.log_below(x) - self.log_below(x - 1)

    def known_rdp(self, alpha: float) -> float:
        """The largest under 2*gamma-DP (Kairouz et al. 2015), log(cosh((2 alpha - 1) gamma) / cosh gamma) / (alpha-1).

        Written as log1p of a product of sinh, which loses no digits when it is small.
        """
        if alpha * self.gamma > 300:
            return 2 * self.gamma - math.log1p(math.exp(-2 * self.gamma)) / (alpha - 1)
        product = 2 * math.sinh(alpha * self.gamma) * math.sinh((alpha - 1) * self.gamma) / math.cosh(self.gamma)
        return math.log1p(product) / (alpha - 1)


@dataclass(frozen=True)
class Laplace(_Exponential):
    """Density gamma/2 exp(-gamma |x|)."""

    def log_below(self, x: np.ndarray) -> np.ndarray:
        x = self.gamma * x
        return np.where(x < 0, x - math.log(2), np.log1p(-np.exp(-np.maximum(x, 0)) / 2))

    def log_wins(self, s: np.ndarray, lead: np.ndarray) -> np.ndarray:
        """Exponentials on three pieces that meet at 0 and -lead, each integrated from s up to its end.

        The uppermost, from v on, is exp(-v)/2 - exp(-2v-lead)/8, and exp(-v) is taken out of the others as well: they
        are not empty only when v is the larger of 0 and -lead. The terms subtracted are at most half of what they are
        subtracted from.
        """
        s, lead = self.gamma * s, self.gamma * lead
        v = np.maximum(s, np.maximum(0, -lead))
        ahead, behind = np.maximum(lead, 0), np.maximum(-lead, 0)
        between = np.clip(s, -ahead, behind)
        decay = np.exp(-ahead)
        middle = np.where(lead >= 0, decay * between / 4 - np.expm1(np.minimum(between, 0)) / 2, (behind - between) / 4)
        lower = -decay * np.expm1(2 * np.minimum(s + ahead, 0)) / 8
        with np.errstate(divide="ignore"):
            return -v + np.log(0.5 - np.exp(-np.maximum(v + lead, 0)) / 8 + middle + lower)

    def drop(self, x: np.ndarray) -> np.ndarray:
        return self.gamma * np.clip(2 * x + 1, -1, 1)


@dataclass(frozen=True)
class DiscreteLaplace(_Exponential):
    """Two-sided geometric noise, Pr[k] = tanh(gamma/2) exp(-gamma |k|), ties broken uniformly.

    Uniform ties are the argmax after adding U(0, 1) to every count. The sum has density p_j = Pr[j] on [j, j + 1), so
    f(x)/f(x+1) is exp(-gamma) below 0 and exp(gamma) from 0 on, and F is linear between whole numbers.
    """

    def log_below(self, x: np.ndarray) -> np.ndarray:
        """With q = exp(-gamma) and x = j + u: q^-j (q + (1-q) u) / (1+q) below 0; by symmetry 1 - F(1-x) above."""
        near = np.minimum(x, 1 - x)
        with np.errstate(invalid="ignore"):
            whole = np.floor(near)
            part = np.where(np.isfinite(near), near - whole, 0)
        q = math.exp(-self.gamma)
        tail = self.gamma * whole + np.log(q - math.expm1(-self.gamma) * part) - math.log1p(q)
        return np.where(x < 0.5, tail, np.log1p(-np.exp(np.minimum(tail, -math.log(2)))))

    def log_wins(self, s: np.ndarray, lead: np.ndarray) -> np.ndarray:
        """A geometric sum over the whole unit cells above s, and the part of the cell that holds s.

        On cell i the integral of f(x) F(x + lead) is p_i F(i + lead + 1/2), and F(y + 1/2) at whole y is 1 - q^y/2 or
        q^-y/2: geometric sums on three pieces, as for Laplace noise. On the part of cell j above s = j + u it is
        p_j (1-u) F(j + lead + (1+u)/2). The factor q^v is taken out of everything.
        """
        with np.errstate(invalid="ignore"):
            cell = np.floor(s)
            part = np.where(np.isfinite(s), s - cell, 0)
        q, whole = math.exp(-self.gamma), -math.expm1(-self.gamma)
        twice = -math.expm1(-2 * self.gamma)
        ahead, behind = np.maximum(lead, 0), np.maximum(-lead, 0)
        first = cell + 1
        v = np.maximum(first, behind)
        between = np.clip(first, -ahead, behind)
        decay = np.exp(-self.gamma * ahead)
        below = np.minimum(between, 0)
        middle = np.where(
            lead >= 0, -q * np.expm1(self.gamma * below) / whole + below * decay / 2, (behind - between) / 2
        )
        lower = -decay * q * q * np.expm1(2 * self.gamma * np.minimum(first + ahead, 0)) / (2 * twice)
        upper = 1 / whole - np.exp(-self.gamma * np.maximum(v + lead, 0)) / (2 * twice)
        with np.errstate(divide="ignore", invalid="ignore"):
            cells = -self.gamma * v + np.log(upper + middle + lower)
            rest = -self.gamma * np.abs(cell) + np.log1p(-part) + self.log_below(cell + lead + (1 + part) / 2)
        return math.log(math.tanh(self.gamma / 2)) + np.where(np.isfinite(s), np.logaddexp(cells, rest), cells)

    def drop(self, x: np.ndarray) -> np.ndarray:
        return np.where(x < 0, -self.gamma, self.gamma)


_ROWS = 4096  # integrals evaluated at once


@dataclass(frozen=True)
class Gaussian(NoiseLaw):
    """Normal noise of standard deviation sigma.

    With r = f/F, -1/sigma^2 < r' < 0 (Sampford 1953), so the slope of `rise`, r(x) - r(x-1), lies in (-1/sigma^2, 0),
    while `drop` has slope 1/sigma^2: A's density ratio increases with s, B's decreases, and both decrease with the
    gap. That ties down the ratios where `drop` and `rise` are both unbounded.
    """

    sigma: float

    def __post_init__(self) -> None:
        _check_positive("sigma", self.sigma)

    @property
    def scale(self) -> float:
        return self.sigma

    def log_below(self, x: np.ndarray) -> np.ndarray:
        return log_ndtr(x / self.sigma)

    def log_wins(self, s: np.ndarray, lead: np.ndarray) -> np.ndarray:
        """64 Gauss-Legendre nodes over the part of (s, infinity) that matters.

        In units of sigma, h(x) = f(x) F(x + lead) is log-concave with curvature between 1 and 2, and its mode lies
        between c = max(0, -lead/2) and c + 0.8, since f/F at -y exceeds y by 0.8 at y = 0 and by less beyond. Cutting
        below c - 9, and where h has fallen by exp(-40) beyond max(s, c + 1), loses less than 1e-16 of the integral.
        Off the axis |h(x + iy)| <= h(x) exp(y^2) (move the path of the integral for F), so on the ellipse rho = 1.7
        around an interval of half-length at most 9.5 h stays below exp(28) times its maximum, and the rule errs by
        less than 6.6 * 9.5 * exp(28) * 1.7^-128 < 3e-16 of that maximum. For s beyond c + 1 the interval is shorter
        and h grows by at most exp(3) on the part of the ellipse left of s: the error is smaller still.
        """
        s, lead = (np.asarray(each, float) / self.sigma for each in np.broadcast_arrays(s, lead))
        out = np.full(s.shape, -np.inf)
        rows = np.flatnonzero(s < np.inf)
        for some in np.array_split(rows, 1 + len(rows) // _ROWS):
            out.ravel()[some] = self._integral(s.ravel()[some], lead.ravel()[some])
        return out

    @staticmethod
    def _integral(s: np.ndarray, lead: np.ndarray) -> np.ndarray:
        centre = np.maximum(0, -lead / 2)
        start = np.maximum(s, centre - 9)
        peak = np.maximum(start, centre + 1)
        slope = peak - np.exp(_log_density(peak + lead) - log_ndtr(peak + lead))
        end = peak + 80 / (slope + np.sqrt(slope**2 + 80))
        half = (end - start) / 2
        nodes, weights = _rule()
        x = start[:, None] + half[:, None] * (1 + nodes)
        log_h = _log_density(x) + log_ndtr(x + lead[:, None])
        top = log_h.max(axis=1)
        return top + np.log(half * (np.exp(log_h - top[:, None]) @ weights))

    def drop(self, x: np.ndarray) -> np.ndarray:
        return (2 * x + 1) / (2 * self.sigma**2)

    def rise(self, x: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore"):
            return np.where(x == -np.inf, np.inf, self.log_below(x) - self.log_below(x - 1))

    def known_rdp(self, alpha: float) -> float:
        """The vector of counts moves by sqrt(2)."""
        return alpha / self.sigma**2

    def log_moment_above(self, s: np.ndarray, alpha: float) -> np.ndarray:
        """Exact: alpha x^2 + (1-alpha)(x+1)^2 = (x - (alpha-1))^2 - alpha(alpha-1), a normal tail."""
        grown, tail = alpha * (alpha - 1) / (2 * self.sigma**2), log_ndtr((alpha - 1 - s) / self.sigma)
        return grown + tail + 1e-14 * (16 + grown - tail)

    def a_ratio(self, low: np.ndarray, high: np.ndarray, least: np.ndarray, most: np.ndarray) -> Range:
        return self._at(low, most, 1), self._at(high, least, 1)

    def b_ratio(self, low: np.ndarray, high: np.ndarray, least: np.ndarray, most: np.ndarray) -> Range:
        return self._at(high, most, -1), self._at(low, least, -1)

    def _at(self, s: np.ndarray, gap: np.ndarray, side: int) -> np.ndarray:
        with np.errstate(invalid="ignore"):
            inner = self.drop(s) + self.rise(s + gap) if side > 0 else -self.drop(s + gap - 1) - self.rise(s + 1)
        return np.where(s == -np.inf, self.least_inner_ratio(gap), inner)

    def rest_ratio(self, low: np.ndarray, high: np.ndarray, least: np.ndarray, most: np.ndarray) -> Range:
        below, above = super().rest_ratio(low, high, least, most)
        return np.maximum(below, self.least_inner_ratio(most)), above

    def least_inner_ratio(self, most: np.ndarray) -> np.ndarray:
        """drop(x) - drop(x + gap - 1) = -(gap - 1)/sigma^2; also the limit of all three ratios as s falls."""
        return -(most - 1) / self.sigma**2


def log_laws(noise: NoiseLaw, gap: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The logarithms of (A, B, R) and of (A', B', R'), each stacked along a new first axis."""
    gap, s = (np.asarray(each, float) for each in np.broadcast_arrays(gap, s))
    wins = noise.log_wins(np.stack([s, s + gap, s + 1, s + gap - 1]), np.stack([gap, -gap, gap - 2, 2 - gap]))
    rest = noise.log_below(s) + noise.log_below(s + gap)
    moved = noise.log_below(s + 1) + noise.log_below(s + gap - 1)
    return np.stack([wins[0], wins[1], rest]), np.stack([wins[2], wins[3], moved])


@cache
def _rule() -> tuple[np.ndarray, np.ndarray]:
    """64 Gauss-Legendre nodes and weights on (-1, 1); on demand, because scipy loads its linear algebra for them."""
    nodes, weights = roots_legendre(64)
    return nodes, weights


def _log_density(z: np.ndarray) -> np.ndarray:
    return -z * z / 2 - math.log(2 * math.pi) / 2


def _check_positive(name: str, value: float) -> None:
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name} must be a positive number, got {value}")
