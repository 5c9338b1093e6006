"""Every accountant that applies to an aggregator, side by side."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from pate.accounting import composition, moments
from pate.accounting.price import Costs, Price
from pate.aggregation.aggregator import Aggregator
from pate.aggregation.lnmax import LNMax
from pate.aggregation.votes import checked_counts


def price(aggregator: Aggregator, counts: np.ndarray, delta: float) -> Costs:
    """What answering these rows of counts costs, by every accountant that knows the aggregator."""
    if not 0 < delta < 1:
        raise ValueError(f"delta must lie strictly between 0 and 1, got {delta}")
    if not isinstance(aggregator, LNMax):
        raise ValueError(f"no accountant knows {type(aggregator).__name__}")
    counts = checked_counts(counts)
    return Costs([asdict(one) for one in _lnmax(aggregator, counts, delta)], delta, len(counts))


def _lnmax(aggregator: LNMax, counts: np.ndarray, delta: float) -> list[Price]:
    k, gamma = len(counts), aggregator.gamma
    q = moments.plurality_loses(counts, gamma, aggregator.noise)
    published = moments.pate2017(q, gamma).sum(axis=0)
    return [
        Price("basic", composition.basic(2 * gamma, k), "every data set", "Dwork & Roth 2014, Thm 3.16"),
        Price("advanced", composition.advanced(2 * gamma, k, delta), "every data set", "Dwork & Roth 2014, Thm 3.20"),
        Price(
            "moments_independent",
            moments.epsilon_from_moments(k * moments.independent(gamma), moments.ORDERS, delta),
            "every data set",
            "Papernot et al. 2017, Thm 2; Abadi et al. 2016, Thm 2.2",
        ),
        Price(
            "pate2017",
            moments.epsilon_from_moments(published, moments.ORDERS, delta),
            "this data set",
            "Papernot et al. 2017, Thm 3, as published, one direction",
            valid=False,
        ),
    ]
