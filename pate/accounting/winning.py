"""How likely each class is to be the answer to a query: the same integral the exact accountants take."""

from __future__ import annotations

import numpy as np

from pate.accounting.law import OutOfRange
from pate.accounting.mechanism import Mechanism, require_known
from pate.accounting.quadrature import Grid

_CHUNK = 4_000_000  # numbers in the largest array


def winning(mechanism: Mechanism, counts: np.ndarray) -> np.ndarray:
    """The probability of each answer (queries x classes). A row sums to 1, or to the chance of being answered."""
    require_known(mechanism)
    classes = counts.shape[1]
    way = mechanism.law(int(counts[0].sum()), classes)
    ordered, inverse = np.unique(np.sort(counts, axis=1), axis=0, return_inverse=True)
    size = max(1, _CHUNK // (classes * len(way.grid.weights)))
    parts = [_law(ordered[start : start + size], way.grid) for start in range(0, len(ordered), size)]
    by_rank = np.concatenate(parts)[inverse.reshape(-1)]
    found = np.empty_like(by_rank)
    np.put_along_axis(found, np.argsort(counts, axis=1, kind="stable"), by_rank, axis=1)
    if way.answered is not None:
        found *= way.answered(counts)[:, None]
    return found


def wrong_if_unanimous(mechanism: Mechanism, teachers: int, classes: int) -> float:
    """The share of answers that are not the class every teacher voted for: what noise alone does, whatever the data."""
    counts = np.zeros((1, classes), dtype=np.int64)
    counts[0, 0] = teachers
    try:
        chances = winning(mechanism, counts)[0]
    except OutOfRange:
        return 0.0  # not known, or so little noise that the law is beyond double precision
    return float(np.clip(1 - chances[0] / chances.sum(), 0, 1)) if chances.sum() > 0 else 0.0


def _law(counts: np.ndarray, grid: Grid) -> np.ndarray:
    mass = grid.weights * np.exp(grid.ell.at(counts).sum(axis=1))
    found = np.einsum("qx,qcx->qc", mass, grid.rate.at(counts)) + grid.floor
    if not np.allclose(found.sum(axis=1), 1, rtol=0, atol=1e-9):
        raise OutOfRange("these votes and this noise are beyond double precision")
    return found
