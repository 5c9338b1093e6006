"""What a sweep or a comparison found, for a program: sweep.json and compare.json are these, as they stand here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pate.evaluation.measure import Measure
from pate.evaluation.metrics import metrics
from pate.report.sweep.frontier import Configuration, best, by_kind, frontier, tuning
from pate.report.sweep.jobs import Group, Job, Mean, groups, rows
from pate.report.sweep.releases import SweepReleases


@dataclass(frozen=True)
class GroupFacts:
    """A configuration: means over its runs with standard errors, the largest of their epsilons, and what is told of
    those."""

    choices: dict[str, str]
    jobs: list[str]
    means: dict[str, Mean]
    largest: dict[str, float]
    told: dict[str, list[Any]]


@dataclass(frozen=True)
class KindFacts:
    """Configurations whose epsilons mean the same, those that no other beats, and the best one within an epsilon."""

    method: str
    holds_for: str
    publishable: bool
    delta: float
    relation: str
    data: str
    points: list[Configuration]
    frontier: list[Configuration]
    best: Configuration | None


@dataclass(frozen=True)
class FrontierFacts:
    """Every kind of epsilon by itself; `epsilon` is what was asked for, `measure` what scores are by, for all runs."""

    epsilon: float | None
    measure: Measure
    kinds: list[KindFacts]
    warning: str


@dataclass(frozen=True)
class FailedJob:
    """Why it did not finish, and the command that resumes it."""

    job: str
    overrides: dict[str, str]
    error: str
    resume: str


@dataclass(frozen=True)
class SweepFacts:
    """A row a job (its columns are what was swept and what the methods brought), groups of jobs that differ in seeds
    only, their frontier, what failed, what was released."""

    jobs: list[dict[str, Any]]
    groups: list[GroupFacts]
    frontier: FrontierFacts
    failed: list[FailedJob]
    releases: SweepReleases | None


@dataclass(frozen=True)
class Comparison(SweepFacts):
    """The same of runs made at different times, with what must not be mixed."""

    notes: list[str]


def facts(jobs: Sequence[Job], epsilon: float | None, released: SweepReleases | None, measure: Measure) -> SweepFacts:
    found = groups(jobs)
    failed = [
        FailedJob(job.name, job.overrides, job.unfinished.error, job.unfinished.resume)
        for job in jobs
        if job.unfinished
    ]
    kinds = frontier_facts(found, epsilon, measure)
    return SweepFacts(rows(jobs), [_group(one) for one in found], kinds, failed, released)


def frontier_facts(groups: Sequence[Group], epsilon: float | None, measure: Measure) -> FrontierFacts:
    """Every kind with its points, its frontier and the best one within an epsilon."""
    return FrontierFacts(
        epsilon,
        measure,
        [
            KindFacts(
                method=kind.method,
                holds_for=kind.promise.holds_for,
                publishable=kind.publishable,
                delta=kind.promise.delta,
                relation=str(kind.promise.relation),
                data=kind.data,
                points=list(points),
                frontier=frontier(points, measure),
                best=best(points, epsilon, measure) if epsilon is not None else None,
            )
            for kind, points in by_kind(groups, measure).items()
        ],
        tuning(measure),
    )


def _group(group: Group) -> GroupFacts:
    keys = dict.fromkeys(key for job in group.jobs for key in job.figures)
    means = {key: group.mean([key]) for key in keys if any(name in key for name in metrics())}
    epsilons = {key: group.largest(key) for key in keys if "_epsilon" in key}
    told = {key: group.known(key) for key in keys if key.endswith(("_delta", "_relation", "_guarantee"))}
    return GroupFacts(
        choices=group.choices,
        jobs=[job.name for job in group.jobs],
        means={key: mean for key, mean in means.items() if mean},
        largest={key: epsilon for key, epsilon in epsilons.items() if epsilon is not None},
        told={key: list(dict.fromkeys(values)) for key, values in told.items() if values},
    )
