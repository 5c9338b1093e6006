"""Where to evaluate the law of a noisy argmax, and what noise looks like there.

The probability that class j wins is the integral over x of f(x - n_j) prod_{k != j} F(x - n_k). F and f depend on a
count only through x - count, so one row of values serves every class, count and neighbour: another count is the same
row read from another place.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.special import log_ndtr

from pate.accounting.discrete_gaussian import log_below, log_mass

Function = Callable[[np.ndarray], np.ndarray]
Pair = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]

_PRECISION = 1e-13  # aimed at, relative, for each class's probability
# Relative error of a probability above exact_rdp.RARE, and of a law's total, that whatever is claimed allows for. Held
# against 40-digit arithmetic at the edges of what is accepted (tests/accounting/test_precision.py).
SLACK = 4 * _PRECISION
_MOST_NODES = 32  # of a Gauss-Legendre rule in u: the outer weights of larger ones have errors above 1e-13
_KEEP = 20_000_000  # numbers of one table


@dataclass(frozen=True)
class Row:
    """A function of (node - count): `line` on the regular nodes, `tail` (one row a count) on the few irregular ones."""

    line: np.ndarray
    tail: np.ndarray
    per_count: int  # entries of the line from one count to the next
    width: int
    stride: int = 1

    def at(self, counts: np.ndarray) -> np.ndarray:
        """Values at all nodes for an array of counts, in -1..teachers+1: shape (*counts.shape, nodes)."""
        if self._all.size:
            return self._all[counts + 1]
        needed, place = np.unique(counts, return_inverse=True)
        return self._rows(needed)[place.reshape(counts.shape)]

    @cached_property
    def _all(self) -> np.ndarray:
        """Every row, where that is not too much to keep."""
        counts = np.arange(-1, len(self.tail) - 1)
        return self._rows(counts if len(counts) * self.width <= _KEEP else counts[:0])

    def _rows(self, counts: np.ndarray) -> np.ndarray:
        windows = sliding_window_view(self.line, (self.width - 1) * self.stride + 1)[:, :: self.stride]
        last = len(self.tail) - 2  # teachers + 1
        return np.concatenate([windows[(last - counts) * self.per_count], self.tail[counts + 1]], axis=1)


@dataclass(frozen=True)
class Grid:
    """Quadrature weights, and the noise on its nodes.

    `ell` is log F, `rate` f/F, `down` and `up` the factors by which F changes when a count loses or gains a vote.
    `floor` is the part of every class's probability from below all nodes, where each class has the same share.
    """

    weights: np.ndarray
    floor: float
    ell: Row
    rate: Row
    down: Row
    up: Row


def laplace(gamma: float, teachers: int, classes: int) -> Grid:
    """Continuous Laplace noise of scale 1/gamma: kinks at whole numbers only.

    Gauss-Legendre in each unit cell of [0, teachers + 1]. Above, every factor is 1 - exp(-gamma (x - count))/2, so in
    u = exp(-gamma (x - top)) the integrand is a polynomial, and Gauss-Legendre in u is exact, or as good as exact on
    two pieces of (0, 1) where so many nodes would lose digits. Below 0 every factor is exp(gamma (x - count))/2, and
    the integral is the product at 0 over the number of classes.
    """

    def noise(cell: np.ndarray, part: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        x = cell + part
        decay = np.exp(-gamma * np.maximum(x, 0)) / 2
        ell = np.where(x < 0, gamma * np.minimum(x, 0) - math.log(2), np.log1p(-decay))
        return ell, np.where(x < 0, gamma, gamma * decay / (1 - decay))

    u, du = _legendre(min((classes + 1) // 2, _MOST_NODES))
    if (classes + 1) // 2 > _MOST_NODES:  # (1 - u/2)^classes has fallen by exp(-32) at the border
        border = 64 / classes
        u, du = (
            np.concatenate([border * u, border + (1 - border) * u]),
            np.concatenate([border * du, (1 - border) * du]),
        )
    tail = (teachers + 1 - np.log(u) / gamma, np.zeros_like(u), du / (gamma * u))
    floor = math.exp(-classes * math.log(2) - gamma * teachers) / classes
    return _cells(noise, _nodes_per_cell(gamma, classes), teachers, tail, floor)


def discrete_laplace(gamma: float, teachers: int, classes: int) -> Grid:
    """Two-sided geometric noise K with ties broken uniformly: the noise K + U(0, 1), with F linear in each unit cell.

    The same cells as for Laplace noise. Above them, cell number c contributes a polynomial in exp(-gamma c) without
    constant term, and the sum over all those cells is a Gauss rule for the masses exp(-gamma c) at exp(-gamma c).
    """
    t = math.exp(-gamma)

    def noise(cell: np.ndarray, part: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        # cell <= 0: F = Pr[K < cell] + part Pr[K = cell], a factor exp(gamma (cell - 1)) apart that may underflow
        grown = (1 - t) * math.exp(gamma)
        below = gamma * (np.minimum(cell, 0) - 1) - math.log1p(t) + np.log1p(part * grown)
        density = (1 - t) / (1 + t) * np.exp(-gamma * np.maximum(cell, 0))  # Pr[K = cell], cell > 0
        above = np.exp(-gamma * np.maximum(cell, 0)) / (1 + t) - part * density  # Pr[K >= cell] - ..., cell > 0
        ell = np.where(cell <= 0, below, np.log1p(-np.minimum(above, 0.75)))
        return ell, np.where(cell <= 0, grown / (1 + part * grown), density / (1 - above))

    # Half as many nodes as classes are exact: a polynomial. F grows by exp(gamma) in a cell, fastest at its start.
    per_cell = min((classes + 1) // 2, _nodes_per_cell(math.expm1(gamma), classes))
    u, mass = _geometric_rule(t, (classes + 2) // 2)
    inner, inner_weights = _legendre(per_cell)
    cells = np.repeat(teachers + 1 - np.log(u) / gamma, per_cell)  # need not be whole
    tail = (cells, np.tile(inner, len(u)), np.outer(mass / u, inner_weights).ravel())
    floor = math.exp(-gamma * (teachers + classes) - classes * math.log1p(t)) / classes
    return _cells(noise, per_cell, teachers, tail, floor)


def gaussian(sigma: float, teachers: int, classes: int) -> Grid:
    """Gaussian noise: the integrand is analytic, so the trapezoid rule converges exponentially (Trefethen & Weideman
    2014) and steps of about sigma/4 are enough, finer ones for many classes; beyond 12 sigma nothing is left."""
    fineness = max(4.0, _peaked(classes))
    per_count = max(1, math.ceil(fineness / sigma))
    stride = max(1, math.floor(sigma / fineness))
    far = math.ceil(12 * sigma) + 1

    def log_below(x: np.ndarray) -> np.ndarray:
        return log_ndtr(x / sigma)

    def log_density(x: np.ndarray) -> np.ndarray:
        return -0.5 * (x / sigma) ** 2 - math.log(sigma * math.sqrt(2 * math.pi))

    return trapezoid(log_below, log_density, -far, far, per_count, stride, teachers)


def trapezoid(
    log_below: Function,
    log_density: Function,
    low: int,
    high: int,
    per_count: int,
    stride: int,
    teachers: int,
) -> Grid:
    """Any analytic noise, by ln F and ln f: the trapezoid rule from `low` to `teachers + high`, nodes stride/per_count
    of a vote apart. Below `low` no class may win, and above nothing may be left, to within SLACK."""
    first, last = low, teachers + high
    width = ((last - first) * per_count) // stride + 1
    x = np.arange((first - teachers - 1) * per_count, (last + 2) * per_count + stride) / per_count
    ell = log_below(x)
    lines = (ell, np.exp(log_density(x) - ell), np.exp(log_below(x + 1) - ell), np.exp(log_below(x - 1) - ell))
    nothing = np.zeros((teachers + 3, 0))
    rows = [Row(line, nothing, per_count, width, stride) for line in lines]
    return Grid(np.full(width, stride / per_count), 0.0, *rows)


def discrete_gaussian(sigma: float, teachers: int, classes: int) -> Grid:
    """Discrete Gaussian noise K with ties broken uniformly: the noise K + U(0, 1), with F linear in each unit cell.

    Within a cell the integrand is a polynomial: Gauss-Legendre. For each of its nodes remains a sum over all cells of
    a function that is analytic in the cell's number (Pr[K < c] is the sum of Pr[K = c - i] over i > 0) and as smooth
    as the Gaussian, so that one cell in about sigma/6 is enough (the trapezoid rule, see `gaussian`). Different nodes
    may take different cells: every `stride`-th of all (cell, node) pairs in order, where `stride` and the number of
    nodes have no common factor, takes for each node every `stride`-th cell.
    """
    per_cell = min((classes + 1) // 2, _nodes_per_cell(8 / sigma, classes))
    stride = max(1, math.floor(sigma / max(6.0, _peaked(classes))))
    while math.gcd(stride, per_cell) > 1:
        per_cell += 1
    inner, inner_weights = _legendre(per_cell)
    first, last = -math.ceil(12 * sigma) - 1, teachers + 1 + math.ceil(12 * sigma)
    width = ((last - first) * per_cell) // stride + 1
    cell = np.arange(first - teachers - 1, last + 3, dtype=float)[:, None]
    ell = log_below(cell, inner, sigma)
    rate = np.exp(log_mass(cell, sigma) - ell)
    down, up = (np.exp(log_below(cell + move, inner, sigma) - ell) for move in (1, -1))
    nothing = np.zeros((teachers + 3, 0))
    rows = [Row(line.ravel(), nothing, per_cell, width, stride) for line in (ell, rate, down, up)]
    return Grid(stride * inner_weights[stride * np.arange(width) % per_cell], 0.0, *rows)


def _cells(
    noise: Pair, per_cell: int, teachers: int, tail: tuple[np.ndarray, np.ndarray, np.ndarray], floor: float
) -> Grid:
    """Gauss-Legendre nodes in the cells 0..teachers, and the tail's nodes behind them."""
    inner, inner_weights = _legendre(per_cell)
    offset = np.repeat(np.arange(-teachers - 1, teachers + 2), per_cell).astype(float)
    part = np.tile(inner, len(offset) // per_cell)
    tail_cell, tail_part, tail_weights = tail
    beyond = tail_cell - np.arange(-1, teachers + 2)[:, None]
    width = (teachers + 1) * per_cell

    def rows(cells: np.ndarray, parts: np.ndarray) -> list[np.ndarray]:
        ell, rate = noise(cells, parts)
        return [ell, rate, np.exp(noise(cells + 1, parts)[0] - ell), np.exp(noise(cells - 1, parts)[0] - ell)]

    made = [
        Row(line, far, per_cell, width)
        for line, far in zip(rows(offset, part), rows(beyond, np.broadcast_to(tail_part, beyond.shape)), strict=True)
    ]
    weights = np.concatenate([np.tile(inner_weights, teachers + 1), tail_weights])
    return Grid(weights, floor, *made)


def _nodes_per_cell(gamma: float, classes: int) -> int:
    """Gauss-Legendre nodes so that exp(r x) is integrated over a unit cell to _PRECISION, r = gamma min(classes, 8).

    The error of p nodes is (p!)^4 / ((2p+1) (2p)!^3) r^(2p) (Davis & Rabinowitz 1984). Only where most factors are
    small, and their product negligible, does it grow faster than that: 8 is what 40-digit arithmetic asks for.
    """
    r = gamma * min(classes, 8)
    for p in range(3, 40):
        error = 4 * math.lgamma(p + 1) - math.log(2 * p + 1) - 3 * math.lgamma(2 * p + 1) + 2 * p * math.log(r)
        if error < math.log(_PRECISION):
            return p
    return 40


def _peaked(classes: int) -> float:
    """Steps to a sigma that the product of so many distribution functions asks for: it rises like one of noise ever
    narrower. Measured in 40-digit arithmetic: 5 for 20 classes, 6 for 30, 7 for 100, 8 for 300."""
    return 1.8 * math.log(classes)


def _legendre(p: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre nodes and weights on (0, 1)."""
    nodes, weights = np.polynomial.legendre.leggauss(p)
    return (nodes + 1) / 2, weights / 2


def _geometric_rule(t: float, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss rule for the masses t^c at the points t^c, c = 0, 1, ...: exact for polynomials up to degree 2p - 1.

    Lanczos on the support points (Golub & Welsch 1969); points beyond 1e-18 of the total mass change nothing.
    """
    points = t ** np.arange(math.ceil(42 / -math.log(t)) + 1)
    basis: list[np.ndarray] = []
    diagonal, off = [], []
    vector = np.sqrt(points / points.sum())
    for _ in range(min(p, len(points))):
        basis.append(vector)
        diagonal.append(vector @ (points * vector))
        residual = points * vector
        for _ in range(2):  # twice is enough to stay orthogonal
            for one in basis:
                residual = residual - (one @ residual) * one
        off.append(float(np.linalg.norm(residual)))
        if off[-1] < 1e-14:
            break
        vector = residual / off[-1]
    between = off[: len(diagonal) - 1]
    nodes, vectors = np.linalg.eigh(np.diag(diagonal) + np.diag(between, 1) + np.diag(between, -1))
    return nodes, vectors[0] ** 2 * points.sum()
