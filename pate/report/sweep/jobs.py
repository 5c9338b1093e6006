"""The jobs of a sweep as its folder tells of them: a row each, grouped by what was swept, seeds aside.

Reads the folders the jobs left behind and nothing else, so any launcher will do. What it writes is the owner's.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from pate.errors import PateError
from pate.evaluation.metrics import metrics
from pate.evaluation.quality import Quality
from pate.evaluation.results import MethodResult, Results, StageResult
from pate.evaluation.results_file import read_results
from pate.noise import SEEDED
from pate.release.withheld import withheld
from pate.report.sweep.unfinished import UNFINISHED, Unfinished
from pate.report.sweep.unfinished import read as read_unfinished
from pate.workspace.artifact import fits
from pate.workspace.files import Unreadable, parsing

SEEDS = ("seed", "noise.seed", "dataset.seed")  # runs that differ in nothing else are repetitions
_CURVE = ("gammas", "accuracy_at")


@dataclass(frozen=True)
class Job:
    """One job of a sweep: what set it apart, and what it found if it finished, or why it did not."""

    name: str  # its folder within the sweep's
    overrides: dict[str, str]
    results: Results | None
    unfinished: Unfinished | None = None

    @cached_property
    def figures(self) -> dict[str, Any]:
        """What it found, flat. Underscores in names: a dot is for overrides, and `dpsgd.epsilon` is one."""
        found, flat = self.results, dict[str, Any]()
        if found is None:
            return flat
        for method in found.methods:
            every = method.worst_case
            own = _single(method, _behind(found.methods[0], method))
            own |= {"epsilon_every_data_set": every.epsilon if every else None}
            flat |= {f"{method.name}_{key}": value for key, value in own.items()}
        for key in ("queries", "answered", "label_accuracy", "teacher_accuracy", "plurality_accuracy"):
            flat[f"pate_{key}"] = getattr(found.pate, key)
        if quality := found.quality:
            flat |= {f"quality_{key}": value for key, value in asdict(quality).items() if key not in _CURVE}
            curve = zip(quality.gammas, quality.accuracy_at, strict=True)
            flat |= {f"quality_accuracy_at_{gamma:g}": value for gamma, value in curve}
        return flat

    @property
    def methods(self) -> list[MethodResult]:
        """Those it ran."""
        return list(self.results.methods) if self.results else []

    @property
    def notes(self) -> list[str]:
        return list(self.results.notes) if self.results else []

    @property
    def quality(self) -> Quality | None:
        return self.results.quality if self.results else None

    @property
    def stages(self) -> dict[str, StageResult]:
        return dict(self.results.stages) if self.results else {}

    @property
    def private_data(self) -> tuple[Any, Any]:
        """Where its private records came from, whatever part of them it took."""
        dataset = self.results.config["dataset"] if self.results else {}
        return dataset.get("name"), dataset.get("path")

    @property
    def data(self) -> str:
        """The same, for reading."""
        return " ".join(str(part) for part in self.private_data if part)


def _behind(first: MethodResult, method: MethodResult) -> list[float | None] | None:
    """By how much the first method is ahead of this one in accuracy, with the error and the chance."""
    lead = first.leads.get(method.name, {}).get("accuracy")
    return [lead.by, lead.error, lead.chance] if lead else None


def _single(method: MethodResult, ahead: list[float | None] | None) -> dict[str, Any]:
    """A method's figures, each a cell of a table; a metric nobody could take is an empty one."""
    known = dict.fromkeys((*metrics(), *method.metrics))
    return {
        "epsilon": method.epsilon,
        "delta": method.delta,
        "epsilon_publishable": method.epsilon_publishable,
        "guarantee": method.guarantee,
        "relation": method.relation,
        **{name: method.metrics.get(name) for name in known},
        **{f"{name}_standard_error": method.standard_errors.get(name) for name in known},
        "accuracy_of_views": method.accuracy_of_views,
        **{f"public_{name}": method.public_metrics.get(name) for name in known},
        "public_accuracy_of_views": method.public_accuracy_of_views,
        "ahead": ahead,
        **method.details,
        "seconds": method.seconds,
    }


def looks(jobs: Iterable[Job]) -> dict[str, MethodResult]:
    """The methods that any of these ran, by key, each as it was first seen."""
    found: dict[str, MethodResult] = {}
    for job in jobs:
        for method in job.methods:
            found.setdefault(method.name, method)
    return found


@dataclass(frozen=True)
class Sweep:
    """The jobs of one multirun: whatever its folder holds that it did not hold when the multirun began."""

    folder: Path
    subdir: str | None  # where Hydra keeps a job's overrides
    before: dict[Path, int]
    workspace: Path = Path("workspace")
    plan: str = ""  # the ledger's name for it, if all its jobs were fixed when it began
    epsilon: float | None = None  # within which the best configuration is named

    def jobs(self) -> list[Job]:
        """In the order of their numbers. No clock is compared: a file that was written since then has changed."""
        new = {file for file, time in _stamps(self.folder, self.subdir).items() if self.before.get(file) != time}
        folders = {file.parent.parent if file.name == "overrides.yaml" else file.parent for file in new}
        return [self._job(folder, new) for folder in sorted(folders, key=natural)]

    def _job(self, folder: Path, new: set[Path]) -> Job:
        name = str(folder.relative_to(self.folder))
        overrides, results = folder / (self.subdir or "") / "overrides.yaml", folder / "results.json"
        unfinished = folder / UNFINISHED
        return Job(
            name,
            _pairs(overrides) if overrides in new else {"job": name},
            _results(results) if results in new and unfinished not in new else None,
            read_unfinished(unfinished) if unfinished in new else None,
        )


