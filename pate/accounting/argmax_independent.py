"""A certified data-independent bound on the privacy loss of the noisy argmax: the one to publish and to enforce.

The argument, for any number of classes and any votes of n teachers (laws and notation: `three_outcomes`):

1. exp((alpha-1) D_alpha(P || P')) = sum of P^alpha P'^(1-alpha) is jointly convex in (P, P'). Averaging over the best
   noisy count among the untouched classes, the D_alpha of one answer is at most the supremum over gap and s of that of
   the three-outcome laws; s = -infinity is the case of two classes.
2. Swapping the roles of a and b turns the direction P' || P at a gap into P || P' at 2 - gap. n_a >= 1 makes the gaps
   2-n..n, so gaps 1..n in both directions are all there is.
3. sum P^alpha P'^(1-alpha) - 1 = sum of P' phi(P/P'), phi(t) = t^alpha - 1 - alpha (t-1) >= 0: convex and zero at 1.
   On a box of gaps and s each term is at most the largest P' times the larger phi at the ends of P/P''s range.
4. A, A', B, B' fall and R, R' rise with s; A, A', R, R' rise and B, B' fall with the gap: the largest is at a corner.
5. A(s) = A(high) + integral of A's density over [s, high], likewise A', so A/A' at s is an average of A/A' at high and
   of density ratios within the box; the weight of the latter is at most 1 - A'(high)/A'(low), largest at the largest
   gap (there the law of the winning noise is stochastically smallest). The same holds for B.
6. Along the gap likewise: A(s, gap) = A(s, least) + integral of f(x) f(x+gap) over x > s and gaps up to it, whose
   ratios drop(x) - drop(x+gap-1) are at most 0. B falls with the gap by such an integral and by its density at s.
7. A/A' is also an average of density ratios over everything above s; and by joint convexity again
   A^alpha A'^(1-alpha) <= integral over x > s of f(x)^alpha f(x+1)^(1-alpha) (F(x+gap)/F(x+gap-1))^(alpha-1), where the
   last factor is largest at s. In the other direction B'^alpha B^(1-alpha) is bounded so. This closes s = infinity.

Boxes whose bound exceeds the best value met by more than the tolerance are halved until none is left (branch and
bound); the largest bound met on the way out is the certificate. Floating-point error is covered by widening every
logarithm of a probability by 1e-14 (16 + its size) and phi by 1e-15 of the terms it is the difference of.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pate.accounting import conversion
from pate.accounting.guarantee import Guarantee, for_every
from pate.accounting.three_outcomes import NoiseLaw, Range, log_laws

_SLACK = 1e-14
_ORDERS = [1 + 10 ** (i / 64) for i in range(-128, 257)]  # a fixed lattice, so that caches serve every k and delta
_LATTICE = 2.0**-30  # of the ends of s: adding whole votes to them is exact, and finds the right cell of discrete noise
_MOST_BOXES = 200_000  # then what is left counts with its bound: larger, and still valid

_Scanned = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # gaps, best other counts, laws


@dataclass(frozen=True)
class _Boxes:
    """Gaps least..most and thresholds low..high, one box per entry."""

    least: np.ndarray
    most: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def __getitem__(self, rows: np.ndarray) -> _Boxes:
        return _Boxes(self.least[rows], self.most[rows], self.low[rows], self.high[rows])


def epsilon(noise: NoiseLaw, k: int, delta: float, teachers: int) -> tuple[float, float]:
    """Epsilon of k answers for every data set, and the order it was certified at.

    The bound on one answer holds whatever came before it, so the queries may be adaptive. Every order gives a valid
    epsilon: the scan looks for the best one, ever finer around it, and only that one is certified.
    """
    if not k >= 1 or k % 1 != 0:
        raise ValueError(f"k must be a whole number, at least 1, got {k}")
    if not 0 < delta < 1:
        raise ValueError(f"delta must lie strictly between 0 and 1, got {delta}")

    def scanned(index: int) -> float:
        return conversion.epsilon([k * scan(noise, _ORDERS[index], teachers)], [_ORDERS[index]], delta)

    best = min(range(0, len(_ORDERS), 16), key=scanned)
    for step in (4, 1):
        best = min(range(max(best - 4 * step, 0), min(best + 4 * step + 1, len(_ORDERS)), step), key=scanned)
    value = conversion.epsilon([k * certified_rdp(noise, _ORDERS[best], teachers)], [_ORDERS[best]], delta)
    return value + 1e-12 * (1 + value), _ORDERS[best]


def price(epsilon: float, delta: float) -> Guarantee:
    """An epsilon that rests on what is certified here."""
    theorem = "three outcomes given the best other class, certified (ours)"
    return for_every("argmax_independent", epsilon, delta, theorem)


@lru_cache(maxsize=4096)
def certified_rdp(noise: NoiseLaw, alpha: float, teachers: int, tolerance: float = 1e-3) -> float:
    """An upper bound on D_alpha of one answer, both directions, for every histogram of `teachers` votes.

    It exceeds the supremum over three-outcome laws by at most the relative tolerance, unless the work runs out.
    """
    _check(alpha, teachers)
    if not tolerance > 0:
        raise ValueError(f"tolerance must be positive, got {tolerance}")
    boxes = _first_boxes(noise, teachers)
    best, bound, work, known = scan(noise, alpha, teachers), 0.0, 0, noise.known_rdp(alpha)
    while len(boxes.low) and bound < known:  # from there on it is the known one, whatever the other boxes say
        reached, upper, along_gap = _bounds(noise, alpha, boxes)
        work += len(upper)
        best = max(best, reached)
        narrow = boxes.high - boxes.low < 2 * _LATTICE
        open_ = (upper > (1 + tolerance) * best) & ~(narrow & (boxes.least == boxes.most))
        if work > _MOST_BOXES:
            open_[:] = False
        bound = max(bound, float(np.max(upper[~open_], initial=0)))
        boxes = _halve(boxes[open_], (along_gap | narrow)[open_], noise.scale)
    return min(bound, known) * (1 + 1e-12)


def _first_boxes(noise: NoiseLaw, teachers: int) -> _Boxes:
    """Gaps in blocks that double, thresholds from below both counts to above, and the two unbounded ends."""
    starts = 2 ** np.arange(int(teachers).bit_length(), dtype=float)
    least, most = starts, np.minimum(2 * starts - 1, teachers)
    inner = np.linspace(0, 1, 33)
    bottom, top = -most - 8 * noise.scale, 8 * noise.scale
    edges = np.round((bottom[:, None] + (top - bottom[:, None]) * inner) / _LATTICE) * _LATTICE
    infinite = np.full((len(least), 1), np.inf)
    low, high = np.hstack([-infinite, edges]), np.hstack([edges, infinite])
    return _Boxes(*(each.ravel() for each in np.broadcast_arrays(least[:, None], most[:, None], low, high)))


def _halve(boxes: _Boxes, along_gap: np.ndarray, scale: float) -> _Boxes:
    """Two boxes for each: cut along the gap where asked, else along s, at a whole number if one is near the middle or
    the box holds one: discrete noise jumps there (an unbounded end: far out)."""
    low = np.where(boxes.low == -np.inf, 3 * np.minimum(boxes.high, -4 * scale), boxes.low)
    high = np.where(boxes.high == np.inf, 3 * np.maximum(boxes.low, 4 * scale), boxes.high)
    middle = np.round((low + high) / 2 / _LATTICE) * _LATTICE
    middle = np.where((low < np.round(middle)) & (np.round(middle) < high), np.round(middle), middle)
    half = np.floor((boxes.least + boxes.most) / 2)
    first = _Boxes(
        boxes.least, np.where(along_gap, half, boxes.most), boxes.low, np.where(along_gap, boxes.high, middle)
    )
    second = _Boxes(
        np.where(along_gap, half + 1, boxes.least), boxes.most, np.where(along_gap, boxes.low, middle), boxes.high
    )
    return _Boxes(*(np.concatenate(pair) for pair in zip(vars(first).values(), vars(second).values(), strict=True)))


def _bounds(noise: NoiseLaw, alpha: float, boxes: _Boxes) -> tuple[float, np.ndarray, np.ndarray]:
    """The largest D_alpha met, an upper bound for every box, and whether the gap is what makes it loose."""
    low, high, least, most = boxes.low, boxes.high, boxes.least, boxes.most
    p, q = _corner_laws(noise, boxes)
    met = float(np.max(_divergence(p[:, 0, 0], q[:, 0, 0], alpha)))

    # The weights of points 5 and 6, for A and B.
    along_s = [_share(q[0, 1, 1], q[0, 1, 0]), _share(q[1, 1, 1], q[1, 1, 0])]
    along_gap = [_share(q[0, 0, 1], q[0, 1, 1]), _share(q[1, 1, 1], q[1, 0, 1])]
    inner, zero, everywhere = noise.least_inner_ratio(most), np.zeros_like(most), np.full_like(high, np.inf)
    a_ratio, b_ratio = noise.a_ratio(low, high, least, most), noise.b_ratio(low, high, least, most)
    with np.errstate(invalid="ignore"):  # at s = infinity A/A' is 0/0: point 7 answers there
        a_corner, b_corner = p[0, 0, 1] - q[0, 0, 1], p[1, 1, 1] - q[1, 1, 1]
    a_steps = [((inner, zero), along_gap[0]), (a_ratio, along_s[0])]
    b_steps = [((np.minimum(inner, b_ratio[0]), np.maximum(0, b_ratio[1])), along_gap[1]), (b_ratio, along_s[1])]
    size = np.abs(p, where=np.isfinite(p), out=np.zeros_like(p)).sum(axis=(0, 1, 2))
    ranges = [
        _range(a_corner, a_steps, noise.a_ratio(low, everywhere, least, most), size),
        _range(b_corner, b_steps, noise.b_ratio(low, everywhere, least, most), size),
        _range(zero, [(noise.rest_ratio(low, high, least, most), zero + 1)], (-everywhere, everywhere), size),
    ]

    directions = []
    for law, sign, closed in ((q, 1, 0), (p, -1, 1)):
        weight = np.stack([law[0, 1, 0], law[1, 0, 0], law[2, 1, 1]])
        weight = weight + _slack(weight)
        terms = weight + np.stack([np.maximum(*(_log_phi(sign * end, alpha) for end in ends)) for ends in ranges])
        start, rise = (low, noise.rise(low + least)) if sign > 0 else (low + least - 1, noise.rise(low + 1))
        tail = (alpha - 1) * (rise + _SLACK * (16 + size)) + noise.log_moment_above(start, alpha)
        terms[closed] = np.fmin(terms[closed], np.logaddexp(tail, math.log(alpha - 1) + weight[closed]))
        directions.append(terms)
    totals = np.logaddexp.reduce(np.stack(directions), axis=1)
    worse = np.where(totals[0] > totals[1], directions[0], directions[1])
    with np.errstate(invalid="ignore"):
        # how far log P' moves along the gap and along s, in the terms that matter
        by_gap, by_s = (np.minimum(np.abs(q[:, 1, 1] - law), 5) for law in (q[:, 0, 1], q[:, 1, 0]))
        loose = np.exp(worse - worse.max(axis=0)) * (by_gap - by_s)
    upper = np.logaddexp(0, totals.max(axis=0)) / (alpha - 1)
    return met, np.where(np.isnan(upper), np.inf, upper), (least < most) & (loose.sum(axis=0) > 0)


def _corner_laws(noise: NoiseLaw, boxes: _Boxes) -> tuple[np.ndarray, np.ndarray]:
    """log P and log P' as arrays (outcome, least or most gap, low or high s, box)."""
    s = np.stack([boxes.low, boxes.high])
    p, q = (np.repeat(law[:, None], 2, axis=1) for law in log_laws(noise, boxes.least, s))
    block = boxes.least < boxes.most
    p[:, 1, :, block], q[:, 1, :, block] = (
        np.moveaxis(law, -1, 0) for law in log_laws(noise, boxes.most[block], s[:, block])
    )
    return p, q


