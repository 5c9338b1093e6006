"""The privacy-utility frontier: which configurations no other beats by the measure, and the best an epsilon affords.

Epsilons are held against each other only if they mean the same: one method, what it holds for, whether it may be
published, delta, neighbouring relation, private data. To choose by test scores is tuning, and no epsilon covers
it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from pate.accounting.guarantee import Guarantee
from pate.evaluation.measure import Measure, of_several
from pate.evaluation.results import MethodResult
from pate.report.sweep.jobs import Group, Job, Mean, looks


def tuning(measure: Measure) -> str:
    return (
        f"to choose a configuration by its test {measure.title} is tuning: no epsilon covers it, and on other inputs "
        "the chosen one is likely to do worse"
    )


@dataclass(frozen=True)
class Kind:
    """All that an epsilon is never without: configurations of two kinds are never compared."""

    method: str
    title: str
    data: str
    promise: Guarantee  # with no epsilon of its own

    @property
    def publishable(self) -> bool:
        return self.promise.publishable

    def __str__(self) -> str:
        return f"{self.title}, epsilon {self.promise.terms}; {self.data}"


@dataclass(frozen=True)
class Configuration:
    """One of a sweep's: the largest epsilon of its runs, and their mean score on the test set, by the measure."""

    choices: dict[str, str]
    epsilon: float
    score: Mean


ByKind = dict[Kind, list[Configuration]]


def measure_of(jobs: Iterable[Job], name: str | None = None) -> Measure:
    """What decides among these runs, the same for all of them."""
    return of_several(name, (job.results.measure for job in jobs if job.results))


def frontiers(groups: Sequence[Group], measure: Measure) -> ByKind:
    """The frontier of each kind, by growing epsilon."""
    return {kind: frontier(points, measure) for kind, points in by_kind(groups, measure).items()}


def by_kind(groups: Sequence[Group], measure: Measure) -> ByKind:
    """All configurations whose epsilon and score are known."""
    found: ByKind = {}
    for group in groups:
        for method in looks(group.jobs).values():
            for kind, point in _points(group, method, measure):
                found.setdefault(kind, []).append(point)
    return found


def frontier(points: Sequence[Configuration], measure: Measure) -> list[Configuration]:
    """Those that no other beats: none is as good or better in both epsilon and score, and better in one."""
    kept: list[Configuration] = []
    for point in sorted(points, key=lambda one: (one.epsilon, -measure.sign * one.score.value)):
        last = kept[-1] if kept else None
        equal = last and (last.epsilon, last.score.value) == (point.epsilon, point.score.value)
        if last is None or equal or measure.sign * (point.score.value - last.score.value) > 0:
            kept.append(point)
    return kept


def best(points: Sequence[Configuration], epsilon: float, measure: Measure) -> Configuration | None:
    """The best that costs no more than this; of several, the cheapest."""
    affordable = [point for point in points if point.epsilon <= epsilon]
    return min(affordable, key=lambda point: (-measure.sign * point.score.value, point.epsilon), default=None)


def _points(group: Group, method: MethodResult, measure: Measure) -> Iterator[tuple[Kind, Configuration]]:
    """A method's epsilons in a group: for this data set if it has one, and for every data set."""
    score, data = group.mean([f"{method.name}_{measure.name}"]), {job.data for job in group.jobs}
    rows = [row for job in group.jobs for row in job.methods if row.name == method.name]
    promises = {(one.delta, one.relation) for row in rows for one in row.guarantees}
    if score is None or len(promises) != 1 or len(data) != 1:
        return
    for several in ([_this(row) for row in rows], [row.publishable or row.worst_case for row in rows]):
        known = [one for one in several if one is not None]
        if known and len(known) == len(group.jobs):
            largest = max(known, key=lambda one: one.epsilon)  # rounded against ourselves
            withheld = "; ".join(dict.fromkeys(one.withheld for one in known if one.withheld))
            kind = replace(largest, epsilon=0.0, accountant="", theorem="", withheld=withheld)
            choices = Configuration(group.choices, largest.epsilon, score)
            yield Kind(method.name, method.title, next(iter(data)), kind), choices


def _this(row: MethodResult) -> Guarantee | None:
    """What it costs on this very data set, if that is known."""
    return row.best if row.best and row.best.data_dependent else None
