"""Releasing a data-dependent epsilon of GNMax: its smooth sensitivity, and Gaussian noise in proportion to it
(Papernot et al. 2018, Appendix B; Nissim, Raskhodnikova & Smith 2007).

The divergence of GNMax at these votes is itself a function of private data. It may be published after adding noise
that hides one record, which moves one vote in every query. How far a query's bound can move depends on the votes only
through q, so all is measured on one scale: w with q = (m-1)/2 erfc(w / sigma), the margin in votes, halved, of m-1
equal rivals. One moved vote changes w by at most 1 (the paper's B_U and B_L): the bound on q is the least, over
classes taken for the winner, of a sum of Gaussian tails; one move shifts each gap by at most 2; and a Gaussian tail
as a function of the same tail 2 votes on is concave, so by Jensen equal rivals are the extreme case. The bound falls
in w, so at w it changes by at most max(f(w-1) - f(w), f(w) - f(w+1)).

All this is shown for continuous noise, whose tails it names; nothing here holds for votes with discrete noise.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtri, ndtri_exp

from pate.accounting import conversion
from pate.accounting.costs import RELATION
from pate.accounting.counts import checked_counts
from pate.accounting.filter import ORDERS, Cost
from pate.accounting.gnmax2018 import Bound, both_directions, log_q
from pate.accounting.guarantee import Guarantee, HoldsFor, Relation
from pate.noise import Noise
from pate.workspace.artifact import Artifact

Floats = NDArray[np.float64]
ACCOUNTANT, THEOREM = "gnmax2018, sanitised", "Papernot et al. 2018, Appendix B"


@dataclass(frozen=True)
class Sanitised(Artifact):
    """A price of this data set that may leave, because noise hides what it tells of any record. Queries were fixed in
    advance; with seeded noise it hides nothing, and stays."""

    divergence: float
    epsilon: float
    delta: float
    publishable: bool
    guarantee: HoldsFor = "this data set"
    relation: str = RELATION
    assumes_fixed_queries: bool = True

    def priced(self) -> Guarantee:
        """What it says of the labels. It is of this data set; that it may leave all the same, its noise allows."""
        relation = Relation.of(self.relation)
        return Guarantee(self.epsilon, self.delta, relation, True, ACCOUNTANT, THEOREM, sanitised=self.publishable)


MISS = 1e-6  # the chance that a published divergence is below the true one
_CELLS = 64  # per unit of w: between grid points the bound is monotone, so a cell's ends bound it, 1/64 too high
_ROUNDING = 1e-6  # of w, which is a quantile


def smooth_sensitivity(
    counts: np.ndarray, sigma: float, order: float, beta: float, bound: Bound = both_directions
) -> float:
    """A beta-smooth upper bound on how far one record moves the sum of `bound` over these queries.

    It is max over d of exp(-beta d) times the sum over queries of the largest local sensitivity among histograms at
    most d moves away. Those histograms' q ranges between two found greedily, exactly until the top two meet: moving
    votes from the runner-up to the winner lowers q fastest, from the winner to the runner-up raises it fastest
    (Algorithms 4 and 5; the tail is convex). Classes are sorted first, so their order does not matter.
    """
    if not (math.isfinite(beta) and beta > 0):
        raise ValueError(f"beta must be a positive number, got {beta}")
    if not (math.isfinite(sigma) and sigma > 0):
        raise ValueError(f"sigma must be a positive number, got {sigma}")
    rows, repeats = np.unique(np.sort(checked_counts(counts), axis=1)[:, ::-1], axis=0, return_counts=True)
    teachers, classes = int(rows[0].sum()), rows.shape[1]
    local = _RangeMaximum(_local_sensitivity(teachers, classes, sigma, order, bound))
    ahead, behind = rows.copy(), rows.copy()  # votes after d moves for and against the winner
    every = np.arange(len(rows))
    largest, worst = 0.0, float(local(np.zeros(1, int), np.full(1, local.last))[0]) * repeats.sum()
    for distance in range(teachers + 1):
        if math.exp(-beta * distance) * worst <= largest:
            break
        if distance:
            rival = 1 + np.argmax(ahead[:, 1:], axis=1)
            moved = ahead[every, rival] > 0
            ahead[every, rival] -= moved
            ahead[:, 0] += moved
            behind[:, 0] -= 1
            behind[:, 1] += 1
        left = np.where(behind[:, 0] >= behind[:, 1], _margin(behind, sigma), 0.0)
        right = _margin(ahead, sigma)
        total = local(_cell(left - _ROUNDING), _cell(right + _ROUNDING)) @ repeats
        largest = max(largest, math.exp(-beta * distance) * float(total))
    return largest


def release_cost(order: float, beta: float, sigma_ss: float, shift: float = 0.0) -> float:
    """RDP of releasing f + S (shift + sigma_ss N(0,1)), S a beta-smooth bound on f's sensitivity; tight for such S.

    Between neighbours with S' = r^(1/2) S, exp(-2 beta) <= r <= exp(2 beta), and means at most
    min(S, S') + shift |S - S'| apart, two Gaussians of different width diverge by (Gil, Alajaji & Linder 2013)
    ln(r) / 2 + ln(r / v) / (2 (a-1)) + a (means)^2 / (2 sigma_ss^2 v S^2), v = 1 + a (r - 1) > 0;
    each term is largest at r = exp(-2 beta), a < 1 / (1 - exp(-2 beta)).

    The paper's Theorem 23, as its authors' code states it, has a exp(2 beta) / sigma_ss^2 in place of the last term,
    for a < 1 / (2 beta). That is no bound when 2 a beta is near 1 (v near 0): at a = 25, beta = 0.49 / a the true
    term is 12 times as large. So the formula is derived here, and tested by integration.
    """
    if not (math.isfinite(order) and order > 1):
        raise ValueError(f"order must be finite and greater than 1, got {order}")
    if not (math.isfinite(sigma_ss) and sigma_ss > 0):
        raise ValueError(f"sigma_ss must be a positive number, got {sigma_ss}")
    if not (math.isfinite(beta) and beta > 0 and order * -math.expm1(-2 * beta) < 1):
        raise ValueError(f"beta must be positive and below about 1 / (2 order) = {1 / (2 * order):g}, got {beta}")
    v = 1 + order * math.expm1(-2 * beta)
    apart = 1 + shift * math.expm1(beta)
    widths = -(2 * order * beta + math.log(v)) / (2 * (order - 1))
    return widths + order * math.exp(-2 * beta) * apart**2 / (2 * sigma_ss**2 * v)


def cost_of_release(beta: float, sigma_ss: float, delta: float, miss: float = MISS) -> Cost:
    """What publishing such a divergence costs by itself, as the ledger adds it up; infinite at orders that are too high
    for beta."""
    shift = _shift(sigma_ss, miss)

    def at(orders: Iterable[float]) -> list[float]:
        reach = -math.expm1(-2 * beta)
        return [release_cost(a, beta, sigma_ss, shift) if a * reach < 1 else math.inf for a in orders]

    own = conversion.epsilon(at(conversion.ORDERS), conversion.ORDERS, delta)
    return Cost(tuple(at(ORDERS)), math.inf, own, delta)


def sanitised_epsilon(
    counts: np.ndarray,
    sigma: float,
    order: float,
    beta: float,
    sigma_ss: float,
    delta: float,
    noise: Noise,
    miss: float = MISS,
    bound: Bound = both_directions,
    relation: str = RELATION,
) -> Sanitised:
    """A divergence that may be published and the epsilon of everything published, itself included.

    `divergence` is the sum of `bound` over the queries at `order`, plus noise of standard deviation
    sigma_ss * S, plus so many of them that it falls short of the true sum with probability `miss` only (the paper's
    release falls short every other time); it is capped by what holds for every data set. `epsilon` adds the cost
    of its own release and converts to epsilon at delta. Order, beta, sigma_ss must not be chosen on the votes.
    `relation` says what it hides: a group is one teacher's too, and moves one vote in every query.
    """
    shift = _shift(sigma_ss, miss)
    release = release_cost(order, beta, sigma_ss, shift)
    counts = checked_counts(counts)
    smooth = smooth_sensitivity(counts, sigma, order, beta, bound)
    exact = float(bound(log_q(counts, sigma), sigma, [order]).sum())
    drawn = exact + smooth * (shift + float(noise.gaussian(1, sigma_ss)[0]))
    value = min(max(drawn, 0.0), len(counts) * order / sigma**2)
    epsilon = conversion.epsilon([value + release], [order], delta)
    return Sanitised(value, epsilon, delta, publishable=not noise.seeded, relation=relation)


def _shift(sigma_ss: float, miss: float) -> float:
    """So much is added that noise of deviation sigma_ss falls below zero with probability `miss` only."""
    if not 0 < miss < 1:
        raise ValueError(f"miss must lie strictly between 0 and 1, got {miss}")
    return max(0.0, -float(ndtri(miss)) * sigma_ss)


def _margin(counts: np.ndarray, sigma: float) -> Floats:
    """w of each row."""
    return np.maximum(-ndtri_exp(log_q(counts, sigma) - math.log(counts.shape[1] - 1)) * sigma / math.sqrt(2), 0)


def _cell(w: Floats) -> NDArray[np.int64]:
    return np.floor(np.maximum(w, 0) * _CELLS).astype(np.int64)


def _local_sensitivity(teachers: int, classes: int, sigma: float, order: float, bound: Bound) -> Floats:
    """The largest change by one vote within each cell of w, from 0 (all equal) to beyond teachers / 2 (unanimous)."""
    w = np.arange(-_CELLS, (teachers // 2 + 3) * _CELLS + 1) / _CELLS
    f = bound(log_ndtr(-w * math.sqrt(2) / sigma) + math.log(classes - 1), sigma, [order])[:, 0]
    up = f[: -2 * _CELLS - 1] - f[_CELLS + 1 : -_CELLS]  # f(start of cell - 1) - f(end of cell)
    down = f[_CELLS : -_CELLS - 1] - f[2 * _CELLS + 1 :]  # f(start) - f(end + 1)
    return np.maximum(up, down)


class _RangeMaximum:
    """Maxima over ranges of cells, both ends included, from a table of the maxima over powers of two."""

    def __init__(self, values: Floats) -> None:
        self.last = len(values) - 1
        self._levels = [values]
        while 2 ** len(self._levels) <= len(values):
            half = self._levels[-1]
            step = 2 ** (len(self._levels) - 1)
            self._levels.append(np.maximum(half[:-step], half[step:]))

    def __call__(self, first: NDArray[np.int64], last: NDArray[np.int64]) -> Floats:
        level = np.frexp(last - first + 1)[1] - 1
        result = np.empty(len(first))
        for height in np.unique(level):
            at = level == height
            table = self._levels[height]
            result[at] = np.maximum(table[first[at]], table[last[at] - 2**height + 1])
        return result
