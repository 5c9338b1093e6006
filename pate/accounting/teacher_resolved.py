"""The price when the vote matrix is at hand: who could have changed what.

A record reaches one teacher. If that is teacher t, the vote that moves starts at t's own vote, query by query; only
where it goes is unknown. So for each teacher the losses of its own votes are composed over the queries, and the teacher
who can lose most sets the price.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pate.accounting.conversion import by_order
from pate.accounting.exact import Ensemble, Scale, costs_of, over_chunks, suitable
from pate.accounting.law import Change
from pate.accounting.pld import Composed, Losses, compose
from pate.accounting.quadrature import Grid

_MOST = 50_000  # rows of the loss table; beyond, Renyi divergences alone set the price


def teacher_resolved(
    votes: Ensemble,
    counts: np.ndarray,
    predictions: np.ndarray,
    grid: Grid,
    deltas: Sequence[float],
    change: Change | None = None,
    scales: Sequence[Scale] | None = None,
) -> list[float]:
    """Epsilon at each delta for predictions (teachers x queries) that add up to counts (queries x classes)."""
    rows, distinct = _rows(votes, counts, predictions)
    teachers, size = len(predictions), int(distinct.sum())
    uses = np.zeros((teachers, size))
    np.add.at(uses, (np.arange(teachers)[:, None], rows), 1)

    scales = scales or suitable(votes, grid, deltas, change)
    by_loss = size <= _MOST
    found = over_chunks(votes.histograms, grid, lambda law: costs_of(law, scales, by_loss, by_origin=True), change)
    start = np.cumsum(distinct) - distinct
    place = np.concatenate([(start[m][:, None] + np.arange(distinct[m[0]])).ravel() for m, _, _ in found])
    worst = [0.0] * len(deltas)
    for way in (0, 1):
        table = Losses.join([loss[way] for _, _, loss in found]) if by_loss else None
        composed = compose(table, uses[:, place], min(deltas)) if table else []
        for number, (scale, delta) in enumerate(zip(scales, deltas, strict=True)):
            divergence = np.empty((size, len(scale.orders)))
            divergence[place] = np.concatenate([rdp[number][way] for _, rdp, _ in found])
            price = by_order(_totals(uses, divergence), scale.orders, delta).min(axis=1)
            worst[number] = _dearest(price, composed, delta, worst[number])
    return worst


def _dearest(price: np.ndarray, composed: Sequence[Composed], delta: float, least: float) -> float:
    """The largest over teachers of the smaller of both prices, if it is more than `least`: whoever owes no more by
    either of them need not be solved for."""
    for teacher in np.argsort(-price):
        if price[teacher] <= least:
            break
        if not composed:
            return float(price[teacher])
        if composed[teacher].delta(least) > delta:
            least = max(least, min(float(price[teacher]), composed[teacher].epsilon(delta)))
    return least


def _totals(uses: np.ndarray, divergence: np.ndarray) -> np.ndarray:
    """Divergences add up (teachers x orders). One that is infinite makes its order say nothing, but only of teachers
    who use it: the others owe nothing for it, and 0 times infinity is no number."""
    infinite = np.isinf(divergence)
    return np.where(uses @ infinite > 0, np.inf, uses @ np.where(infinite, 0.0, divergence))


def _rows(votes: Ensemble, counts: np.ndarray, predictions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each teacher and query the row of (histogram, count of the class it voted for); distinct counts of each."""
    first = np.diff(votes.histograms, axis=1, prepend=-1) != 0
    distinct = first.sum(axis=1)
    start = np.cumsum(distinct) - distinct
    rank_in_order = np.cumsum(first, axis=1) - 1
    order = np.argsort(-counts.astype(np.int64), axis=1, kind="stable")
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, rank_in_order[votes.which], axis=1)
    queries = np.arange(counts.shape[0])
    return start[votes.which] + rank[queries, predictions], distinct
