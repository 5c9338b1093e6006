"""What would it cost? Prices and label quality at other noise, other numbers of queries and other deltas, computed
beforehand on the owner's votes, for a page that has no accountant of its own.

It depends on private votes: for the owner. Whoever chooses settings by it has chosen them on private data, which no
epsilon covers.
"""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from pate.accounting.ladder import prices
from pate.accounting.law import OutOfRange
from pate.accounting.winning import winning
from pate.aggregation.aggregator import Aggregator
from pate.progress import progress
from pate.workspace.artifact import Artifact

_FACTORS = (0.5, 1.0, 2.0)  # times the noise that was configured
_SHARES = (0.5, 1.0, 2.0)  # of the queries that were asked
_DECADES = (10.0, 1.0, 0.1)  # times the delta that was configured
_MOST_VOTES = 400_000  # teachers x queries whose prices are followed teacher by teacher


@dataclass(frozen=True)
class Panel(Artifact):
    """A table: `epsilon` by (noise, queries, delta, accountant), null where it is not known or infinite.

    `agreement` is the expected share of answers that are the teachers' plurality, `answered` that of queries which get
    an answer at all, both by (noise, queries). `chosen` are the places of what was configured.
    """

    parameter: str
    noises: list[float]
    queries: list[int]
    deltas: list[float]
    accountants: list[dict[str, Any]]
    epsilon: list[Any]
    agreement: list[list[float | None]]
    answered: list[list[float | None]]
    chosen: list[int]
    relation: str
    teachers: int
    exact_order: bool  # False: fewer queries are the first of those asked, not those a run would choose


def panel(
    aggregator: Aggregator,
    counts: np.ndarray,
    predictions: np.ndarray | None,
    asked: int,
    delta: float,
    relation: str,
    adaptive: bool,
    exact_order: bool,
    n_jobs: int,
) -> Panel:
    """Of votes on queries in the order in which more of them would be asked; `asked` of them were."""
    parameter = aggregator.noise_parameter
    noises = _around(aggregator, parameter)
    queries = sorted({min(len(counts), max(1, _round(asked * share))) for share in _SHARES} | {asked})
    deltas = sorted({float(f"{delta * factor:.3g}") for factor in _DECADES if delta * factor < 0.1} | {delta})
    if predictions is not None and predictions.shape[0] * max(queries) > _MOST_VOTES:
        predictions = None
    with progress("prices beforehand", len(noises)) as advance, threadpool_limits(1):
        work = Parallel(n_jobs=n_jobs, max_nbytes=None, return_as="generator")  # through pipes: no votes in files
        found = []
        for column in work(
            delayed(_priced)(_changed(aggregator, parameter, value), counts, predictions, queries, deltas, adaptive)
            for value in noises
        ):
            found.append(column)
            advance(1)
    names = {one["accountant"]: one for column in found for row in column for costs in row[0] for one in costs}
    return Panel(
        parameter,
        noises,
        queries,
        deltas,
        [{key: one[key] for key in ("accountant", "holds_for", "theorem", "valid")} for one in names.values()],
        [[[_told(costs, list(names)) for costs in row[0]] for row in column] for column in found],
        [[row[1] for row in column] for column in found],
        [[row[2] for row in column] for column in found],
        [noises.index(getattr(aggregator, parameter)), queries.index(asked), deltas.index(delta)],
        relation,
        int(counts[0].sum()),
        exact_order,
    )


Row = tuple[list[list[dict[str, Any]]], float | None, float | None]


def _priced(
    aggregator: Aggregator,
    counts: np.ndarray,
    predictions: np.ndarray | None,
    queries: list[int],
    deltas: list[float],
    adaptive: bool,
) -> list[Row]:
    """For each number of queries: prices by delta, then agreement and the share answered."""
    found: list[Row] = []
    for k in queries:
        mine = None if predictions is None else predictions[:, :k]
        costs = prices(aggregator, counts[:k], deltas, mine, adaptive=adaptive)
        found.append(([one.prices for one in costs], *agreement(aggregator, counts[:k])))
    return found


def agreement(aggregator: Aggregator, counts: np.ndarray) -> tuple[float | None, float | None]:
    """The expected share of answers that are the plurality, and of queries that are answered; None where unknown."""
    try:
        chances = winning(aggregator, counts)
    except OutOfRange:
        return None, None
    right, given = chances[np.arange(len(counts)), counts.argmax(axis=1)].sum(), chances.sum()
    return (float(right / given) if given > 0 else None), float(given / len(counts))


def _told(costs: list[dict[str, Any]], names: list[str]) -> list[float | None]:
    known = {one["accountant"]: one["epsilon"] for one in costs}
    return [known[name] if math.isfinite(known.get(name, math.inf)) else None for name in names]


def _around(aggregator: Aggregator, parameter: str) -> list[float]:
    """Noises more and less than the one configured, as far as the aggregator takes them; two digits are enough."""
    own, found = getattr(aggregator, parameter), []
    for factor in _FACTORS:
        value = own if factor == 1 else float(f"{own * factor:.2g}")
        with contextlib.suppress(ValueError):
            found.append(getattr(_changed(aggregator, parameter, value), parameter))
    return sorted(set(found))


def _changed(aggregator: Aggregator, parameter: str, value: float) -> Aggregator:
    return replace(aggregator, **{parameter: value})  # type: ignore[type-var]


def _round(number: float) -> int:
    """Two digits."""
    return int(float(f"{number:.2g}"))