def _range(corner: np.ndarray, steps: list[tuple[Range, np.ndarray]], overall: Range, size: np.ndarray) -> Range:
    """Log-ratios reached from a corner's by averaging in others with at most the given weights, within `overall`."""
    below = above = corner
    for (lowest, highest), weight in steps:
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            nearer, farther = np.minimum(below, lowest), np.maximum(above, highest)  # no average leaves these
            below = np.fmax(below + np.log1p(weight * np.expm1(nearer - below)), nearer)
            above = np.fmin(above + np.log1p(weight * np.expm1(farther - above)), farther)
    below, above = np.fmax(below, overall[0]), np.fmin(above, overall[1])
    return below - _SLACK * (16 + size + np.abs(below)), above + _SLACK * (16 + size + np.abs(above))


def _share(small: np.ndarray, large: np.ndarray) -> np.ndarray:
    """1 - small/large of two probabilities given by logarithms, rounded up."""
    with np.errstate(invalid="ignore"):
        return np.clip(-np.expm1(np.minimum(small - large, 0)) + _slack(small) + _slack(large), 0, 1)


def _slack(log_probability: np.ndarray) -> np.ndarray:
    return _SLACK * (16 + np.where(np.isfinite(log_probability), np.abs(log_probability), 0))


def _log_phi(log_ratio: np.ndarray, alpha: float) -> np.ndarray:
    """log of t^alpha - 1 - alpha (t - 1) at t = exp(log_ratio), rounded up."""
    power, linear = np.expm1(np.minimum(alpha * log_ratio, 36)), alpha * np.expm1(np.minimum(log_ratio, 36))
    small = np.log(np.maximum(power - linear, 0) + 1e-15 * (np.abs(power) + np.abs(linear)) + 1e-300)
    return np.where(alpha * log_ratio > 36, alpha * log_ratio, small)


