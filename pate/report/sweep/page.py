"""report.html of a sweep, or of runs made at different times: the frontier, the best configurations, every result.

The owner's. Configurations are groups of runs that differ in their seeds only; ± is over those.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pate.accounting.price import shown
from pate.evaluation.scores import TITLES
from pate.evaluation.verdict import Verdict
from pate.release.withheld import banners
from pate.report.draw import plots
from pate.report.draw.published import REFERENCES
from pate.report.files import write_owned
from pate.report.run.page import OWNERS, render
from pate.report.sweep.frontier import TUNING, Kind, Point, best, by_kind, frontier
from pate.report.sweep.jobs import SEEDS, Group, Job, Mean, groups, swept

_TUNING = f"{TUNING[0].upper()}{TUNING[1:]}."


def write_sweep_page(
    jobs: Sequence[Job],
    epsilon: float | None,
    releases: Sequence[str],
    folder: Path,
    command: str,
    notes: Sequence[str],
) -> Path | None:
    """None where no job was scored: then there is nothing to draw."""
    found = groups(jobs)
    kinds = by_kind(found)
    if not kinds:
        return None
    file = folder / "report.html"
    write_owned(file, sweep_page(jobs, found, kinds, epsilon, releases, command, notes).encode())
    return file


def sweep_page(
    jobs: Sequence[Job],
    found: Sequence[Group],
    kinds: dict[Kind, list[Point]],
    epsilon: float | None,
    releases: Sequence[str],
    command: str,
    notes: Sequence[str],
) -> str:
    data = " and ".join(dict.fromkeys(kind.data for kind in kinds))
    failed = [job for job in jobs if job.unfinished]
    unfinished = [f"{len(failed)} of {len(jobs)} jobs did not finish; they are named below."] * bool(failed)
    return render(
        public=False,
        title=f"{data}: {len(jobs)} runs compared (the owner's)",
        verdict=_verdict(data, found, kinds, epsilon),
        facts=[
            ("runs", str(len(jobs) - len(failed))),
            ("configurations", str(len(found))),
            *[("failed", str(len(failed)))] * bool(failed),
            *_shared(kinds),
        ],
        banners=[*unfinished, *banners(note for job in jobs for note in job.notes), OWNERS],
        methods=[],
        figures=_figures(found, kinds),
        panel=None,
        panel_data="",
        confusion=None,
        by_class=None,
        mistakes=[],
        no_images="",
        stages=[],
        parts=[*_failures(jobs, failed), _frontiers(kinds, epsilon), _results(jobs, found), *_releases(releases)],
        statement=[
            "Each epsilon above is the price of one run. What all of them released together is what the ledger says; "
            "only epsilons for every data set may be published, and only with their delta and neighbouring relation.",
            _TUNING,
        ],
        notes=list(dict.fromkeys([*notes, *(note for job in jobs for note in job.notes)])),
        relation="; ".join(sorted({kind.relation for kind in kinds})),
        command=command,
        versions="",
        config="",
        source="results.json of every run",
    )


def _verdict(data: str, found: Sequence[Group], kinds: dict[Kind, list[Point]], epsilon: float | None) -> Verdict:
    """The best of each kind, within an epsilon if one was given; kinds are never held against each other unsaid."""
    told = []
    for kind, points in sorted(kinds.items(), key=lambda one: not one[0].publishable):
        chosen = best(points, epsilon) if epsilon is not None else frontier(points)[-1]
        use = "publishable" if kind.publishable else "the owner's"
        what = f"{TITLES.get(kind.method, kind.method)}, for {kind.holds_for} ({use}{_apart(kind, kinds)})"
        if chosen is None:
            told.append(f"{what}: none costs so little; the least is {shown(min(point.epsilon for point in points))}.")
        else:
            told.append(f"{what}: {_at(chosen)}, with {_choices(chosen.choices)}.")
    what = f"{len(found)} configurations" if len(found) > 1 else "One configuration"
    runs = sum(len(group.jobs) for group in found)
    asked = f"the best within epsilon {epsilon:g}" if epsilon is not None else "the most accurate, and what they cost"
    return Verdict(f"{what} in {runs} runs on {data}: {asked}.", tuple(told))


def _apart(kind: Kind, kinds: dict[Kind, list[Point]]) -> str:
    """What is not the same for all kinds, and so not among the facts above the page."""
    told = ""
    if len({one.delta for one in kinds}) > 1:
        told += f", delta {kind.delta:g}"
    if len({one.relation for one in kinds}) > 1:
        told += f", {kind.relation}"
    return told + (f", {kind.data}" if len({one.data for one in kinds}) > 1 else "")


def _shared(kinds: dict[Kind, list[Point]]) -> list[tuple[str, str]]:
    deltas, relations = {kind.delta for kind in kinds}, {kind.relation for kind in kinds}
    told = [("delta", f"{deltas.pop():g}")] if len(deltas) == 1 else []
    return told + ([("neighbours", relations.pop())] if len(relations) == 1 else [])


def _figures(found: Sequence[Group], kinds: dict[Kind, list[Point]]) -> list[dict[str, str]]:
    return [one for data in dict.fromkeys(kind.data for kind in kinds) if (one := _figure(data, found, kinds))]


def _figure(data: str, found: Sequence[Group], kinds: dict[Kind, list[Point]]) -> dict[str, str] | None:
    """Of one data set: accuracies on different test inputs do not compare."""
    points, lines = [], []
    for kind, several in kinds.items():
        if kind.data == data:
            points += [drawn for point in several if (drawn := _drawn(kind, point)).drawable]
            lines.append([drawn for point in frontier(several) if (drawn := _drawn(kind, point)).drawable])
    if not points:
        return None
    own = [group for group in found if {job.data for job in group.jobs} == {data}]
    bounds = [mean.value for group in own if (mean := group.mean(["nonprivate_accuracy"])) and 0 <= mean.value <= 1]
    references = REFERENCES.get(data, ())
    return {
        "title": f"The privacy-utility frontier, {data}",
        "svg": plots.accuracy_by_epsilon(
            points, max(bounds, default=None), references, [one for one in lines if one], name=_id(data)
        ),
        "caption": "Circles PATE, squares DP-SGD; filled marks hold for every data set, hollow ones for this data "
        "set only. A line joins what no other configuration of the same kind beats. "
        + "Grey: published results."
        * bool(references),
    }


def _id(data: str) -> str:
    """A name for an element of the page."""
    return "frontier-" + "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in data)


def _drawn(kind: Kind, point: Point) -> plots.Point:
    mean = point.accuracy
    name = TITLES.get(kind.method, kind.method)
    return plots.Point(kind.method, name, point.epsilon, mean.value, mean.error or 0.0, kind.holds_for)


def _frontiers(kinds: dict[Kind, list[Point]], epsilon: float | None) -> dict[str, Any]:
    rows = []
    for kind, points in kinds.items():
        chosen = best(points, epsilon) if epsilon is not None else None
        for point in frontier(points):
            mark = " (best within the epsilon)" if point is chosen else ""
            promise = [
                TITLES.get(kind.method, kind.method),
                kind.data,
                kind.holds_for,
                "yes" if kind.publishable else "no",
            ]
            price = [shown(point.epsilon), f"{kind.delta:g}", kind.relation, _mean(point.accuracy)]
            rows.append([*promise, *price, _choices(point.choices) + mark])
    head = [
        "method",
        "data",
        "epsilon holds for",
        "publishable",
        "epsilon",
        "delta",
        "neighbours",
        "right",
        "configuration",
    ]
    return {
        "id": "frontier",
        "title": "Configurations that no other beats",
        "words": ["Of each kind of epsilon by itself: two kinds are two kinds of promise.", _TUNING],
        "head": head,
        "numbers": [4, 5, 7],
        "rows": rows,
    }


def _results(jobs: Sequence[Job], found: Sequence[Group]) -> dict[str, Any]:
    choices = [key for key in swept(jobs) if key not in SEEDS]
    columns: list[tuple[str, Callable[[Group], str]]] = [
        ("PATE right", lambda group: _mean(group.mean(["pate_accuracy"]))),
        ("epsilon, this data set", lambda group: _largest(group, "pate", "this data set")),
        ("epsilon, publishable", lambda group: _epsilon(group.largest("pate_epsilon_publishable"))),
        ("DP-SGD right", lambda group: _mean(group.mean(["dpsgd_accuracy"]))),
        ("epsilon, every data set", lambda group: _largest(group, "dpsgd", "every data set")),
        ("DP-SGD, worst case, right", lambda group: _mean(group.mean(["dpsgd_publishable_accuracy"]))),
        ("epsilon, every data set", lambda group: _largest(group, "dpsgd_publishable", "every data set")),
        ("labels right", lambda group: _mean(group.mean(["pate_label_accuracy"]))),
    ]
    rows = [
        [*(group.choices.get(key, "–") for key in choices), str(len(group.jobs)), *(cell(group) for _, cell in columns)]
        for group in found
    ]
    return {
        "id": "results",
        "title": "Every configuration",
        "words": [
            "Means over runs that differ in their seeds only, ± standard error; the largest epsilon of those runs."
        ],
        "head": [*choices, "runs", *(title for title, _ in columns)],
        "numbers": list(range(len(choices), len(choices) + 1 + len(columns))),
        "rows": rows,
    }


def _failures(jobs: Sequence[Job], failed: Sequence[Job]) -> list[dict[str, Any]]:
    choices = swept(jobs)
    rows = []
    for job in failed:
        assert job.unfinished is not None
        named = " ".join(f"{key}={job.overrides[key]}" for key in choices if key in job.overrides)
        rows.append([job.name, named, job.unfinished.error, job.unfinished.resume])
    head = ["job", "configuration", "what went wrong", "to resume it"]
    part = {"id": "failed", "title": "Did not finish", "words": [], "head": head, "numbers": [], "rows": rows}
    return [part] if rows else []


def _releases(lines: Sequence[str]) -> list[dict[str, Any]]:
    words = [line.strip() for line in lines]
    return [{"id": "releases", "title": "What was released", "words": words, "rows": []}] if words else []


def _choices(choices: dict[str, str]) -> str:
    return " ".join(f"{key}={value}" for key, value in choices.items()) or "the configuration"


def _at(point: Point) -> str:
    return f"{_mean(point.accuracy)} at epsilon {shown(point.epsilon)}"


def _mean(mean: Mean | None) -> str:
    if mean is None:
        return "–"
    return f"{mean.value:.1%}" + (f" ± {mean.error:.1%}" if mean.error is not None else "")


def _epsilon(epsilon: float | None) -> str:
    return "–" if epsilon is None else shown(epsilon)


def _largest(group: Group, method: str, guarantee: str) -> str:
    return _epsilon(group.largest(f"{method}_epsilon")) if guarantee in group.known(f"{method}_guarantee") else "–"
