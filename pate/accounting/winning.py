"""How likely each class is to be the answer to a query: the same integral the exact accountants take."""

from __future__ import annotations

import numpy as np

from pate.accounting import quadrature
from pate.accounting.confident import log_passes
from pate.accounting.known import require_known
from pate.accounting.law import OutOfRange
from pate.accounting.quadrature import Grid
from pate.aggregation.aggregator import Aggregator
from pate.aggregation.confident_gnmax import ConfidentGNMax
from pate.aggregation.gnmax import GNMax
from pate.aggregation.lnmax import LNMax

# Where the laws were checked against high-precision arithmetic; outside, nothing exact is offered.
_LARGEST_GAMMA = 3.0
_SMALLEST_SIGMA = 0.5
_LARGEST_DISCRETE_SIGMA = 1e4  # beyond, tables of the discrete Gaussian fill the memory
_STEEPEST = 500.0  # logarithm of the largest factor one vote changes a tail probability by
_CHUNK = 4_000_000  # numbers in the largest array


def noise_grid(aggregator: Aggregator, teachers: int, classes: int) -> Grid:
    """The aggregator's noise on quadrature nodes; OutOfRange where that is not precise."""
    require_known(aggregator)
    if isinstance(aggregator, LNMax):
        if aggregator.gamma > _LARGEST_GAMMA:
            raise OutOfRange(f"gamma above {_LARGEST_GAMMA:g}")
        grid = quadrature.laplace if aggregator.noise == "continuous" else quadrature.discrete_laplace
        return grid(aggregator.gamma, teachers, classes)
    assert isinstance(aggregator, GNMax | ConfidentGNMax)
    if aggregator.sigma < _SMALLEST_SIGMA or (teachers + 12 * aggregator.sigma) / aggregator.sigma**2 > _STEEPEST:
        raise OutOfRange("sigma too small for so many teachers")
    if aggregator.noise == "continuous":
        return quadrature.gaussian(aggregator.sigma, teachers, classes)
    if aggregator.sigma > _LARGEST_DISCRETE_SIGMA:
        raise OutOfRange(f"sigma above {_LARGEST_DISCRETE_SIGMA:g}")
    return quadrature.discrete_gaussian(aggregator.sigma, teachers, classes)


def winning(aggregator: Aggregator, counts: np.ndarray) -> np.ndarray:
    """The probability of each answer (queries x classes). A row sums to 1, or to the chance of being answered."""
    classes = counts.shape[1]
    grid = noise_grid(aggregator, int(counts[0].sum()), classes)
    ordered, inverse = np.unique(np.sort(counts, axis=1), axis=0, return_inverse=True)
    size = max(1, _CHUNK // (classes * len(grid.weights)))
    parts = [_law(ordered[start : start + size], grid) for start in range(0, len(ordered), size)]
    by_rank = np.concatenate(parts)[inverse.reshape(-1)]
    found = np.empty_like(by_rank)
    np.put_along_axis(found, np.argsort(counts, axis=1, kind="stable"), by_rank, axis=1)
    if isinstance(aggregator, ConfidentGNMax):
        top = counts.max(axis=1, keepdims=True)
        found *= np.exp(log_passes(top, aggregator.threshold, aggregator.threshold_sigma, aggregator.noise)[0])
    return found


def wrong_if_unanimous(aggregator: Aggregator, teachers: int, classes: int) -> float:
    """The share of answers that are not the class every teacher voted for: what noise alone does, whatever the data."""
    counts = np.zeros((1, classes), dtype=np.int64)
    counts[0, 0] = teachers
    try:
        chances = winning(aggregator, counts)[0]
    except OutOfRange:
        return 0.0  # so little noise that the law is beyond double precision
    return float(np.clip(1 - chances[0] / chances.sum(), 0, 1)) if chances.sum() > 0 else 0.0


def _law(counts: np.ndarray, grid: Grid) -> np.ndarray:
    mass = grid.weights * np.exp(grid.ell.at(counts).sum(axis=1))
    found = np.einsum("qx,qcx->qc", mass, grid.rate.at(counts)) + grid.floor
    if not np.allclose(found.sum(axis=1), 1, rtol=0, atol=1e-9):
        raise OutOfRange("these votes and this noise are beyond double precision")
    return found
