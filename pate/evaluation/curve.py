"""The curve: every method's score at every epsilon of a grid, from the runs that were made there.

A method stands at its price for every data set, the largest of its runs. Its score is the mean over runs whose models
differ; the error is that of this mean, or of the test set where one model served all runs (a seed does not shape every
method: a noisy sum that was drawn once is served again).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import ClassVar

import numpy as np

from pate.accounting.guarantee import Guarantee, given, neighbours
from pate.evaluation.measure import ACCURACY, Measure
from pate.evaluation.results import MethodResult, Results
from pate.evaluation.verdict import beats
from pate.ledger.summary import AccountTotal
from pate.noise import SEEDED
from pate.workspace.versions import CURVE

OWNERS = "for the owner's eyes: nothing was released and nothing spent"
CHOOSING = "to choose an epsilon or a method by this picture is covered by no epsilon"
PUBLIC_TEST = (
    "; its scores are on public test inputs, but they are those of models that were not released, so they are the "
    "owner's too"
)


@dataclass(frozen=True)
class Ran:
    """What a run of the grid found, at this epsilon and seed."""

    epsilon: float
    seed: int
    found: Results


@dataclass(frozen=True)
class LeftOut:
    """Why a method has no point at an epsilon."""

    method: str
    epsilon: float
    why: str


@dataclass(frozen=True)
class Failed:
    """A run that did not come to its end; the same command goes on with it."""

    epsilon: float
    seed: int
    error: str


@dataclass(frozen=True)
class Level:
    """What does not depend on epsilon: the non-private bound, and always answering one class."""

    title: str
    score: float
    error: float | None


@dataclass(frozen=True)
class Point:
    """A method at an epsilon of the grid; `guarantee` is what the dearest of its models would cost. `answers` is how
    many queries a student learned from."""

    derived: ClassVar[tuple[str, ...]] = ("low", "high")

    epsilon: float
    guarantee: Guarantee
    score: float
    error: float | None
    runs: int  # whose models differ: the error is that of their mean, or of the test set where there is one
    answers: int | None = None
    seconds: float = 0.0

    @property
    def low(self) -> float:
        return self.score - (self.error or 0.0)

    @property
    def high(self) -> float:
        return self.score + (self.error or 0.0)


@dataclass(frozen=True)
class Line:
    """A method over the grid, by growing epsilon."""

    method: str
    title: str
    mark: str
    colour: str
    points: list[Point]

    def at(self, epsilon: float) -> Point | None:
        return next((one for one in self.points if one.epsilon == epsilon), None)


@dataclass(frozen=True)
class Curve:
    """All that the picture is drawn from. The owner's."""

    data: str
    measure: Measure
    epsilons: list[float]
    seeds: list[int]
    lines: list[Line]
    bounds: list[Level]
    baseline: Level | None
    ahead: list[str]  # who is better where, as far as that is more than chance
    left_out: list[LeftOut]
    failed: list[Failed]
    notes: list[str]
    warning: str
    ledger: AccountTotal | None = None
    command: str = ""
    version: int = field(default=CURVE)

    @property
    def promises(self) -> list[Guarantee]:
        """What the epsilons mean: one where all lines promise alike."""
        several = [point.guarantee for line in self.lines for point in line.points]
        return list({one.promise: one for one in several}.values())

    @property
    def terms(self) -> str:
        """All that these epsilons are never without."""
        several = self.promises
        deltas = ", ".join(dict.fromkeys(given(one.delta) for one in several))
        seeded = f"; {SEEDED}" * any(SEEDED in note for note in self.notes)
        return (
            f"for every data set, delta {deltas}, neighbours: {neighbours(one.relation for one in several)}; it is "
            f"what the model would cost if it were released{seeded}"
        )


def curve(
    data: str,
    ran: Sequence[Ran],
    epsilons: Sequence[float],
    seeds: Sequence[int],
    left_out: Sequence[LeftOut] = (),
    failed: Sequence[Failed] = (),
    command: str = "",
) -> Curve:
    """Of all these runs of one configuration. The measure is that of the largest epsilon: where it rests on how common
    classes are among noisy labels, those are most and best there."""
    measure = max(ran, key=lambda one: one.epsilon).found.measure if ran else ACCURACY
    rows: dict[str, MethodResult] = {}
    for one in ran:
        for row in one.found.methods:
            rows.setdefault(row.name, row)
    lines = [_line(row, ran, measure) for row in rows.values() if row.private]
    unpriced = [
        LeftOut(row.title, one.epsilon, "what it costs for every data set is not known")
        for one in ran
        for row in one.found.methods
        if row.private and row.worst_case is None
    ]
    bounds = [_level(row, ran, measure) for row in rows.values() if not row.private]
    test_public = bool(ran) and ran[0].found.test_public
    return Curve(
        data=data,
        measure=measure,
        epsilons=list(epsilons),
        seeds=list(seeds),
        lines=[line for line in lines if line.points],
        bounds=[one for one in bounds if one],
        baseline=_baseline(ran, measure),
        ahead=list(_ahead(ran, measure)),
        left_out=[*left_out, *dict.fromkeys(unpriced)],
        failed=list(failed),
        notes=list(dict.fromkeys(note for one in ran for note in one.found.notes)),
        warning=f"{CHOOSING}{PUBLIC_TEST * test_public}",
        ledger=ran[-1].found.ledger if ran else None,
        command=command,
    )


