"""Every accountant that applies to an aggregator, side by side: from the oldest bound to the exact ones."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from pate.accounting import composition, conversion, gaussian, gnmax2018, moments, three_outcomes
from pate.accounting.argmax_independent import certified_rdp
from pate.accounting.argmax_independent import epsilon as argmax_epsilon
from pate.accounting.confident import behind_threshold
from pate.accounting.exact import Change, Ensemble, exact
from pate.accounting.guarantee import HoldsFor
from pate.accounting.known import require_known
from pate.accounting.law import OutOfRange
from pate.accounting.price import RELATION, Costs, Price
from pate.accounting.quadrature import Grid
from pate.accounting.teacher_resolved import teacher_resolved
from pate.accounting.three_outcomes_discrete import LARGEST_SIGMA, DiscreteGaussian
from pate.accounting.winning import noise_grid
from pate.aggregation.aggregator import Aggregator
from pate.aggregation.confident_gnmax import ConfidentGNMax
from pate.aggregation.gnmax import GNMax
from pate.aggregation.lnmax import LNMax
from pate.aggregation.votes import checked_counts, tally
from pate.errors import ConfigError

EVERY: HoldsFor = "every data set"
THIS: HoldsFor = "this data set"
_PAPER_ORDERS = np.concatenate([np.arange(1.5, 64, 0.5), [128, 256, 512]])  # of the 2018 paper's kind


@dataclass(frozen=True)
class Exactly:
    """How the exact accountants see an aggregator."""

    grid: Grid
    change: Change | None = None


def price(
    aggregator: Aggregator,
    counts: np.ndarray,
    delta: float,
    predictions: np.ndarray | None = None,
    relation: str = RELATION,
    adaptive: bool = False,
) -> Costs:
    """What answering these rows of counts costs, by every accountant that knows the aggregator.

    `predictions` (teachers x the same queries) lets the price follow each teacher's own votes. `adaptive` queries were
    chosen after seeing earlier answers: summing data-dependent costs along the path taken bounds nothing then, so they
    get prices that hold for every data set only.
    """
    return prices(aggregator, counts, [delta], predictions, relation, adaptive)[0]


def prices(
    aggregator: Aggregator,
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
    found = [[*independent(aggregator, len(counts), int(counts[0].sum()), delta)] for delta in deltas]
    if not adaptive:
        for several, delta in zip(found, deltas, strict=True):
            several += _published(aggregator, counts, delta)
        with contextlib.suppress(OutOfRange):  # then only the others are claimed
            exact_ones = _exact(exactly(aggregator, counts), counts, deltas, predictions)
            for several, more in zip(found, exact_ones, strict=True):
                several += more
    return [
        Costs([asdict(one) for one in several if math.isfinite(one.epsilon)], delta, len(counts), relation)
        for several, delta in zip(found, deltas, strict=True)
    ]


def independent(aggregator: Aggregator, k: int, teachers: int, delta: float) -> Iterator[Price]:
    """Prices of k answers that hold for every data set: they may be published, and budgets rest on them."""
    if not 0 < delta < 1:
        raise ValueError(f"delta must lie strictly between 0 and 1, got {delta}")
    if k < 1:
        raise ValueError(f"queries must be at least 1, got {k}")
    require_known(aggregator)
    if isinstance(aggregator, LNMax):
        gamma = aggregator.gamma
        yield Price("basic", composition.basic(2 * gamma, k), EVERY, "Dwork & Roth 2014, Thm 3.16")
        yield Price("advanced", composition.advanced(2 * gamma, k, delta), EVERY, "Dwork & Roth 2014, Thm 3.20")
        yield Price(
            "moments_independent",
            moments.epsilon_from_moments(k * moments.independent(gamma), moments.ORDERS, delta),
            EVERY,
            "Papernot et al. 2017, Thm 2; Abadi et al. 2016, Thm 2.2",
        )
        optimal = composition.optimal(2 * gamma, k, delta)
        yield Price("optimal_independent", optimal, EVERY, "Kairouz, Oh & Viswanath 2015, Thm 3.3")
    else:
        assert isinstance(aggregator, GNMax | ConfidentGNMax)
        yield from _independent_gaussian(aggregator, k, delta)
    law = argmax_law(aggregator)
    if law is None:
        return
    argmax, order = argmax_epsilon(law, k, delta, teachers)
    if isinstance(aggregator, ConfidentGNMax):  # whether a query is answered is an answer too
        test = order / (2 * aggregator.threshold_sigma**2)
        argmax = conversion.epsilon([k * (certified_rdp(law, order, teachers) + test)], [order], delta)
    yield Price("argmax_independent", argmax, EVERY, "three outcomes given the best other class, certified (ours)")


def argmax_law(aggregator: Aggregator) -> three_outcomes.Noise | None:
    """The noise on the votes as `certified_rdp` takes it; None where nothing is certified."""
    require_known(aggregator)
    if isinstance(aggregator, LNMax):
        laplace = three_outcomes.Laplace if aggregator.noise == "continuous" else three_outcomes.DiscreteLaplace
        return laplace(aggregator.gamma)
    assert isinstance(aggregator, GNMax | ConfidentGNMax)
    if aggregator.noise == "continuous":
        return three_outcomes.Gaussian(aggregator.sigma)
    return DiscreteGaussian(aggregator.sigma) if aggregator.sigma <= LARGEST_SIGMA else None


def _independent_gaussian(aggregator: GNMax | ConfidentGNMax, k: int, delta: float) -> Iterator[Price]:
    """Those of Gaussian noise as such: two counts of the argmax move by one, and the largest count by at most one.

    Continuous and discrete noise have the same Renyi divergences, but Balle & Wang's epsilon is the continuous one's.
    """
    continuous = aggregator.noise == "continuous"
    moved = {aggregator.sigma: 2 * k}
    if isinstance(aggregator, ConfidentGNMax):
        moved[aggregator.threshold_sigma] = moved.get(aggregator.threshold_sigma, 0) + k
    squared = sum(times / sigma**2 for sigma, times in moved.items())  # distance of means, in standard deviations
    moments_of = "Papernot et al. 2018, Prop 8" if continuous else "Canonne, Kamath & Steinke 2020, Prop 5"
    yield Price(
        "moments_independent",
        conversion.epsilon(squared / 2 * _PAPER_ORDERS, _PAPER_ORDERS, delta, "mironov"),
        EVERY,
        f"{moments_of}; Mironov 2017, Prop 3",
    )
    if continuous:
        optimal, theorem = gaussian.epsilon(math.sqrt(squared), delta), "Balle & Wang 2018, Thm 8"
    else:
        optimal = gaussian.discrete_epsilon(moved, delta)
        theorem = "Canonne, Kamath & Steinke 2020, Thm 7; Zhu, Dong & Wang 2022, Thm 10"
    yield Price("optimal_independent", optimal, EVERY, theorem)


def _published(aggregator: Aggregator, counts: np.ndarray, delta: float) -> Iterator[Price]:
    """The papers' data-dependent bounds. They bound D || D' alone, so they are shown and never claimed."""
    orders = conversion.ORDERS
    if isinstance(aggregator, LNMax):
        q = moments.plurality_loses(counts, aggregator.gamma, aggregator.noise)
        few = moments.pate2017(q, aggregator.gamma).sum(axis=0)
        each = moments.pate2017(q, aggregator.gamma, orders - 1) / (orders - 1)
        many = np.minimum(each, 2 * aggregator.gamma).sum(axis=0)  # no loss exceeds 2 gamma
        name, theorem = "pate2017", "Papernot et al. 2017, Thm 3"
        as_published = moments.epsilon_from_moments(few, moments.ORDERS, delta)
    else:
        name, theorem = "gnmax2018", "Papernot et al. 2018, Thm 6"
        paper, many = (_gnmax2018(aggregator, counts, grid) for grid in (_PAPER_ORDERS, orders))
        as_published = conversion.epsilon(paper, _PAPER_ORDERS, delta, "mironov")
    one_way = ", one direction only"
    yield Price(name, as_published, THIS, f"{theorem}, as published{one_way}", valid=False)
    best = conversion.epsilon(many, orders, delta)
    yield Price(f"{name}_optimal", best, THIS, f"{theorem}, all orders, closed-form conversion{one_way}", valid=False)


def _gnmax2018(aggregator: Aggregator, counts: np.ndarray, orders: np.ndarray) -> np.ndarray:
    if isinstance(aggregator, ConfidentGNMax):
        test = aggregator.threshold, aggregator.threshold_sigma
        return gnmax2018.confident(counts, *test, aggregator.sigma, orders, noise=aggregator.noise).sum(axis=0)
    assert isinstance(aggregator, GNMax)
    q = gnmax2018.log_q(counts, aggregator.sigma, aggregator.noise)
    return gnmax2018.published(q, aggregator.sigma, orders).sum(axis=0)


def exactly(aggregator: Aggregator, counts: np.ndarray) -> Exactly:
    """The law of its answers; OutOfRange where double precision does not reach it."""
    grid = noise_grid(aggregator, int(counts[0].sum()), counts.shape[1])
    if isinstance(aggregator, ConfidentGNMax):
        test = behind_threshold(aggregator.threshold, aggregator.threshold_sigma, aggregator.noise)
        return Exactly(grid, test)
    return Exactly(grid)


def _exact(
    way: Exactly, counts: np.ndarray, deltas: Sequence[float], predictions: np.ndarray | None
) -> list[list[Price]]:
    """For each delta, those that know the law of the answers."""
    votes = Ensemble.of(counts)
    found = exact(votes, way.grid, deltas, way.change)
    if not all(math.isfinite(max(one.rdp)) for one in found):
        raise OutOfRange("no order gives a finite divergence")
    prices = []
    for one in found:
        several = [Price("exact_rdp", max(one.rdp), THIS, "exact law, Renyi divergence; Balle et al. 2020, Thm 21")]
        if one.pld:
            theorem = "exact law, privacy loss distribution; Doroshenko et al. 2022"
            several.append(Price("exact_pld", max(one.pld), THIS, theorem))
        prices.append(several)
    if predictions is not None:
        resolved = teacher_resolved(votes, counts, predictions, way.grid, deltas, way.change)
        for several, epsilon in zip(prices, resolved, strict=True):
            theorem = "exact law, the moved vote starts at a teacher's own"
            several.append(Price("teacher_resolved", epsilon, THIS, theorem))
    return prices