@dataclass(frozen=True)
class Mean:
    """A mean over runs; one run has no standard error."""

    value: float
    error: float | None
    runs: int


@dataclass(frozen=True)
class Group:
    """Finished jobs that differ in their seeds only."""

    choices: dict[str, str]
    jobs: tuple[Job, ...]

    def mean(self, keys: Sequence[str]) -> Mean | None:
        """Over the jobs that know one of these figures, taken in this order."""
        values = (
            next((job.figures[key] for key in keys if job.figures.get(key) is not None), None) for job in self.jobs
        )
        return mean([value for value in values if value is not None])

    def largest(self, key: str) -> float | None:
        """Rounded against ourselves; none if it is unknown for any of the runs."""
        values = self.known(key)
        return max(values) if len(values) == len(self.jobs) else None

    def known(self, key: str) -> list[Any]:
        return [value for job in self.jobs if (value := job.figures.get(key)) is not None]


def begin(folder: Path, subdir: str | None, **about: Any) -> Sweep:
    """To be called before the first job: what is in the folder already belongs to somebody else."""
    folder = folder.absolute()
    return Sweep(folder, subdir, _stamps(folder, subdir), **about)


def swept(jobs: Sequence[Job]) -> list[str]:
    """The overrides that are not the same for every job, in the order of the command line."""
    keys = dict.fromkeys(key for job in jobs for key in job.overrides)
    return [key for key in keys if len({job.overrides.get(key) for job in jobs}) > 1]


def rows(jobs: Sequence[Job]) -> list[dict[str, Any]]:
    """One row a job, every row with every column."""
    choices, figures = swept(jobs), [job.figures for job in jobs]
    columns = dict.fromkeys(key for row in figures for key in row)
    return [
        {"job": job.name, "finished": job.results is not None}
        | {key: job.overrides.get(key) for key in choices}
        | {key: row.get(key) for key in columns}
        | {"measure": job.results.measure.name if job.results else None}
        | {"seeded": SEEDED in job.notes if job.results else None, "withheld": withheld(job.notes), "notes": job.notes}
        for job, row in zip(jobs, figures, strict=True)
    ]


def groups(jobs: Sequence[Job]) -> list[Group]:
    """Finished jobs by what was swept, seeds aside."""
    keys = [key for key in swept(jobs) if key not in SEEDS]
    found: dict[tuple[str | None, ...], list[Job]] = {}
    for job in jobs:
        if job.results is not None:
            found.setdefault(tuple(job.overrides.get(key) for key in keys), []).append(job)
    return [
        Group({key: value for key, value in zip(keys, values, strict=True) if value is not None}, tuple(group))
        for values, group in found.items()
    ]


def mean(values: Sequence[float]) -> Mean | None:
    """With the standard error of the mean, from the spread of the runs."""
    if not values:
        return None
    error = float(np.std(values, ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else None
    return Mean(float(np.mean(values)), error, len(values))


def _stamps(folder: Path, subdir: str | None) -> dict[Path, int]:
    """When the files that make a job were last written, at any depth: hydra.sweep.subdir is the user's to choose."""
    patterns = ["results.json", UNFINISHED] + [f"{subdir}/overrides.yaml"] * (subdir is not None)
    return {file: file.stat().st_mtime_ns for pattern in patterns for file in folder.rglob(pattern)}


def _results(file: Path) -> Results:
    try:
        return read_checked(file)
    except Unreadable as problem:
        raise PateError(f"{file} {problem}: the sweep cannot be summed up") from None


def read_checked(file: Path) -> Results:
    """What a job found, or `Unreadable`: also where its quality is no curve that can be drawn."""
    found = read_results(file)
    told = Job(file.parent.name, {}, found)
    with parsing("results.json of this program"):
        if not fits([*told.private_data], list[str | None]) or not isinstance(told.figures, dict):
            raise ValueError
    return found


def _pairs(file: Path) -> dict[str, str]:
    """Overrides as they were given: `${seed}` is not looked up."""
    overrides = yaml.load(file.read_text(), Loader=yaml.BaseLoader)
    assert isinstance(overrides, list)
    split = (str(override).partition("=") for override in overrides)
    return {key.lstrip("+"): value for key, _, value in split}


def natural(path: Path) -> list[tuple[int, str]]:
    """2 before 10, and numbers before words."""
    return [(int(part), "") if part.isdigit() else (sys.maxsize, part) for part in re.split(r"(\d+)", str(path))]
