"""The privacy-utility frontier: which configurations are not beaten by another, and the best one an epsilon affords.

Epsilons are held against each other only if they mean the same: one method, what it holds for, whether it may be
published, delta, neighbouring relation, private data. To choose by test accuracy is tuning, and no epsilon covers it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pate.evaluation.scores import TITLES
from pate.report.sweep.jobs import Group, Mean

TUNING = (
    "to choose a configuration by its test accuracy is tuning: no epsilon covers it, and on other inputs the chosen "
    "one is likely to do worse"
)


@dataclass(frozen=True)
class Kind:
    """All that an epsilon is never without: points of two kinds are never compared."""

    method: str
    holds_for: str
    publishable: bool
    delta: float
    relation: str
    data: str

    def __str__(self) -> str:
        use = "publishable" if self.publishable else "the owner's, not publishable"
        what = f"{TITLES.get(self.method, self.method)}, epsilon for {self.holds_for} ({use})"
        return f"{what}, delta {self.delta:g}, {self.relation}; {self.data}"


@dataclass(frozen=True)
class Point:
    """One configuration: the largest epsilon of its runs, and their mean accuracy on the test set."""

    choices: dict[str, str]
    epsilon: float
    accuracy: Mean


def frontiers(groups: Sequence[Group]) -> dict[Kind, list[Point]]:
    """The frontier of each kind, by growing epsilon."""
    return {kind: frontier(points) for kind, points in by_kind(groups).items()}


def by_kind(groups: Sequence[Group]) -> dict[Kind, list[Point]]:
    """All configurations whose epsilon and test accuracy are known."""
    found: dict[Kind, list[Point]] = {}
    for group in groups:
        for method in dict.fromkeys(name for job in group.jobs for name in job.methods):
            for kind, point in _points(group, method):
                found.setdefault(kind, []).append(point)
    return found


def frontier(points: Sequence[Point]) -> list[Point]:
    """Those that no other beats: none is as good or better in both epsilon and accuracy, and better in one."""
    kept: list[Point] = []
    for point in sorted(points, key=lambda one: (one.epsilon, -one.accuracy.value)):
        last = kept[-1] if kept else None
        equal = last and (last.epsilon, last.accuracy.value) == (point.epsilon, point.accuracy.value)
        if last is None or equal or point.accuracy.value > last.accuracy.value:
            kept.append(point)
    return kept


def best(points: Sequence[Point], epsilon: float) -> Point | None:
    """The most accurate that costs no more than this; of several, the cheapest."""
    affordable = [point for point in points if point.epsilon <= epsilon]
    return min(affordable, key=lambda point: (-point.accuracy.value, point.epsilon), default=None)


def as_facts(groups: Sequence[Group], epsilon: float | None) -> dict[str, Any]:
    """For sweep.json and pages: every kind with its points, its frontier and the best one within an epsilon."""
    kinds = []
    for kind, points in by_kind(groups).items():
        chosen = best(points, epsilon) if epsilon is not None else None
        kinds.append(
            asdict(kind)
            | {"points": [asdict(point) for point in points], "frontier": [asdict(one) for one in frontier(points)]}
            | {"best": asdict(chosen) if chosen else None}
        )
    return {"epsilon": epsilon, "kinds": kinds, "warning": TUNING}


def _points(group: Group, method: str) -> Iterator[tuple[Kind, Point]]:
    """A method's epsilons in a group: for this data set if it has one, and for every data set."""
    accuracy = group.mean([f"{method}_accuracy"])
    told = [set(group.known(f"{method}_{name}")) for name in ("delta", "relation")]
    data = {job.data for job in group.jobs}
    if accuracy is None or any(len(values) != 1 for values in (*told, data)):
        return
    (delta,), (relation,) = told
    this = group.largest(f"{method}_epsilon") if "this data set" in group.known(f"{method}_guarantee") else None
    public = group.largest(f"{method}_epsilon_publishable")
    every = public if public is not None else group.largest(f"{method}_epsilon_every_data_set")
    for epsilon, holds_for in ((this, "this data set"), (every, "every data set")):
        if epsilon is not None:
            publishable = holds_for == "every data set" and public is not None
            kind = Kind(method, holds_for, publishable, delta, relation, next(iter(data)))
            yield kind, Point(group.choices, epsilon, accuracy)