def _divergence(log_p: np.ndarray, log_q: np.ndarray, alpha: float) -> np.ndarray:
    """The larger of D_alpha(P || P') and D_alpha(P' || P) along the first axis."""
    possible = np.isfinite(log_p) & np.isfinite(log_q)  # the rest cannot win at s = -infinity
    ratio = np.subtract(log_p, log_q, where=possible, out=np.zeros_like(log_p))
    totals = [
        np.logaddexp.reduce(np.where(possible, log_q + _log_phi(ratio, alpha), -np.inf)),
        np.logaddexp.reduce(np.where(possible, log_p + _log_phi(-ratio, alpha), -np.inf)),
    ]
    return np.logaddexp(0, np.maximum(*totals)) / (alpha - 1)


@lru_cache(maxsize=4096)
def scan(noise: NoiseLaw, alpha: float, teachers: int) -> float:
    """The largest D_alpha on a grid that zooms in on its best point: quick, NOT certified, at most the supremum."""
    _check(alpha, teachers)
    gaps, m, p, q = _grid(noise, teachers)
    best = 0.0
    for _ in range(6):
        values = _divergence(p, q, alpha)
        i, j = np.unravel_index(np.argmax(values), values.shape)
        best = max(best, float(values[i, j]))
        row = np.unique(m[i][np.isfinite(m[i])])
        at = np.searchsorted(row, m[i, j])
        near_gaps, near_m = gaps[max(i - 1, 0) : i + 2], row[max(at - 1, 0) : at + 2]
        gaps, m, p, q = _zoomed(noise, near_gaps[0], near_gaps[-1], near_m[0], near_m[-1])
    return best


