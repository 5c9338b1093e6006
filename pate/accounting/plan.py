"""How many queries an epsilon buys.

Without votes the answer holds for every data set and costs nothing. On the owner's votes it is larger, but then the
number of queries depends on private data, and no epsilon printed here covers that choice.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pate.accounting.ladder import price, worst_case
from pate.accounting.mechanism import Mechanism

CHOSEN_ON_VOTES = "parameters chosen on private votes: not covered"


def queries_for(mechanism: Mechanism, target: float, delta: float, teachers: int, most: int) -> int:
    """The largest number of queries, up to `most`, that costs at most `target` on every data set."""
    return _largest(most, lambda k: worst_case(mechanism, k, teachers, delta).epsilon <= target)


def queries_for_votes(mechanism: Mechanism, target: float, delta: float, counts: np.ndarray) -> int:
    """The same for these votes, asked in this order."""
    return _largest(len(counts), lambda k: price(mechanism, counts[:k], delta).best.epsilon <= target)


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
