"""What a set of answers costs, in the forms in which costs of several releases add up."""

from __future__ import annotations

import numpy as np

from pate.accounting.argmax_independent import certified_rdp
from pate.accounting.exact import Ensemble, over_chunks
from pate.accounting.exact_rdp import divergences
from pate.accounting.filter import ORDERS, Cost
from pate.accounting.ladder import argmax_law, exactly, independent
from pate.accounting.law import OutOfRange
from pate.aggregation.aggregator import Aggregator
from pate.aggregation.confident_gnmax import ConfidentGNMax
from pate.aggregation.gnmax import GNMax
from pate.aggregation.lnmax import LNMax


def of_answers(aggregator: Aggregator, k: int, teachers: int, delta: float) -> Cost:
    """k answers of so many teachers, on every data set and for queries chosen in any way."""
    law = argmax_law(aggregator)
    if law is None:  # too wide a discrete Gaussian to certify: two counts move by one (Canonne et al. 2020, Prop 5)
        assert isinstance(aggregator, GNMax | ConfidentGNMax)
        rdp = k * np.array(ORDERS) / aggregator.sigma**2
    else:
        rdp = np.array([k * certified_rdp(law, float(order), teachers) for order in ORDERS])
    if isinstance(aggregator, ConfidentGNMax):  # whether a query is answered is an answer too
        rdp += k * np.array(ORDERS) / (2 * aggregator.threshold_sigma**2)
    pure = 2 * aggregator.gamma * k if isinstance(aggregator, LNMax) else np.inf
    own = min(price.epsilon for price in independent(aggregator, k, teachers, delta))
    return Cost(tuple(rdp.tolist()), pure, own, delta)


def of_these_answers(aggregator: Aggregator, counts: np.ndarray) -> list[list[float]] | None:
    """Renyi divergences (direction x ORDERS) of answers to queries fixed in advance on these very votes: the owner's.

    None where the exact law is out of double precision's reach.
    """
    votes = Ensemble.of(counts)
    try:
        way = exactly(aggregator, counts)
        orders = np.array(ORDERS, dtype=float)
        found = over_chunks(votes.histograms, way.grid, lambda law: (law.members, divergences(law, orders)), way.change)
    except OutOfRange:
        return None
    times = np.concatenate([votes.times[members] for members, _ in found])
    total = [times @ np.concatenate([divergence[way] for _, divergence in found]) for way in (0, 1)]
    return np.array(total).tolist() if np.isfinite(total).all() else None