@lru_cache(maxsize=16)
def _grid(noise: NoiseLaw, teachers: int) -> _Scanned:
    """Gaps; for each the best other count M from n_b on, in order, denser near n_b and n_a; and the laws there."""
    gaps = np.unique(np.round(np.geomspace(1, teachers, 60)))[:, None]
    near = np.concatenate([noise.scale * np.sinh(np.linspace(-5, 5, 51)), [0.25, 0.5, 0.75, 1]])
    m = np.sort(np.hstack([np.full_like(gaps, -np.inf), near + 0 * gaps, gaps - near]), axis=1)
    return gaps[:, 0], m, *log_laws(noise, gaps, m - gaps)


@lru_cache(maxsize=1024)
def _zoomed(noise: NoiseLaw, least: float, most: float, low: float, high: float) -> _Scanned:
    """The same between two gaps and two best other counts: nearby orders look at the same places."""
    gaps = np.unique(np.round(np.linspace(least, most, 9)))
    m = np.tile(np.linspace(low, high, 17), (len(gaps), 1))
    return gaps, m, *log_laws(noise, gaps[:, None], m - gaps[:, None])


def _check(alpha: float, teachers: int) -> None:
    if not (math.isfinite(alpha) and alpha > 1):
        raise ValueError(f"alpha must be a number above 1, got {alpha}")
    if not teachers >= 1 or teachers % 1 != 0:
        raise ValueError(f"teachers must be a whole number, at least 1, got {teachers}")
