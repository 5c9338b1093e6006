"""How an epsilon is best spent: how many queries, and how much noise. No vote is looked at, so nothing is spent by it.

More answers at one epsilon bear more noise each. A label that is wrong with probability w, and then any other of K
classes alike, is right with probability 1 - v and else drawn from all classes, v = w K/(K-1): its indicators have a
correlation of 1 - v with the true ones, so that k of them tell what k (1 - v)^2 right ones do. w is that of a vote on
which three quarters of the teachers agree, by the exact law of the mechanism.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from pate.accounting.guarantee import given, shown
from pate.accounting.ladder import worst_case
from pate.accounting.law import OutOfRange
from pate.accounting.plan import least_noise, queries_for
from pate.accounting.winning import winning
from pate.aggregation.aggregator import Aggregator

_AGREE = 0.75  # of the teachers, on a vote that is neither easy nor hopeless
_CANDIDATES = 24  # numbers of queries, evenly spaced on a logarithmic scale
_REFERENCE = 100  # queries at which the noise is found; k of them bear about sqrt(k / 100) times as much
_DIGITS = 4  # of the noise: it is read, and typed, by people


def best_spent(
    several: Sequence[Aggregator], epsilon: float, delta: float, teachers: int, classes: int, pool: int
) -> tuple[Aggregator, int]:
    """Of these mechanisms the one with the noise, and the number of queries, that tell most for a publishable epsilon
    of this."""
    found = [_best_spent(one, epsilon, delta, teachers, classes, pool) for one in several]
    return max(found, key=lambda one: worth(one[0], one[1], teachers, classes))


@lru_cache(maxsize=256)
def _best_spent(
    mechanism: Aggregator, epsilon: float, delta: float, teachers: int, classes: int, pool: int
) -> tuple[Aggregator, int]:
    asked = min(_REFERENCE, pool)
    scale = least_noise(mechanism, asked, epsilon, delta, teachers, close=0.1)
    grid = sorted({round(k) for k in np.geomspace(1, pool, _CANDIDATES)} | {asked})
    best = max(grid, key=lambda k: worth(mechanism.scaled(math.sqrt(asked / k) / scale), k, teachers, classes))
    return with_noise(mechanism, best, epsilon, delta, teachers, scale * math.sqrt(best / asked)), best


@lru_cache(maxsize=256)
def with_noise(
    mechanism: Aggregator, k: int, epsilon: float, delta: float, teachers: int, near: float = 0.0
) -> Aggregator:
    """The same with the least noise, of few digits, that lets k answers cost at most epsilon on every data set; its
    scale may be known to be `near` some value."""
    scale = least_noise(mechanism, k, epsilon, delta, teachers, near)
    for rounded in _rounded(mechanism, scale):
        if worst_case(rounded, k, teachers, delta).epsilon <= epsilon:
            return rounded
    raise ValueError(f"no noise of {_DIGITS} digits is enough")


def as_many(mechanism: Aggregator, epsilon: float, delta: float, teachers: int, pool: int) -> int:
    """The number of queries, up to the whole pool, that cost at most epsilon at this noise."""
    k = queries_for(mechanism, epsilon, delta, teachers, pool)
    if k < 1:
        raise ValueError(f"not one answer by {mechanism.describe()} costs as little")
    return k


def as_said(mechanism: Aggregator, k: int, epsilon: float, delta: float, teachers: int) -> None:
    """A ValueError if so many queries at this noise cost more."""
    cost = worst_case(mechanism, k, teachers, delta)
    if cost.epsilon > epsilon:
        raise ValueError(
            f"{k} answers by {mechanism.describe()} cost {shown(cost.epsilon)}, delta {given(delta)}: leave out either "
            f"labels.queries or aggregator.{mechanism.noise_parameter}"
        )


def worth(mechanism: Aggregator, k: int, teachers: int, classes: int) -> float:
    """How many right labels k noisy ones are worth, expected of a vote on which three quarters agree."""
    agree = min(math.ceil(_AGREE * teachers), teachers)
    counts = np.zeros((1, classes), dtype=np.int64)
    counts[0, :2] = agree, teachers - agree
    try:
        chances = winning(mechanism, counts)[0]
    except OutOfRange:  # so little noise that the law is beyond double precision, or a law that nobody declared
        return float(k)
    answered = float(chances.sum())
    wrong = float(np.clip(1 - chances[0] / answered, 0, 1)) if answered > 0 else 1.0
    return k * answered * max(0.0, 1 - wrong * classes / (classes - 1)) ** 2


def _rounded(mechanism: Aggregator, scale: float) -> Iterator[Aggregator]:
    """With ever more noise than that, in few digits."""
    name = mechanism.noise_parameter
    exact, more = (getattr(mechanism.scaled(1 / one), name) for one in (scale, 2 * scale))
    step, way = 10.0 ** (math.floor(math.log10(exact)) - _DIGITS + 1), math.copysign(1, more - exact)
    whole = math.ceil(exact / step) if way > 0 else math.floor(exact / step)
    for further in range(50):
        yield replace(mechanism, **{name: float(f"{(whole + way * further) * step:.{_DIGITS}g}")})
