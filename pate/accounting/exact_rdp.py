"""Exact Renyi divergences between the laws of a histogram and of its neighbours (Mironov 2017).

For one answer and the order 1 + l, exp(l D(P||P')) = 1 + sum_j P_j expm1(l log(P_j/P'_j)). Orders are doubled, not
computed one by one: with e = expm1(y), expm1(2y) = e (2 + e).
"""

from __future__ import annotations

import numpy as np

from pate.accounting.law import Laws
from pate.accounting.quadrature import SLACK

# Outcomes rarer than this are left out; their total probability is far below any delta this program accepts.
RARE = 1e-250


def divergences(laws: Laws, orders: np.ndarray, by_origin: bool = False) -> np.ndarray:
    """The largest divergence over neighbours, shape (2, histogram, order): direction D||D' first, then D'||D.

    `by_origin`: (2, histogram * distinct counts, order), the largest over where the vote goes, for each count it is
    taken from.
    """
    size, neighbours, _ = laws.p.shape
    groups = laws.distinct.shape[1] if by_origin else 1
    moments = np.empty((2, size * groups, len(orders)))
    for way, (law, sign) in enumerate(((laws.p, 1.0), (laws.other, -1.0))):
        mass = np.where(law > RARE, laws.weight * law, 0.0)
        loss = np.where(mass > 0, sign * laws.logratio, 0.0)
        for place, moment in enumerate(_log_moments(mass, loss, orders)):
            moments[way, :, place] = moment.reshape(size * groups, neighbours // groups).max(axis=1)
    rounding = SLACK * (2 * orders - 1)  # of P^order times P'^(1 - order)
    return (moments + rounding) / (orders - 1)


def _log_moments(mass: np.ndarray, loss: np.ndarray, orders: np.ndarray) -> list[np.ndarray]:
    """ln(1 + sum_j mass_j expm1(l loss_j)) for every order, as (histogram, neighbour) arrays."""
    found: dict[float, np.ndarray] = {}
    wanted = list(orders - 1)
    with np.errstate(over="ignore", invalid="ignore"):
        for start in wanted:
            if start in found:
                continue
            power, exponent = np.expm1(start * loss), start
            while True:
                total = np.einsum("hno,hno->hn", mass, power)
                found[exponent] = np.log1p(np.maximum(total, 0))
                large = ~np.isfinite(total)  # the sum is no double any more; its logarithm is
                found[exponent][large] = _log_sum(mass[large], exponent * loss[large])
                if 2 * exponent not in wanted:
                    break
                power *= power + 2
                exponent *= 2
    return [found[exponent] for exponent in wanted]


def _log_sum(mass: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """ln of sum_j mass_j exp(exponent_j) along the last axis; infinite where an outcome is impossible in one world."""
    with np.errstate(divide="ignore"):
        terms = np.where(mass > 0, np.log(mass) + exponent, -np.inf)
    return np.logaddexp.reduce(terms, axis=-1)
