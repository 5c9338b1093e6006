"""report.html of a sweep, or of runs made at different times: the frontier, the best configurations, every result.

The owner's. Configurations are groups of runs that differ in their seeds only; ± is over those.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from pate.accounting.guarantee import given, neighbours, shown
from pate.evaluation.measure import ACCURACY, Measure
from pate.evaluation.results import MethodResult
from pate.evaluation.verdict import Verdict
from pate.release.withheld import banners
from pate.report.draw import plots
from pate.report.draw.published import REFERENCES
from pate.report.files import write_owned
from pate.report.run.page import OWNERS, render
from pate.report.run.section import Section
from pate.report.sweep.frontier import ByKind, Configuration, Kind, best, by_kind, frontier, tuning
from pate.report.sweep.jobs import SEEDS, Group, Job, Mean, groups, looks, swept

_WIDTH = 11.0  # inches of the picture: it has a whole page


def write_sweep_page(
    jobs: Sequence[Job],
    epsilon: float | None,
    releases: Sequence[str],
    folder: Path,
    command: str,
    notes: Sequence[str],
    measure: Measure,
) -> Path | None:
    """None where no job was scored: then there is nothing to draw."""
    found = groups(jobs)
    kinds = by_kind(found, measure)
    if not kinds:
        return None
    file = folder / "report.html"
    write_owned(file, sweep_page(jobs, found, kinds, epsilon, releases, command, notes, measure).encode())
    return file


def sweep_page(
    jobs: Sequence[Job],
    found: Sequence[Group],
    kinds: ByKind,
    epsilon: float | None,
    releases: Sequence[str],
    command: str,
    notes: Sequence[str],
    measure: Measure,
) -> str:
    data = " and ".join(dict.fromkeys(kind.data for kind in kinds))
    failed = [job for job in jobs if job.unfinished]
    drawn = measure if measure.share else ACCURACY  # the axis is one of percentages
    unfinished = [f"{len(failed)} of {len(jobs)} jobs did not finish; they are named below."] * bool(failed)
    return render(
        public=False,
        wide=True,
        title=f"{data}: {len(jobs)} runs compared (the owner's)",
        verdict=_verdict(data, found, kinds, epsilon, measure),
        facts=[
            ("runs", str(len(jobs) - len(failed))),
            ("configurations", str(len(found))),
            *[("failed", str(len(failed)))] * bool(failed),
            *_shared(kinds),
        ],
        banners=[*unfinished, *banners(note for job in jobs for note in job.notes), OWNERS],
        methods=[],
        figures=_figures(found, by_kind(found, drawn), drawn),
        panel=None,
        panel_data="",
        confusion=None,
        by_class=None,
        mistakes=[],
        no_images="",
        stages=[],
        parts=[
            *_failures(jobs, failed),
            _frontiers(kinds, epsilon, measure),
            _results(jobs, found, measure),
            *_releases(releases),
        ],
        statement=[
            "Each epsilon above is the price of one run. What all of them released together is what the ledger says; "
            "only epsilons for every data set may be published, and only with their delta and neighbouring relation.",
        ],
        notes=list(dict.fromkeys([*notes, *(note for job in jobs for note in job.notes)])),
        relation=neighbours(kind.promise.relation for kind in kinds),
        command=command,
        versions="",
        config="",
        source="results.json of every run",
    )


def _verdict(data: str, found: Sequence[Group], kinds: ByKind, epsilon: float | None, measure: Measure) -> Verdict:
    """The best of each kind, within an epsilon if one was given; kinds are never held against each other unsaid."""
    told = []
    for kind, points in sorted(kinds.items(), key=lambda one: not one[0].publishable):
        chosen = best(points, epsilon, measure) if epsilon is not None else frontier(points, measure)[-1]
        what = f"{kind.title}, for {kind.promise.holds_for} ({kind.promise.use}{_apart(kind, kinds)})"
        if chosen is None:
            told.append(f"{what}: none costs so little; the least is {shown(min(point.epsilon for point in points))}.")
        else:
            told.append(f"{what}: {_at(chosen, measure)}, with {_choices(chosen.choices)}.")
    what = f"{len(found)} configurations" if len(found) > 1 else "One configuration"
    runs = sum(len(group.jobs) for group in found)
    asked = f"the best within epsilon {given(epsilon)}" if epsilon is not None else "the best, and what they cost"
    by = f"by {measure.title} ({measure.why})"
    return Verdict(f"{what} in {runs} runs on {data}: {asked}, {by}.", tuple(told))


def _apart(kind: Kind, kinds: ByKind) -> str:
    """What is not the same for all kinds, and so not among the facts above the page."""
    told = ""
    if len({one.promise.delta for one in kinds}) > 1:
        told += f", delta {given(kind.promise.delta)}"
    if len({one.promise.relation for one in kinds}) > 1:
        told += f", {kind.promise.relation}"
    return told + (f", {kind.data}" if len({one.data for one in kinds}) > 1 else "")


def _shared(kinds: ByKind) -> list[tuple[str, str]]:
    deltas, relations = {kind.promise.delta for kind in kinds}, {kind.promise.relation for kind in kinds}
    told = [("delta", given(deltas.pop()))] if len(deltas) == 1 else []
    return told + ([("neighbours", neighbours(relations))] if len(relations) == 1 else [])


def _figures(found: Sequence[Group], kinds: ByKind, measure: Measure) -> list[dict[str, str]]:
    return [one for data in dict.fromkeys(kind.data for kind in kinds) if (one := _figure(data, found, kinds, measure))]


def _figure(data: str, found: Sequence[Group], kinds: ByKind, measure: Measure) -> dict[str, str] | None:
    """Of one data set: scores on different test inputs do not compare."""
    points, lines, drawn_as = (
        list[plots.Mark](),
        list[list[plots.Mark]](),
        looks(job for group in found for job in group.jobs),
    )
    for kind, several in kinds.items():
        if kind.data == data:
            drawn = partial(_drawn, kind, drawn_as[kind.method], found, measure)
            points += [mark for point in several if (mark := drawn(point)).drawable]
            lines.append([mark for point in frontier(several, measure) if (mark := drawn(point)).drawable])
    if not points:
        return None
    own = [group for group in found if {job.data for job in group.jobs} == {data}]
    keys = [f"{name}_{measure.name}" for name, look in drawn_as.items() if not look.private]
    bounds = [mean.value for group in own if (mean := group.mean(keys)) and 0 <= mean.value <= 1]
    references = REFERENCES.get(data, ()) if measure.name == ACCURACY.name else ()
    return {
        "title": f"The privacy-utility frontier, {data}",
        "svg": plots.score_by_epsilon(
            points,
            max(bounds, default=None),
            references,
            [one for one in lines if one],
            name=_id(data),
            what=measure.title,
            width=_WIDTH,
        ),
        "caption": f"{plots.legend(points)} Filled marks hold for every data set, hollow ones for this data set only. "
        "A line joins what no other configuration of the same kind beats. Point at a mark for its job and settings. "
        + "Grey: published results."
        * bool(references),
    }


def _id(data: str) -> str:
    """A name for an element of the page."""
    return "frontier-" + "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in data)


def _drawn(
    kind: Kind, look: MethodResult, found: Sequence[Group], measure: Measure, point: Configuration
) -> plots.Mark:
    """With all that its epsilon is never without, and which jobs it is of, for whoever points at it."""
    mean, jobs = point.score, [job.name for group in found if group.choices == point.choices for job in group.jobs]
    told = [
        f"{kind.title}, job{'s' * (len(jobs) > 1)} {', '.join(jobs)}: {_choices(point.choices)}",
        f"{measure.title} {_mean(mean, measure)}",
        f"epsilon {shown(point.epsilon)} {kind.promise.terms}",
    ]
    look_of = (look.title, look.mark, look.colour)
    return plots.Mark(*look_of, point.epsilon, mean.value, mean.error or 0.0, kind.promise.holds_for, "\n".join(told))


def _frontiers(kinds: ByKind, epsilon: float | None, measure: Measure) -> Section:
    """What holds of all epsilons of a kind is said once, above them."""
    keys = list(dict.fromkeys(key for points in kinds.values() for point in points for key in point.choices))
    rows: list[Sequence[str] | str] = []
    for kind, points in kinds.items():
        chosen = best(points, epsilon, measure) if epsilon is not None else None
        rows.append(str(kind))
        for point in frontier(points, measure):
            choices = [point.choices.get(key, "–") for key in keys]
            mark = ["best within the epsilon" if point is chosen else ""] * (epsilon is not None)
            rows.append([*choices, shown(point.epsilon), _mean(point.score, measure), *mark])
    head = [*keys, "epsilon", measure.title, *[""] * (epsilon is not None)]
    words = ["Of each kind of epsilon by itself: two kinds are two kinds of promise.", _warned(measure)]
    return Section("frontier", "Configurations that no other beats", words, head, rows, [len(keys), len(keys) + 1])


def _results(jobs: Sequence[Job], found: Sequence[Group], measure: Measure) -> Section:
    choices = [key for key in swept(jobs) if key not in SEEDS]
    columns: list[tuple[str, Callable[[Group], str]]] = []
    for name, look in looks(jobs).items():
        columns.append((f"{look.title}, {measure.title}", partial(_scored, name, measure)))
        if look.private:
            columns += [(f"epsilon, {kind}", partial(_largest, name, kind)) for kind in _kinds(jobs, name)]
    columns.append(("labels right", lambda group: _mean(group.mean(["pate_label_accuracy"]), ACCURACY)))
    rows = [
        [*(group.choices.get(key, "–") for key in choices), str(len(group.jobs)), *(cell(group) for _, cell in columns)]
        for group in found
    ]
    words = ["Means over runs that differ in their seeds only, ± standard error; the largest epsilon of those runs."]
    head = [*choices, "runs", *(title for title, _ in columns)]
    return Section("results", "Every configuration", words, head, rows, range(len(choices), len(head)))


def _failures(jobs: Sequence[Job], failed: Sequence[Job]) -> list[Section]:
    choices = swept(jobs)
    rows = []
    for job in failed:
        assert job.unfinished is not None
        named = " ".join(f"{key}={job.overrides[key]}" for key in choices if key in job.overrides)
        rows.append([job.name, named, job.unfinished.error, job.unfinished.resume])
    head = ["job", "configuration", "what went wrong", "to resume it"]
    return [Section("failed", "Did not finish", [], head, rows)] if rows else []


def _releases(lines: Sequence[str]) -> list[Section]:
    return [Section("releases", "What was released", [line.strip() for line in lines])] if lines else []


def _choices(choices: dict[str, str]) -> str:
    return " ".join(f"{key}={value}" for key, value in choices.items()) or "the configuration"


def _at(point: Configuration, measure: Measure) -> str:
    return f"{_mean(point.score, measure)} at epsilon {shown(point.epsilon)}"


def _mean(mean: Mean | None, measure: Measure) -> str:
    return "–" if mean is None else measure.shown(mean.value, mean.error)


def _warned(measure: Measure) -> str:
    said = tuning(measure)
    return f"{said[0].upper()}{said[1:]}."


def _epsilon(epsilon: float | None) -> str:
    return "–" if epsilon is None else shown(epsilon)


def _scored(method: str, measure: Measure, group: Group) -> str:
    return _mean(group.mean([f"{method}_{measure.name}"]), measure)


def _kinds(jobs: Sequence[Job], method: str) -> list[str]:
    """What epsilons of a method there are: for this data set, for every data set, publishable beside another one."""
    rows = [row for job in jobs for row in job.methods if row.name == method]
    known = list(dict.fromkeys(row.guarantee for row in rows if row.guarantee))
    beside = any(row.publishable and row.publishable != row.best for row in rows)
    return [*known, *["publishable"] * beside]


def _largest(method: str, kind: str, group: Group) -> str:
    if kind == "publishable":
        return _epsilon(group.largest(f"{method}_epsilon_publishable"))
    return _epsilon(group.largest(f"{method}_epsilon")) if kind in group.known(f"{method}_guarantee") else "–"
