"""Every accountant that applies to a mechanism, side by side: from the oldest bound to the exact ones."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from pate.accounting.costs import RELATION, Costs
from pate.accounting.counts import checked_counts, tally
from pate.accounting.exact import Ensemble, exact, suitable
from pate.accounting.guarantee import Guarantee, Relation, for_this, least
from pate.accounting.law import Exactly, OutOfRange
from pate.accounting.mechanism import Mechanism, require_known
from pate.accounting.teacher_resolved import teacher_resolved
from pate.errors import ConfigError, PateError


def price(
    mechanism: Mechanism,
    counts: np.ndarray,
    delta: float,
    predictions: np.ndarray | None = None,
    relation: str = RELATION,
    adaptive: bool = False,
) -> Costs:
    """What answering these rows of counts costs, by every accountant that knows the mechanism.

    `predictions` (teachers x the same queries) lets the price follow each teacher's own votes. `adaptive` queries were
    chosen after seeing earlier answers: summing data-dependent costs along the path taken bounds nothing then, so they
    get prices that hold for every data set only; so does whoever asks for no others.
    """
    return prices(mechanism, counts, [delta], predictions, relation, adaptive)[0]


def prices(
    mechanism: Mechanism,
    counts: np.ndarray,
    deltas: Sequence[float],
    predictions: np.ndarray | None = None,
    relation: str = RELATION,
    adaptive: bool = False,
) -> list[Costs]:
    """The same at several deltas, for little more than at one."""
    counts = checked_counts(counts)
    if predictions is not None and not np.array_equal(tally(predictions, counts.shape[1]), counts):
        raise ConfigError("the teachers' predictions do not add up to the counts")
    found = [[*independent(mechanism, len(counts), int(counts[0].sum()), delta)] for delta in deltas]
    if not adaptive:
        for several, delta in zip(found, deltas, strict=True):
            several += _published(mechanism, counts, delta)
        with contextlib.suppress(OutOfRange):  # then only the others are claimed
            exact_ones = _exact(exactly(mechanism, counts), counts, deltas, predictions)
            for several, more in zip(found, exact_ones, strict=True):
                several += more
    promise = Relation.of(relation)
    told = [
        [replace(one, relation=promise).plain() for one in several if math.isfinite(one.epsilon)] for several in found
    ]
    return [Costs(several, delta, len(counts), relation) for several, delta in zip(told, deltas, strict=True)]


def independent(mechanism: Mechanism, k: int, teachers: int | None, delta: float) -> Iterator[Guarantee]:
    """Prices of k answers that hold for every data set: they may be published, and budgets rest on them.

    Where the number of teachers is not known, those that do not depend on it.
    """
    if not 0 < delta < 1:
        raise ValueError(f"delta must lie strictly between 0 and 1, got {delta}")
    if k < 1:
        raise ValueError(f"queries must be at least 1, got {k}")
    require_known(mechanism)
    for one in mechanism.independent(k, teachers, delta):
        if not (one.publishable and one.epsilon >= 0):  # NaN is not
            raise ValueError(f"{type(mechanism).__name__}: {one.accountant} is no price that holds for every data set")
        yield one


def worst_case(mechanism: Mechanism, k: int, teachers: int | None, delta: float) -> Guarantee:
    """The least of them: what the ledger books for k labels, what a plan fits, and what the card of a release says."""
    found = least(independent(mechanism, k, teachers, delta))
    if found is None:
        unknown = " without the number of teachers" if teachers is None else ""
        raise PateError(f"{mechanism.describe()}: no price is known{unknown}")
    return found


def _published(mechanism: Mechanism, counts: np.ndarray, delta: float) -> Iterator[Guarantee]:
    """The papers' data-dependent bounds. They bound D || D' alone, so they are shown and never claimed."""
    for one in mechanism.published(counts, delta):
        if one.valid:
            raise ValueError(f"{type(mechanism).__name__}: {one.accountant} is for comparison, and may not be claimed")
        yield one


def exactly(mechanism: Mechanism, counts: np.ndarray) -> Exactly:
    """The law of its answers; OutOfRange where it is not known, or double precision does not reach it."""
    require_known(mechanism)
    return mechanism.law(int(counts[0].sum()), counts.shape[1])


def _exact(
    way: Exactly, counts: np.ndarray, deltas: Sequence[float], predictions: np.ndarray | None
) -> list[list[Guarantee]]:
    """For each delta, those that know the law of the answers."""
    votes = Ensemble.of(counts)
    scales = suitable(votes, way.grid, deltas, way.change)
    found = exact(votes, way.grid, deltas, way.change, scales)
    if not all(math.isfinite(max(one.rdp)) for one in found):
        raise OutOfRange("no order gives a finite divergence")
    prices = []
    for one, delta in zip(found, deltas, strict=True):
        theorem = "exact law, Renyi divergence; Balle et al. 2020, Thm 21"
        several = [for_this("exact_rdp", max(one.rdp), delta, theorem)]
        if one.pld:
            theorem = "exact law, privacy loss distribution; Doroshenko et al. 2022"
            several.append(for_this("exact_pld", max(one.pld), delta, theorem))
        prices.append(several)
    if predictions is not None:
        resolved = teacher_resolved(votes, counts, predictions, way.grid, deltas, way.change, scales)
        for several, epsilon, delta in zip(prices, resolved, deltas, strict=True):
            theorem = "exact law, the moved vote starts at a teacher's own"
            several.append(for_this("teacher_resolved", epsilon, delta, theorem))
    return prices
