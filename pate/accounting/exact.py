"""What answers cost for this data set: exact laws, turned into epsilon by Renyi divergences and by privacy losses.

Both prices hold for queries fixed in advance and depend on the private votes: they are the owner's. Neither is always
the smaller one. `teacher_resolved` is in the file of that name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import ThreadpoolController

from pate.accounting.conversion import by_order
from pate.accounting.conversion import epsilon as from_rdp
from pate.accounting.exact_pld import losses
from pate.accounting.exact_rdp import RARE, divergences
from pate.accounting.law import Change, Chunk, Laws, chunks, laws
from pate.accounting.pld import Losses, compose
from pate.accounting.quadrature import Grid

_COARSE = 2.0 ** np.arange(-3, 14)  # order - 1: where to look for the best one
_FINE = 2.0 ** (np.arange(-8, 9) / 8)  # around the best of these
_NEAR = 2.0 ** (np.arange(-2, 3) / 8)  # around the best of those
_SAMPLE = 256  # histograms to look for it on: every order is valid, this only chooses
_POINTS = 100  # of the grid, between no loss and the largest
_MOST = 20_000  # histograms whose loss distributions are composed; beyond, Renyi divergences alone set the price
_ALONE = 6_000  # histograms one process is done with before others have started
_FAR = 8.0  # losses beyond this count as infinite: they belong to outcomes next to impossible

T = TypeVar("T")


@dataclass(frozen=True)
class Ensemble:
    """The votes on some queries as distinct sorted histograms, each of them `times` there."""

    histograms: np.ndarray
    which: np.ndarray  # (queries,) the histogram of each
    times: np.ndarray

    @classmethod
    def of(cls, counts: np.ndarray) -> Ensemble:
        ordered = -np.sort(-counts.astype(np.int64), axis=1)
        histograms, which, times = np.unique(ordered, axis=0, return_inverse=True, return_counts=True)
        return cls(histograms, which.reshape(-1), times)


@dataclass(frozen=True)
class Scale:
    """Orders and loss grid that suit some votes; any others would be valid too."""

    orders: np.ndarray
    step: float
    reach: int = _POINTS


@dataclass(frozen=True)
class Exact:
    """Per direction (D||D', D'||D), epsilon by each way of computing it; no `pld` where it would take too long."""

    rdp: tuple[float, float]
    pld: tuple[float, float] | None


def exact(
    votes: Ensemble,
    grid: Grid,
    deltas: Sequence[float],
    change: Change | None = None,
    scales: Sequence[Scale] | None = None,
) -> list[Exact]:
    """Price all queries of an ensemble, at each delta; the laws are the same for all of them.

    `change` turns the law of the noisy argmax into that of a mechanism around it, such as a threshold test; `scales`
    are those that suit, where they are known.
    """
    scales = scales or suitable(votes, grid, deltas, change)
    by_loss = len(votes.histograms) <= _MOST
    found = over_chunks(votes.histograms, grid, lambda law: costs_of(law, scales, by_loss), change)
    times = np.concatenate([votes.times[members] for members, _, _ in found])
    tables = [Losses.join([loss[way] for _, _, loss in found]) for way in (0, 1)] if by_loss else []
    composed = [compose(table, times, min(deltas))[0] for table in tables]  # what suits the least suits all
    prices = []
    for place, (scale, delta) in enumerate(zip(scales, deltas, strict=True)):
        totals = (times @ np.concatenate([divergence[place][way] for _, divergence, _ in found]) for way in (0, 1))
        one, other = (from_rdp(total, scale.orders, delta) for total in totals)
        pld = [law.epsilon(delta) for law in composed]
        prices.append(Exact((one, other), (pld[0], pld[1]) if pld else None))
    return prices


def costs_of(
    law: Laws, scales: Sequence[Scale], by_loss: bool, by_origin: bool = False
) -> tuple[np.ndarray, list[np.ndarray], list[Losses]]:
    """Of some histograms: which they are, their divergences at each scale's orders, their losses on the common grid."""
    return (
        law.members,
        [divergences(law, scale.orders, by_origin) for scale in scales],
        losses(law, scales[0].step, scales[0].reach, by_origin) if by_loss else [],
    )


def suitable(votes: Ensemble, grid: Grid, deltas: Sequence[float], change: Change | None) -> list[Scale]:
    """Choose orders for each delta, and one loss grid, on a sample of the histograms."""
    chosen = np.unique(np.linspace(0, len(votes.histograms) - 1, _SAMPLE).round().astype(int))
    sample = over_chunks(votes.histograms[chosen], grid, lambda law: law, change)
    times = np.concatenate([votes.times[chosen][law.members] for law in sample])
    times = times * (votes.times.sum() / times.sum())

    def totals(exponents: np.ndarray) -> np.ndarray:
        each = [divergences(law, 1 + exponents) for law in sample]
        return np.einsum("h,who->wo", times, np.concatenate(each, axis=1))

    def best(exponents: np.ndarray, found: np.ndarray, delta: float) -> float:
        return float(exponents[np.argmin(by_order(found, 1 + exponents, delta).max(axis=0))])

    coarse = totals(_COARSE)
    largest = min(max(_largest_loss(law) for law in sample) * 1.1, _FAR)
    step = max(largest, 1e-6) / _POINTS
    scales = []
    for delta in deltas:
        near = best(_COARSE, coarse, delta) * _FINE
        scales.append(Scale(1 + best(near, totals(near), delta) * _NEAR, step))
    return scales


def over_chunks(histograms: np.ndarray, grid: Grid, compute: Callable[[Laws], T], change: Change | None) -> list[T]:
    """Compute something of the laws of all histograms, chunk by chunk; many of them in as many processes as cores."""

    def one(chunk: Chunk) -> T:
        law = laws(chunk, grid)
        return compute(change(law) if change else law)

    with _threads().limit(limits=1):
        jobs = -1 if len(histograms) > _ALONE else 1
        work = Parallel(n_jobs=jobs, max_nbytes=None)  # through pipes: joblib's files would hold votes as pickles
        return list(work(delayed(one)(chunk) for chunk in chunks(histograms, grid)))


@cache
def _threads() -> ThreadpoolController:
    """To look for the libraries takes longer than the laws of a few votes."""
    return ThreadpoolController()


def _largest_loss(law: Laws) -> float:
    real = (law.weight > 0) & (law.p > RARE) & (law.other > RARE)
    return float(np.abs(law.logratio[real]).max(initial=0.0))
