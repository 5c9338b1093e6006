"""How good labels are before any is drawn: teachers, their plurality, and answers under noise of every scale.

True labels of public inputs and private votes meet here: for the owner, to evaluate, and covered by no epsilon.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pate.accounting.law import OutOfRange
from pate.accounting.winning import winning
from pate.aggregation.aggregator import Aggregator
from pate.aggregation.votes import Votes
from pate.evaluation.scores import accuracy
from pate.workspace.artifact import Artifact


@dataclass(frozen=True)
class Quality(Artifact):
    """Shares of right answers. Under noise they are expectations over it, computed and not sampled."""

    teachers: int
    queries: int = 0
    teacher_accuracy: float | None = None
    plurality_accuracy: float | None = None
    label_accuracy: float | None = None  # of the queries asked, where they are answered, with the noise configured
    pool_accuracy: float | None = None  # the same, had every public input been asked about: less chance in it
    answered: float | None = None  # the share of queries expected to be answered
    median_gap: float = 0.0  # votes between the first and the second class
    gammas: list[float] = field(default_factory=list)
    accuracy_at: list[float | None] = field(default_factory=list)  # of the whole pool, with noise of scale 1/gamma


def quality(votes: Votes, truth: np.ndarray, asked: np.ndarray, aggregator: Aggregator, gammas: list[float]) -> Quality:
    """Score votes on the public pool; inputs of unknown label (-1) are left out."""
    ordered = np.sort(votes.counts, axis=1)
    right, answered = expected(aggregator, votes.counts[asked], truth[asked])
    return Quality(
        teachers=votes.teachers,
        queries=len(asked),
        teacher_accuracy=accuracy(votes.predictions, truth) if votes.predictions is not None else None,
        plurality_accuracy=accuracy(votes.counts.argmax(axis=1), truth),
        label_accuracy=right,
        pool_accuracy=expected(aggregator, votes.counts, truth)[0],
        answered=answered,
        median_gap=float(np.median(ordered[:, -1] - ordered[:, -2])),
        gammas=list(gammas),
        accuracy_at=[expected(aggregator.scaled(gamma), votes.counts, truth)[0] for gamma in gammas],
    )


def expected(aggregator: Aggregator, counts: np.ndarray, truth: np.ndarray) -> tuple[float | None, float | None]:
    """The expected share of right labels among those given, and the share of queries answered; None where unknown."""
    known = truth >= 0
    try:
        chances = winning(aggregator, counts)
    except OutOfRange:
        return None, None
    answered = float(chances.sum(axis=1).mean())
    if not known.any():
        return None, answered
    given = chances[known]
    if given.sum() == 0:
        return None, answered
    return float(given[np.arange(len(given)), truth[known]].sum() / given.sum()), answered
