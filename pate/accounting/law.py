"""The exact output law of a noisy argmax, for a histogram of votes and for every neighbouring one.

A neighbour moves one vote from class a to class b (n_a >= 1). Classes with equal counts are exchangeable, so a
histogram is kept as its distinct counts with their multiplicities, and histograms with as many distinct counts are
computed together, as matrix products.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from pate.accounting.quadrature import SLACK, Grid

_CHUNK = 2_000_000  # numbers in the largest array of a chunk
_own = threading.local()


class OutOfRange(ArithmeticError):
    """The law cannot be computed precisely; no exact price is claimed."""


@dataclass(frozen=True)
class Laws:
    """Laws of some histograms and all their neighbours, up to exchangeable classes.

    Axes: histogram, neighbour, outcome. `weight` counts the classes an outcome stands for; it is 0 where there is none,
    as for neighbours that do not exist. `logratio` is log P/P', more precise than the quotient where both are near 1.
    """

    members: np.ndarray  # which of the given histograms
    distinct: np.ndarray  # (histogram, distinct) the counts, highest first
    multiplicity: np.ndarray  # (histogram, distinct) how many classes have each; neighbours run over pairs of these
    weight: np.ndarray
    p: np.ndarray
    other: np.ndarray
    logratio: np.ndarray


Change = Callable[[Laws], Laws]


@dataclass(frozen=True)
class Exactly:
    """The law of a mechanism's answers: noise on every count, and what stands around the noisy argmax, such as a test.

    `change` turns laws of the argmax into the mechanism's, `answered` gives the chance that each of some counts
    (queries x classes) gets an answer at all.
    """

    grid: Grid
    change: Change | None = None
    answered: Callable[[np.ndarray], np.ndarray] | None = None


@dataclass(frozen=True)
class Chunk:
    """Histograms with as many distinct counts."""

    members: np.ndarray
    distinct: np.ndarray
    multiplicity: np.ndarray


def chunks(histograms: np.ndarray, grid: Grid) -> Iterator[Chunk]:
    """Sorted histograms (rows of counts, highest first) in pieces that are computed together."""
    firsts = np.diff(histograms, axis=1, prepend=-1) != 0
    number = firsts.sum(axis=1)
    for d in np.unique(number):
        members = np.flatnonzero(number == d)
        size = max(1, int(_CHUNK / (d * d * len(grid.weights))))
        for start in range(0, len(members), size):
            some = members[start : start + size]
            distinct = histograms[some][firsts[some]].reshape(len(some), d)
            positions = np.nonzero(firsts[some])[1].reshape(len(some), d)
            multiplicity = np.diff(positions, axis=1, append=histograms.shape[1])
            yield Chunk(some, distinct, multiplicity)


def laws(chunk: Chunk, grid: Grid) -> Laws:
    """The laws of a chunk and of all its neighbours."""
    distinct, multiplicity = chunk.distinct, chunk.multiplicity
    size, d = distinct.shape
    rate, up = grid.rate.at(distinct), grid.up.at(distinct)
    mass = grid.weights * np.exp(np.einsum("hd,hdx->hx", multiplicity, grid.ell.at(distinct)))
    p = np.einsum("hx,hdx->hd", mass, rate) + grid.floor

    taken = mass[:, None, :] * grid.down.at(distinct)  # one vote less at a
    moved = _workspace((size, d, d, taken.shape[-1]))
    np.multiply(taken[:, :, None, :], up[:, None, :, :], out=moved)  # one vote more at b
    moved = moved.reshape(size, d * d, -1)
    others = np.einsum("hpx,hgx->hpg", moved, rate, optimize=True).reshape(size, d, d, d)
    at_a = np.matmul(taken * grid.rate.at(np.maximum(distinct - 1, -1)), up.transpose(0, 2, 1))
    at_b = np.matmul(taken, (up * grid.rate.at(distinct + 1)).transpose(0, 2, 1))

    # Outcomes of the neighbour a -> b: the other classes of each distinct count, then a, then b.
    eye = np.eye(d)
    weight = np.empty((size, d, d, d + 2))
    weight[..., :d] = multiplicity[:, None, None, :] - eye[:, None, :] - eye[None, :, :]
    weight[..., d:] = 1
    exists = (distinct[:, :, None] >= 1) & (weight[..., :d] >= 0).all(axis=-1)
    weight *= exists[..., None]
    ours = np.empty_like(weight)
    ours[..., :d], ours[..., d], ours[..., d + 1] = p[:, None, None, :], p[:, :, None], p[:, None, :]
    theirs = np.concatenate([others, at_a[..., None], at_b[..., None]], axis=-1) + grid.floor
    flat = (size, d * d, d + 2)
    weight, ours, theirs = weight.reshape(flat), ours.reshape(flat), theirs.reshape(flat)
    total = (weight * theirs).sum(axis=2)[weight.any(axis=2)]
    if not (np.isfinite(theirs).all() and np.isfinite(ours).all() and np.allclose(total, 1, rtol=0, atol=SLACK)):
        raise OutOfRange("these votes and this noise are beyond what the laws can be computed for in double precision")
    logratio = _settle_winner(weight, ours, theirs, _winner(d))
    return Laws(chunk.members, distinct, multiplicity, weight, ours, theirs, logratio)


def _workspace(shape: tuple[int, ...]) -> np.ndarray:
    """One large array, used again and again: asking the system for fresh memory costs more than filling it."""
    size = math.prod(shape)
    if getattr(_own, "array", np.empty(0)).size < size:
        _own.array = np.empty(size)
    return _own.array[:size].reshape(shape)


def _winner(d: int) -> np.ndarray:
    """For each neighbour, the outcome that is (one of) the highest count: the group, unless a or b is taken from it."""
    winner = np.zeros((d, d), dtype=int)
    winner[:, 0] = d + 1
    winner[0, :] = d
    return winner.reshape(-1)


def _settle_winner(weight: np.ndarray, ours: np.ndarray, theirs: np.ndarray, winner: np.ndarray) -> np.ndarray:
    """Give the highest count what the others leave, in both worlds, so that small losses keep all their digits."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logratio = np.log(ours) - np.log(theirs)
    logratio[weight == 0] = 0
    index = np.broadcast_to(winner[None, :, None], (*weight.shape[:2], 1))
    multiplicity = np.take_along_axis(weight, index, axis=2)
    rest = weight.copy()
    np.put_along_axis(rest, index, 0, axis=2)
    lost, lost_there = ((rest * law).sum(axis=2, keepdims=True) for law in (ours, theirs))
    likely = (multiplicity > 0) & (lost < 0.5) & (lost_there < 0.5)  # elsewhere 1 - lost has fewer digits
    small, small_there = np.where(likely, lost, 0), np.where(likely, lost_there, 0)
    share = np.maximum(multiplicity, 1)
    for values, settled in (
        (ours, (1 - small) / share),
        (theirs, (1 - small_there) / share),
        (logratio, np.log1p(-small) - np.log1p(-small_there)),
    ):
        np.put_along_axis(values, index, np.where(likely, settled, np.take_along_axis(values, index, axis=2)), axis=2)
    return logratio