def rows(found: Curve) -> list[dict[str, object]]:
    """A row a point, for a spreadsheet; a point that is not there says why."""
    table: list[dict[str, object]] = []
    for line in found.lines:
        for point in line.points:
            own = point.guarantee
            table.append(
                {
                    "method": line.method, "grid": point.epsilon, "epsilon": own.epsilon, "delta": own.delta,
                    "relation": str(own.relation), "holds_for": own.holds_for, "measure": found.measure.name,
                    "score": point.score, "standard_error": point.error, "runs": point.runs, "answers": point.answers,
                    "seconds": point.seconds, "notes": [],
                }
            )  # fmt: skip
    for level in (*found.bounds, *filter(None, [found.baseline])):
        told = {"method": level.title, "measure": found.measure.name, "score": level.score, "notes": []}
        table.append(dict.fromkeys(_COLUMNS) | told | {"standard_error": level.error})
    for one in found.left_out:
        table.append(dict.fromkeys(_COLUMNS) | {"method": one.method, "grid": one.epsilon, "notes": [one.why]})
    for lost in found.failed:
        why = [f"seed {lost.seed} did not finish: {lost.error}"]
        table.append(dict.fromkeys(_COLUMNS) | {"method": "", "grid": lost.epsilon, "notes": why})
    return table


_COLUMNS = (
    "method", "grid", "epsilon", "delta", "relation", "holds_for", "measure", "score", "standard_error", "runs",
    "answers", "seconds", "notes",
)  # fmt: skip


def _line(look: MethodResult, ran: Sequence[Ran], measure: Measure) -> Line:
    points = []
    for epsilon, several in groupby(sorted(ran, key=lambda one: one.epsilon), key=lambda one: one.epsilon):
        if point := _point(look.name, epsilon, list(several), measure):
            points.append(point)
    return Line(look.name, look.title, look.mark, look.colour, points)


def _point(name: str, epsilon: float, ran: Sequence[Ran], measure: Measure) -> Point | None:
    models = _models(name, ran)
    costs = [row.worst_case for row, _ in models]
    known = [one for one in costs if one is not None]
    scores = [row.metrics.get(measure.name) for row, _ in models]
    told = [one for one in scores if one is not None]
    if not models or len(known) < len(models) or len(told) < len(models):
        return None
    first, found = models[0]
    score, error = _mean(told, first.standard_errors.get(measure.name))
    return Point(
        epsilon=epsilon,
        guarantee=max(known, key=lambda one: one.epsilon),  # rounded against ourselves
        score=score,
        error=error,
        runs=len(models),
        answers=found.pate.queries if first.from_labels else None,
        seconds=sum(row.seconds or 0.0 for row, _ in models),
    )


def _models(name: str, ran: Sequence[Ran]) -> list[tuple[MethodResult, Results]]:
    """A method's models, each once: some are the same for every seed. What learns from one draw under several seeds
    counts once too (the stage that draws has the method's name): the chance of the draw is in none of them."""
    found: dict[str, tuple[MethodResult, Results]] = {}
    for one in ran:
        for row in one.found.methods:
            if row.name == name:
                stage = one.found.stages.get(row.name) or one.found.stages.get(row.stage)
                found.setdefault(stage.key if stage else f"{one.epsilon}/{one.seed}", (row, one.found))
    return list(found.values())


def _level(look: MethodResult, ran: Sequence[Ran], measure: Measure) -> Level | None:
    models = [row for row, _ in _models(look.name, ran)]
    told = [score for row in models if (score := row.metrics.get(measure.name)) is not None]
    if not told:
        return None
    return Level(look.title, *_mean(told, models[0].standard_errors.get(measure.name)))


def _baseline(ran: Sequence[Ran], measure: Measure) -> Level | None:
    """The test set's alone, and so the same for all runs."""
    known = [one.found.baseline for one in ran if one.found.baseline]
    score = known[0].metrics.get(measure.name) if known else None
    return None if score is None else Level(known[0].title, score, known[0].standard_errors.get(measure.name))


def _mean(scores: Sequence[float], of_test: float | None) -> tuple[float, float | None]:
    """With the standard error of the mean over runs, or that of the test set where there is one run."""
    if len(scores) < 2:
        return scores[0], of_test
    return float(np.mean(scores)), float(np.std(scores, ddof=1)) / math.sqrt(len(scores))


def _ahead(ran: Sequence[Ran], measure: Measure) -> Iterator[str]:
    """Sentences, each about neighbouring epsilons at which the same method is ahead of all others in every run, by more
    than chance; a lead is of models on the same test inputs. None where the epsilons mean different things."""
    ordered = sorted(ran, key=lambda one: one.epsilon)
    leaders = [
        (epsilon, _leader(list(several), measure)) for epsilon, several in groupby(ordered, lambda one: one.epsilon)
    ]
    for who, several in groupby(leaders, key=lambda one: one[1]):
        at = [epsilon for epsilon, _ in several]
        where = f"epsilon {given(at[0])}" + (f" to {given(at[-1])}" if len(at) > 1 else "")
        if who is not None:
            yield f"{where}: {who or 'no method is ahead of all others by more than chance'}" + " is ahead" * bool(who)


def _leader(ran: Sequence[Ran], measure: Measure) -> str | None:
    """None where there is nothing to compare; empty where no method beats all others in every run."""
    several = [[row for row in one.found.methods if row.private and row.worst_case] for one in ran]
    promises = {row.worst_case.promise for rows in several for row in rows if row.worst_case}
    if len(promises) > 1 or any(len(rows) < 2 for rows in several):
        return None
    ahead = [
        {
            row.title
            for row in rows
            if all(beats(row.leads.get(other.name, {}).get(measure.name)) for other in rows if other is not row)
        }
        for rows in several
    ]
    return next(iter(set.intersection(*ahead)), "")
