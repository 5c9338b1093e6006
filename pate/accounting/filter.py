"""A privacy filter: whether one more release fits a budget, whatever made people ask for it.

Releases of one data set add up, and later ones are chosen by people who saw the earlier ones. Composition theorems
for mechanisms fixed in advance do not cover that; filters do. Two are used here, both for any adaptive choice of the
next mechanism and its parameters:

`renyi`: at one fixed order a, releases whose divergences sum to at most B are (a, B)-RDP together (Feldman & Zrnic
2021, Theorem 3.1; the same for zCDP is Whitehouse et al. 2023, Theorem 1). A history is let through if it fits at any
of ORDERS, each with its share delta / |ORDERS|, or if its pure epsilons add up to at most epsilon (Rogers et al. 2016).
This is valid because a history let through by order a, and by none before it, is one of the filter at order a alone,
whose outcomes E satisfy Pr[E] <= exp(epsilon) Pr'[E] + delta / |ORDERS|: the sum over a is (epsilon, delta)-DP.

`basic`: epsilons and deltas add up (Rogers et al. 2016). It suits a budget that one release uses up.

Releases made at the same time do not change this (Haney et al. 2023). Composing privacy loss distributions, though
tighter, is no filter: it fails for parameters chosen from earlier answers.

Which one rules an account is settled before anything is released from it, and so depends on no answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from pate.accounting import conversion

Rule = Literal["renyi", "basic"]
ORDERS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256)
FIRST_ORDERS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256)  # of costs kept before they named theirs
_ROUNDING = 1e-12  # relative; numpy's sum of many releases loses less


@dataclass(frozen=True)
class Cost:
    """What one release costs on every data set: Renyi divergences at ORDERS, pure DP or infinity, and what its own best
    accountant says."""

    rdp: tuple[float, ...]
    pure: float
    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        numbers = (*self.rdp, self.pure, self.epsilon, self.delta)
        if len(self.rdp) != len(ORDERS) or not all(number >= 0 for number in numbers):  # NaN is not
            raise ValueError("a cost has one divergence an order, and nothing in it is negative or not a number")


def at_orders(divergences: Sequence[float], known: Sequence[float]) -> tuple[float, ...]:
    """Divergences kept at `known` orders, at ORDERS: each is at most the one at the next larger order that is known
    (van Erven & Harremoes 2014, Theorem 3), and beyond the largest nothing is known."""
    if len(divergences) != len(known):
        raise ValueError(f"{len(divergences)} divergences at {len(known)} orders")
    by_order = sorted(zip(known, divergences, strict=True))
    return tuple(next((value for order, value in by_order if order >= wanted), math.inf) for wanted in ORDERS)


def composed(costs: Sequence[Cost], delta: float, rule: Rule) -> float:
    """The least epsilon of a budget (epsilon, delta) whose filter lets all of these through."""
    if not costs:
        return 0.0
    pure = _sum(cost.pure for cost in costs)
    if rule == "basic":
        fits = deltas(costs) <= _exact(delta)
        return min(pure, _sum(cost.epsilon for cost in costs) if fits else math.inf)
    rdp = np.array([_sum(cost.rdp[place] for cost in costs) for place in range(len(ORDERS))])
    return min(pure, conversion.epsilon(rdp, np.array(ORDERS, float), delta / len(ORDERS)))


def suitable(first: Sequence[Cost], epsilon: float | None, delta: float) -> Rule:
    """The rule for an account from which this release, made in one or more rounds, is the first; no answer has been
    seen yet."""
    if epsilon is None or composed(first, delta, "renyi") <= epsilon:
        return "renyi"
    return "basic" if composed(first, delta, "basic") <= epsilon else "renyi"


def deltas(costs: Sequence[Cost]) -> Fraction:
    """What deltas add up to, as they are written: ten times 1e-5 is 1e-4."""
    return sum((_exact(cost.delta) for cost in costs), Fraction(0))


def fixed_in_advance(curves: Sequence[Sequence[Sequence[float]]], delta: float) -> float:
    """Epsilon of releases none of which was chosen after seeing another: (direction x order) divergences add up, and
    the best order may be taken afterwards (Mironov 2017, Proposition 1)."""
    total = np.sum([np.asarray(curve, dtype=float) for curve in curves], axis=0)
    return max(conversion.epsilon(way * (1 + _ROUNDING), np.array(ORDERS, float), delta) for way in total)


def _exact(number: float) -> Fraction:
    return Fraction(repr(float(number)))


def _sum(terms: Iterable[float]) -> float:
    """Rounded up; `fsum` rounds once."""
    several = list(terms)
    return math.nextafter(math.fsum(several), math.inf) if len(several) > 1 else several[0]
