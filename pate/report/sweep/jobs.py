"""The jobs of a sweep as its folder tells of them: a row each, grouped by what was swept, seeds aside.

Reads the folders the jobs left behind and nothing else, so any launcher will do. What it writes is the owner's.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from pate.errors import PateError
from pate.noise import SEEDED
from pate.release.withheld import withheld
from pate.report.sweep.unfinished import UNFINISHED, Unfinished
from pate.report.sweep.unfinished import read as read_unfinished
from pate.workspace.artifact import fits
from pate.workspace.files import Unreadable, parsing, read_json
from pate.workspace.versions import RESULTS, version_of

SEEDS = ("seed", "noise.seed", "dataset.seed")  # runs that differ in nothing else are repetitions
_CURVE = ("gammas", "accuracy_at")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class Job:
    """One job of a sweep: what set it apart, and what it found if it finished, or why it did not."""

    name: str  # its folder within the sweep's
    overrides: dict[str, str]
    results: dict[str, Any] | None
    unfinished: Unfinished | None = None

    @cached_property
    def figures(self) -> dict[str, Any]:
        """What it found, flat. Underscores in names: a dot is for overrides, and `dpsgd.epsilon` is one."""
        found, flat = self.results, dict[str, Any]()
        if found is None:
            return flat
        for method in found["methods"]:
            single = {key: value for key, value in method.items() if key != "name" and not isinstance(value, dict)}
            flat |= {f"{method['name']}_{key}": value for key, value in single.items()}
            flat[f"{method['name']}_epsilon_every_data_set"] = _for_every_data_set(method, found["pate"])
        for key in ("queries", "answered", "label_accuracy", "teacher_accuracy", "plurality_accuracy"):
            flat[f"pate_{key}"] = found["pate"][key]
        quality = self.quality
        curve = zip(*(quality.pop(key, ()) for key in _CURVE), strict=True)
        flat |= {f"quality_{key}": value for key, value in quality.items()}
        flat |= {f"quality_accuracy_at_{gamma:g}": value for gamma, value in curve}
        return flat

    @property
    def methods(self) -> list[str]:
        """Those it ran."""
        return [method["name"] for method in self.results["methods"]] if self.results else []

    @property
    def notes(self) -> list[str]:
        return list(self.results["notes"]) if self.results else []

    @property
    def quality(self) -> dict[str, Any]:
        return dict((self.results or {}).get("quality") or {})

    @property
    def stages(self) -> dict[str, Any]:
        return dict(self.results["stages"]) if self.results else {}

    @property
    def private_data(self) -> tuple[Any, Any]:
        """Where its private records came from, whatever part of them it took."""
        dataset = self.results["config"]["dataset"] if self.results else {}
        return dataset.get("name"), dataset.get("path")

    @property
    def data(self) -> str:
        """The same, for reading."""
        return " ".join(str(part) for part in self.private_data if part)


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


def _results(file: Path) -> dict[str, Any]:
    try:
        return read_results(file)
    except Unreadable as problem:
        raise PateError(f"{file} {problem}: the sweep cannot be summed up") from None


def read_results(file: Path) -> dict[str, Any]:
    """What a job found, or `Unreadable`; epsilons may be infinite."""
    found = read_json(file, infinite=True)
    version_of(found, RESULTS)
    parts = {"methods": list[dict[str, Any]], "pate": dict[str, Any], "stages": dict[str, dict[str, Any]]}
    parts |= {"notes": list[str], "config": dict[str, Any]}
    if not isinstance(found, dict) or not all(fits(found.get(name), kind) for name, kind in parts.items()):
        raise Unreadable("is no results.json of this program")
    told = Job(file.parent.name, {}, found)
    with parsing("results.json of this program"):
        figures, names = told.figures, [method["name"] for method in found["methods"]]
        numbers = [value for key, value in figures.items() if re.search("accuracy|epsilon|_delta", key)]
        words = [value for key, value in figures.items() if re.search("_guarantee|_relation", key)]
        known = [(stage["key"], stage["reused"]) for stage in found["stages"].values()]
        fit = fits(numbers, list[float | None]) and fits([*words, *told.private_data], list[str | None])
        if CONTROL.search(" ".join([*filter(None, words), *names, *told.notes, told.data])):
            raise Unreadable("holds control characters")
        if not (fit and fits(names, list[str]) and fits([key for key, _ in known], list[str])):
            raise ValueError
        if any(told.quality.get(key) and not fits(told.quality[key], list[float | None]) for key in _CURVE):
            raise ValueError
    return found


def _for_every_data_set(method: dict[str, Any], pate: dict[str, Any]) -> float | None:
    """The epsilon that does not depend on the data, whether or not it may be published."""
    if method.get("guarantee") == "every data set":
        return method.get("epsilon")
    if method.get("epsilon_publishable") is not None or method["name"] != "pate":
        return method.get("epsilon_publishable")
    known = [one for one in pate.get("accountants", ()) if one["valid"] and one["guarantee"] == "every data set"]
    return min((one["epsilon"] for one in known if one["epsilon"] is not None), default=None)


def _pairs(file: Path) -> dict[str, str]:
    """Overrides as they were given: `${seed}` is not looked up."""
    overrides = yaml.load(file.read_text(), Loader=yaml.BaseLoader)
    assert isinstance(overrides, list)
    split = (str(override).partition("=") for override in overrides)
    return {key.lstrip("+"): value for key, _, value in split}


def natural(path: Path) -> list[tuple[int, str]]:
    """2 before 10, and numbers before words."""
    return [(int(part), "") if part.isdigit() else (sys.maxsize, part) for part in re.split(r"(\d+)", str(path))]
