"""What a set of answers costs, in the forms in which costs of several releases add up."""

from __future__ import annotations

import numpy as np

from pate.accounting.exact import Ensemble, over_chunks
from pate.accounting.exact_rdp import divergences
from pate.accounting.filter import ORDERS, Cost
from pate.accounting.ladder import exactly, worst_case
from pate.accounting.law import OutOfRange
from pate.accounting.mechanism import Mechanism


def of_answers(mechanism: Mechanism, k: int, teachers: int, delta: float) -> Cost:
    """k answers of so many teachers, on every data set and for queries chosen in any way."""
    own = worst_case(mechanism, k, teachers, delta).epsilon
    rdp = mechanism.rdp(k, teachers, np.array(ORDERS, dtype=float))
    return Cost(tuple(rdp.tolist()), mechanism.pure(k), own, delta)


def of_these_answers(mechanism: Mechanism, counts: np.ndarray) -> list[list[float]] | None:
    """Renyi divergences (direction x ORDERS) of answers to queries fixed in advance on these very votes: the owner's.

    None where the exact law is not known, or out of double precision's reach.
    """
    votes = Ensemble.of(counts)
    try:
        way = exactly(mechanism, counts)
        orders = np.array(ORDERS, dtype=float)
        found = over_chunks(votes.histograms, way.grid, lambda law: (law.members, divergences(law, orders)), way.change)
    except OutOfRange:
        return None
    times = np.concatenate([votes.times[members] for members, _ in found])
    total = [times @ np.concatenate([divergence[way] for _, divergence in found]) for way in (0, 1)]
    return np.array(total).tolist() if np.isfinite(total).all() else None
