"""The privacy-utility frontier: which configurations are not beaten by another, and the best one an epsilon affords.

Epsilons are held against each other only if they mean the same: one method, what it holds for, whether it may be
published, delta, neighbouring relation, private data. To choose by test accuracy is tuning, and no epsilon covers it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pate.accounting.guarantee import Guarantee
from pate.evaluation.results import MethodResult
from pate.report.sweep.jobs import Group, Mean, looks

TUNING = (
    "to choose a configuration by its test accuracy is tuning: no epsilon covers it, and on other inputs the chosen "
    "one is likely to do worse"
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
    """One of a sweep's: the largest epsilon of its runs, and their mean accuracy on the test set."""

    choices: dict[str, str]
    epsilon: float
    accuracy: Mean


ByKind = dict[Kind, list[Configuration]]


def frontiers(groups: Sequence[Group]) -> ByKind:
    """The frontier of each kind, by growing epsilon."""
    return {kind: frontier(points) for kind, points in by_kind(groups).items()}


def by_kind(groups: Sequence[Group]) -> ByKind:
    """All configurations whose epsilon and test accuracy are known."""
    found: ByKind = {}
    for group in groups:
        for method in looks(group.jobs).values():
            for kind, point in _points(group, method):
                found.setdefault(kind, []).append(point)
    return found


def frontier(points: Sequence[Configuration]) -> list[Configuration]:
    """Those that no other beats: none is as good or better in both epsilon and accuracy, and better in one."""
    kept: list[Configuration] = []
    for point in sorted(points, key=lambda one: (one.epsilon, -one.accuracy.value)):
        last = kept[-1] if kept else None
        equal = last and (last.epsilon, last.accuracy.value) == (point.epsilon, point.accuracy.value)
        if last is None or equal or point.accuracy.value > last.accuracy.value:
            kept.append(point)
    return kept


def best(points: Sequence[Configuration], epsilon: float) -> Configuration | None:
    """The most accurate that costs no more than this; of several, the cheapest."""
    affordable = [point for point in points if point.epsilon <= epsilon]
    return min(affordable, key=lambda point: (-point.accuracy.value, point.epsilon), default=None)


def _points(group: Group, method: MethodResult) -> Iterator[tuple[Kind, Configuration]]:
    """A method's epsilons in a group: for this data set if it has one, and for every data set."""
    accuracy, data = group.mean([f"{method.name}_accuracy"]), {job.data for job in group.jobs}
    rows = [row for job in group.jobs for row in job.methods if row.name == method.name]
    promises = {(one.delta, one.relation) for row in rows for one in row.guarantees}
    if accuracy is None or len(promises) != 1 or len(data) != 1:
        return
    for several in ([_this(row) for row in rows], [row.publishable or row.worst_case for row in rows]):
        known = [one for one in several if one is not None]
        if known and len(known) == len(group.jobs):
            largest = max(known, key=lambda one: one.epsilon)  # rounded against ourselves
            withheld = "; ".join(dict.fromkeys(one.withheld for one in known if one.withheld))
            kind = replace(largest, epsilon=0.0, accountant="", theorem="", withheld=withheld)
            choices = Configuration(group.choices, largest.epsilon, accuracy)
            yield Kind(method.name, method.title, next(iter(data)), kind), choices


def _this(row: MethodResult) -> Guarantee | None:
    """What it costs on this very data set, if that is known."""
    return row.best if row.best and row.best.data_dependent else None
