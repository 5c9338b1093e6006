"""Runs made at different times, beside each other: from their results.json alone, so no private data is read."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pate.accounting.guarantee import given
from pate.errors import ConfigError
from pate.evaluation.measure import Measure
from pate.evaluation.metrics import metrics
from pate.evaluation.results_file import CONTROL
from pate.report.files import write_facts, write_rows
from pate.report.sweep.facts import Comparison, facts
from pate.report.sweep.frontier import measure_of
from pate.report.sweep.frontier_table import print_frontier
from pate.report.sweep.jobs import Job, groups, natural, read_checked, rows
from pate.report.sweep.page import write_sweep_page
from pate.report.sweep.table import print_sweep
from pate.report.sweep.unfinished import UNFINISHED
from pate.report.sweep.unfinished import read as read_unfinished
from pate.report.terminal import page
from pate.workspace.files import Unreadable, parsing
from pate.workspace.typed_json import to_json

# What changes where and how a run goes, and nothing it finds.
_ASIDE = (
    "workspace",
    "n_jobs",
    "force",
    "budget",
    "sweep",
    "compare",
    "tracking",
    "report",
    "run",
    "student_path",
    "input",
    "output",
    "views",
)
_SWEEPS = ("sweep.json", "multirun.yaml")  # one of them tells a sweep's folder


def runs_of(folders: Sequence[str]) -> list[Job]:
    """The runs in these folders, each once; a ConfigError if one of them holds no runs, or damaged ones."""
    found: dict[Path, Job] = {}
    for folder in folders:
        try:
            found |= {Path(job.name).resolve(): job for job in _runs(Path(folder))}
        except OSError as error:
            raise ConfigError(f"compare.runs: {folder} cannot be read: {error.strerror}") from None
    return list(found.values())


def compare(
    folders: Sequence[str], epsilon: float | None, folder: Path, metric: str | None = None
) -> tuple[list[Job], Comparison]:
    """The runs and what is to be told of them, which is also written to compare.csv and compare.json."""
    named = runs_of(folders)
    jobs = told_apart(named)
    measure = measure_of(jobs, metric)
    notes = [
        *_mixed(jobs),
        *_repeated(len(named) - len(jobs)),
        *_untold(jobs, measure),
        *_of_several_classes(jobs, measure),
    ]
    found = Comparison(**vars(facts(jobs, epsilon, None, measure)), notes=notes)
    write_rows(rows(jobs), folder / "compare.csv")
    write_facts(found, folder / "compare.json")
    write_sweep_page(jobs, epsilon, (), folder, "", found.notes, measure)
    return jobs, found


def print_comparison(jobs: Sequence[Job], found: Comparison) -> None:
    """As a sweep is printed, with what must not be mixed said below."""
    measure = found.frontier.measure
    print_sweep(jobs, f"compare: {sum(job.results is not None for job in jobs)} runs", measure=measure)
    print_frontier(groups(jobs), found.frontier.epsilon, measure)
    failed = [f"did not finish: {one.job}: {one.error}" for one in found.failed]
    for line in [*(f"note: {note}" for note in found.notes), *failed]:
        page().print(line, soft_wrap=True, markup=False)


def told_apart(jobs: Sequence[Job]) -> list[Job]:
    """Each named by what sets its configuration apart from the others'. One that took every stage from another is that
    other once more, and no repetition."""
    distinct: dict[str, Job] = {}
    for job in jobs:
        stages = {name: stage.key for name, stage in job.stages.items()}
        same = json.dumps(to_json([stages, job.methods]), sort_keys=True) if job.results and stages else job.name
        distinct.setdefault(same, job)
    apart = iter(_differences([job.overrides for job in distinct.values() if job.results]))
    return [replace(job, overrides=next(apart)) if job.results else job for job in distinct.values()]


def _runs(folder: Path) -> Iterator[Job]:
    """A run's folder holds its results, a sweep's those of all its jobs."""
    if not os.path.isdir(folder):
        raise ConfigError(f"compare.runs: {folder} is no folder; give those of runs or sweeps")
    if any((folder / name).is_file() for name in _SWEEPS):
        files = sorted(folder.rglob("results.json"), key=natural)
        yield from (_run(file.parent) for file in files if not (file.parent / UNFINISHED).exists())
        unfinished = sorted(folder.rglob(UNFINISHED), key=natural)
        yield from (Job(str(file.parent), {}, None, read_unfinished(file)) for file in unfinished)
        if not files:
            raise ConfigError(f"compare.runs: {folder} is a sweep of which no job has finished")
    elif (folder / UNFINISHED).exists():
        raise ConfigError(f"compare.runs: {folder} did not finish: {read_unfinished(folder / UNFINISHED).error}")
    elif os.path.lexists(folder / "results.json"):
        yield _run(folder)
    else:
        raise ConfigError(f"compare.runs: {folder} holds neither results.json (a run) nor {' or '.join(_SWEEPS)}")


def _run(folder: Path) -> Job:
    try:
        found = read_checked(folder / "results.json")
        with parsing("results.json of this program"):
            config = dict(_flat(found.config))
            if CONTROL.search("".join(key + value for key, value in config.items())):
                raise Unreadable("holds control characters")
            return Job(str(folder), config, found)
    except Unreadable as problem:
        raise ConfigError(f"compare.runs: {folder / 'results.json'} {problem}") from None


def _flat(config: dict[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """A configuration as dotted keys. `student._target_` and `dataset.name`, what was chosen of a group, are `student`
    and `dataset`."""
    for name, value in config.items():
        key = f"{path}{name}"
        if isinstance(value, dict):
            yield from _flat(value, f"{key}.")
        elif key == "dataset.name":
            yield "dataset", str(value)
        elif key.count(".") == 1 and name == "_target_" and path != "dataset.":
            yield path[:-1], str(value).rpartition(".")[2].removesuffix("Student").removesuffix("Teachers")
        elif key.partition(".")[0] not in _ASIDE and key != "dataset._target_":
            yield key, f"{value:g}" if isinstance(value, float) else str(value)


def _differences(configs: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """What sets each apart: choices that are not the same in all, and fields that differ under the same choice."""

    def differs(key: str) -> bool:
        group, _, field = key.partition(".")
        alike: dict[str | None, set[str | None]] = {}
        for config in configs:
            alike.setdefault(config.get(group) if field else None, set()).add(config.get(key))
        return any(len(values) > 1 for values in alike.values())

    keys = [key for key in dict.fromkeys(key for config in configs for key in config) if differs(key)]
    return [{key: config[key] for key in keys if key in config} for config in configs]


def _repeated(runs: int) -> Iterator[str]:
    if runs:
        yield f"{runs} of the runs took every stage from another one: counted once"


def _untold(jobs: Sequence[Job], measure: Measure) -> Iterator[str]:
    """Runs of an earlier version, or that asked for another class, have no score by the measure."""
    scored = [job for job in jobs if any(row.metrics for row in job.methods)]
    without = sum(not any(row.metrics.get(measure.name) is not None for row in job.methods) for job in scored)
    if without:
        yield f"{without} of the runs have no {measure.title}, by which models are compared: they take no part in that"


def _of_several_classes(jobs: Sequence[Job], measure: Measure) -> Iterator[str]:
    """Where the measure is about a class: runs may have asked about different ones."""
    known = metrics().get(measure.name)
    if known and known.takes_asked:
        told = [job.results.config.get("compare") for job in jobs if job.results]
        asked = {(one.get("positive"), one.get("false_positives")) for one in told if isinstance(one, dict)}
        if len(asked) > 1:
            yield f"{measure.title}: asked about different classes or rates, which do not compare"


def _mixed(jobs: Sequence[Job]) -> Iterator[str]:
    """What is shown in one table and must not be read as one comparison."""
    data = sorted({job.data for job in jobs if job.results})
    if len(data) > 1:
        yield f"different data sets ({', '.join(data)}): scores on different test inputs do not compare"
    for key, name in (("delta", "deltas"), ("relation", "neighbouring relations")):
        known: set[Any] = {job.figures.get(f"{method.name}_{key}") for job in jobs for method in job.methods} - {None}
        if len(known) > 1:
            told = ", ".join(given(one) if isinstance(one, float) else str(one) for one in sorted(known))
            yield f"different {name} ({told}): epsilons under different ones do not compare"
