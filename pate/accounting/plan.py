"""How many queries an epsilon buys, and how little noise.

Without votes the answer holds for every data set and costs nothing. On the owner's votes it is larger, but then the
number of queries depends on private data, and no epsilon printed here covers that choice.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from pate.accounting.ladder import price, worst_case
from pate.accounting.mechanism import Mechanism

_STEPS = 40  # of the search for the least noise: it takes about five
_CLOSE = 5e-4  # relative, by which the epsilon may stay below its target
CHOSEN_ON_VOTES = "parameters chosen on private votes: not covered"


def queries_for(mechanism: Mechanism, target: float, delta: float, teachers: int, most: int) -> int:
    """The largest number of queries, up to `most`, that costs at most `target` on every data set."""
    return _largest(most, lambda k: worst_case(mechanism, k, teachers, delta).epsilon <= target)


def queries_for_votes(mechanism: Mechanism, target: float, delta: float, counts: np.ndarray) -> int:
    """The same for these votes, asked in this order."""
    return _largest(len(counts), lambda k: price(mechanism, counts[:k], delta).best.epsilon <= target)


@lru_cache(maxsize=256)
def least_noise(
    mechanism: Mechanism, k: int, target: float, delta: float, teachers: int, start: float = 0.0, close: float = _CLOSE
) -> float:
    """The least scale of noise with which k answers cost at most `target` on every data set; a ValueError if none does.

    Epsilon falls nearly as one over the scale: on a logarithmic scale the search is along a straight line, from `start`
    on if a scale is known to be near. What is found costs less than the target by at most the share `close`.
    """
    fits, low, high = math.inf, 0.0, math.inf  # the least scale that is known to do, and where to look
    scale = start or math.sqrt(8 * k * math.log(1 / delta)) / target
    for _ in range(_STEPS):
        try:
            reached = worst_case(mechanism.scaled(1 / scale), k, teachers, delta).epsilon
        except ValueError as error:  # beyond what the mechanism takes
            if scale > low and math.isfinite(fits):
                return fits
            raise ValueError(f"no noise that it takes is enough for epsilon {target:g}: {error}") from error
        if reached <= target:
            fits = min(fits, scale)
            if reached >= (1 - close) * target:
                return fits
            high = min(high, scale)
        else:
            low = max(low, scale)
        guess = scale * reached / (target * (1 - close / 2)) if reached > 0 else scale / 2
        if not low < guess < high:
            guess = math.sqrt(low * high) if low and math.isfinite(high) else guess
        if math.isfinite(high) and low and high / low < 1 + 1e-6:  # discrete noise: it goes on in steps
            return fits
        scale = guess
    if math.isfinite(fits):
        return fits
    raise ValueError(f"no noise is enough for epsilon {target:g}")


def _largest(most: int, fits: Callable[[int], bool]) -> int:
    """The largest k in 0..most that fits; prices rise with k."""
    low, high = 0, 1
    while high <= most and fits(high):
        low, high = high, min(2 * high, most) if high < most else most + 1
    high = min(high, most + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
