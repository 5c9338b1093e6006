"""A sweep summed up: a row a job, a line for runs that differ in their seeds only, and the picture of noise in votes.

Reads the folders the jobs left behind and nothing else, so any launcher will do. What it writes is the owner's.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import logging
import math
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from omegaconf import OmegaConf
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pate.accounting.price import shown
from pate.noise import SEEDED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SEEDS = ("seed", "noise.seed", "dataset.seed")  # runs that differ in nothing else are repetitions
FOOTNOTE = "expected over the noise, computed; uses true labels of public inputs: for the owner"
_SHARES = {  # column of the table: where it is found, best first
    "one teacher": ("quality_teacher_accuracy", "pate_teacher_accuracy"),
    "plurality": ("quality_plurality_accuracy", "pate_plurality_accuracy"),
    "labels": ("quality_label_accuracy", "pate_label_accuracy"),
    "PATE\ntest": ("pate_accuracy",),
    "DP-SGD\ntest": ("dpsgd_accuracy",),
    "non-private\ntest": ("nonprivate_accuracy",),
}
_PRICED = {"pate": "PATE", "dpsgd": "DP-SGD"}
# Okabe & Ito 2008, told apart by every kind of colour vision; the markers say the same once more
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS = "osD^vPX"
_INK, _FAINT = "#222222", "#666666"


@dataclass(frozen=True)
class Job:
    """One job of a sweep: what set it apart, and what it found if it finished."""

    name: str  # its folder within the sweep's
    overrides: dict[str, str]
    results: dict[str, Any] | None

    @cached_property
    def figures(self) -> dict[str, Any]:
        """What it found, flat. Underscores in names: a dot is for overrides, and `dpsgd.epsilon` is one."""
        found, flat = self.results, dict[str, Any]()
        if found is None:
            return flat
        for method in found["methods"]:
            flat |= {f"{method['name']}_{key}": value for key, value in method.items() if key != "name"}
        for key in ("queries", "answered", "label_accuracy", "teacher_accuracy", "plurality_accuracy"):
            flat[f"pate_{key}"] = found["pate"][key]
        quality = self.quality
        curve = zip(quality.pop("gammas", ()), quality.pop("accuracy_at", ()), strict=True)
        flat |= {f"quality_{key}": value for key, value in quality.items()}
        flat |= {f"quality_accuracy_at_{gamma:g}": value for gamma, value in curve}
        return flat

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


@dataclass(frozen=True)
class Sweep:
    """The jobs of one multirun: whatever its folder holds that it did not hold when the multirun began."""

    folder: Path
    subdir: str | None  # where Hydra keeps a job's overrides
    before: dict[Path, int]

    def jobs(self) -> list[Job]:
        """In the order of their numbers. No clock is compared: a file that was written since then has changed."""
        new = {file for file, time in _stamps(self.folder, self.subdir).items() if self.before.get(file) != time}
        folders = {file.parent if file.name == "results.json" else file.parent.parent for file in new}
        return [self._job(folder, new) for folder in sorted(folders, key=_natural)]

    def _job(self, folder: Path, new: set[Path]) -> Job:
        name = str(folder.relative_to(self.folder))
        overrides, results = folder / (self.subdir or "") / "overrides.yaml", folder / "results.json"
        return Job(
            name,
            _pairs(OmegaConf.load(overrides)) if overrides in new else {"job": name},
            json.loads(results.read_text()) if results in new else None,
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


def begin(folder: Path, subdir: str | None) -> Sweep:
    """To be called before the first job: what is in the folder already belongs to somebody else."""
    folder = folder.absolute()
    return Sweep(folder, subdir, _stamps(folder, subdir))


def sum_up(sweep: Sweep) -> bool:
    """Write sweep.csv and sweep.json, print the table, draw the picture; in this order, should one of them fail.

    False if no job finished: then there is nothing to tell.
    """
    jobs = sweep.jobs()
    finished = [job for job in jobs if job.results is not None]
    if not finished:
        return False
    write_rows(rows(jobs), sweep.folder)
    print_sweep(jobs)
    print(f"sweep    {sweep.folder / 'sweep.csv'} (and sweep.json; yours alone)")
    if curves := [curve for group in groups(jobs) if (curve := curve_of(group))]:
        draw(curves, finished, sweep.folder)
        print(f"picture  {sweep.folder / 'quality.svg'} (and quality.png; yours alone)")
    return True


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
        | {"seeded": SEEDED in job.notes if job.results else None, "notes": job.notes}
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


def write_rows(table: list[dict[str, Any]], folder: Path) -> None:
    """The rows for a spreadsheet and for a program."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(table[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(row | {"notes": " | ".join(row["notes"])} for row in table)
    _write(folder / "sweep.csv", text.getvalue().encode())
    _write(folder / "sweep.json", json.dumps(table, indent=1).encode())


def print_sweep(jobs: Sequence[Job]) -> None:
    """One table, then all that its epsilons are never without, then what the jobs had to note."""
    found, finished = groups(jobs), [job for job in jobs if job.results is not None]
    console, table = Console(highlight=False), _table(jobs, found)
    if not console.is_terminal:  # a file has no edge to wrap at
        console.width = 1000
        console.width = max(160, console.measure(table).maximum)
    common = [f"{key}={value}" for key, value in jobs[0].overrides.items() if key not in swept(jobs)]
    console.print(" ".join(["sweep:", *common]), soft_wrap=True, markup=False)
    console.print(table)
    lines = [*_explained(found), *_unfinished(jobs), *_releases(finished)]
    for note, count in Counter(note for job in finished for note in job.notes).items():
        some = "" if count == len(finished) else f" ({count} of {len(finished)} jobs)"
        lines.append(f"note{some}: {note}")
    for line in lines:
        console.print(line, soft_wrap=True, markup=False)


def _table(jobs: Sequence[Job], found: list[Group]) -> Table:
    choices = [key for key in swept(jobs) if key not in SEEDS]
    columns = {key: [group.choices.get(key, "-") for group in found] for key in choices}
    columns["runs"] = [str(len(group.jobs)) for group in found]
    for title, keys in _SHARES.items():
        expected = title == "labels" and all(group.known(keys[0]) for group in found)
        columns[f"{title}\nexpected" if expected else title] = [_share(group.mean(keys), group) for group in found]
    for name, title in _PRICED.items():
        columns |= _priced(name, title, found)
    columns = {title: cells for title, cells in columns.items() if set(cells) != {"-"}}
    table = Table()
    for title in columns:
        left = title in choices or "holds for" in title
        table.add_column(escape(title), justify="left" if left else "right", overflow="fold")
    for cells in zip(*columns.values(), strict=True):
        table.add_row(*map(escape, cells))
    return table


def _priced(name: str, title: str, found: list[Group]) -> dict[str, list[str]]:
    """A method's epsilons. What belongs to them is a column where it differs, and else stands below the table."""
    largest = "\nlargest of runs" if any(len(group.jobs) > 1 for group in found) else ""
    guarantee = _common(found, f"{name}_guarantee")
    kind = f"\n{guarantee}" if guarantee else ""
    columns = {f"{title} epsilon{kind}{largest}": _epsilons(found, f"{name}_epsilon")}
    if _publication(name, found) == "beside":
        columns[f"{title} epsilon\npublishable{largest}"] = _epsilons(found, f"{name}_epsilon_publishable")
    for key, heading in (("guarantee", "holds for"), ("delta", "delta"), ("relation", "neighbours")):
        if _common(found, f"{name}_{key}") is None:
            columns[f"{title} {heading}"] = [_several(group.known(f"{name}_{key}")) for group in found]
    return columns


def _explained(found: list[Group]) -> Iterable[str]:
    means = [share for group in found for keys in _SHARES.values() if (share := group.mean(keys))]
    if means:
        yield "%: right answers; of teachers and labels on public inputs, of models (test) on test inputs"
    if any(one.error is not None for one in means):
        yield "±: standard error of the mean over the runs of a line, which differ in their seeds only"
    use = {"beside": "the owner's", "same": "may be published", "none": "the owner's: none may be published"}
    for name, title in _PRICED.items():
        if not any(group.known(f"{name}_epsilon") for group in found):
            continue
        facts = [use[_publication(name, found)]]
        for key, words in (("guarantee", "holds for {}"), ("delta", "delta {}"), ("relation", "neighbours: {}")):
            if (value := _common(found, f"{name}_{key}")) is not None:
                facts.append(words.format(value))
        if _publication(name, found) == "beside":
            facts.append("the publishable one holds for every data set, with the same delta and neighbours")
        yield f"{title} epsilon: {'; '.join(facts)}"


def _publication(name: str, found: list[Group]) -> str:
    """Whether a method's epsilons may leave: none of them, they themselves, or others that stand beside them."""
    own = [job.figures.get(f"{name}_epsilon") for group in found for job in group.jobs]
    public = [job.figures.get(f"{name}_epsilon_publishable") for group in found for job in group.jobs]
    return "same" if own == public else "beside" if any(value is not None for value in public) else "none"


def _unfinished(jobs: Sequence[Job]) -> Iterable[str]:
    failed, choices = [job for job in jobs if job.results is None], swept(jobs)
    if failed:
        names = (" ".join(f"{key}={job.overrides[key]}" for key in choices if key in job.overrides) for job in failed)
        yield f"{len(failed)} of {len(jobs)} jobs did not finish: {', '.join(names)}"


def _releases(finished: Sequence[Job]) -> Iterable[str]:
    """Labels served again cost nothing; labels drawn again, or drawn for another setting, are another release."""
    undrawn = [job for job in finished if "pate_epsilon" in job.figures and "labels" not in job.stages]
    if undrawn:
        yield f"{len(undrawn)} of {len(finished)} jobs drew no labels: PATE's epsilon is what drawing them would cost"
    for data in dict.fromkeys(job.private_data for job in finished):
        same = [job for job in finished if job.private_data == data]
        labels = _drawn([job.stages["labels"] for job in same if {"votes", "labels"} <= set(job.stages)])
        models = _drawn([job.stages["dpsgd"] for job in same if job.figures.get("dpsgd_epsilon_publishable")])
        told = [f"{labels} draws of labels"] * (labels > 1) + [f"{models} DP-SGD models"] * (models > 1)
        if told:
            yield f"{' and '.join(told)} from the same private data: each is a release, and their prices add up"


def _drawn(stages: Sequence[Mapping[str, Any]]) -> int:
    fresh = [stage["key"] for stage in stages if not stage["reused"]]
    return len(fresh) + len({stage["key"] for stage in stages} - set(fresh))


def _share(share: Mean | None, group: Group) -> str:
    if share is None:
        return "-"
    error = "" if share.error is None else f" ± {share.error:.2%}"
    return f"{share.value:.2%}{error}" + (f" (of {share.runs})" if share.runs < len(group.jobs) else "")


def _epsilons(found: list[Group], key: str) -> list[str]:
    largest = [group.largest(key) for group in found]
    return ["-" if epsilon is None else shown(epsilon) for epsilon in largest]


def _common(found: list[Group], key: str) -> Any:
    """The one value all jobs share, as text; none if there are several, or none at all."""
    values = {_text(value) for group in found for value in group.known(key)}
    return values.pop() if len(values) == 1 else None


def _several(values: Sequence[Any]) -> str:
    return ", ".join(dict.fromkeys(map(_text, values))) or "-"


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Curve:
    """Label accuracy against gamma: the mean over a group's runs, wherever it is known."""

    name: str
    points: dict[float, Mean]
    plurality: Mean


def curve_of(group: Group) -> Curve | None:
    """None if the group did not look at quality, or no true label is known."""
    gammas = sorted({gamma for job in group.jobs for gamma in job.quality.get("gammas", ())})
    means = {gamma: group.mean([f"quality_accuracy_at_{gamma:g}"]) for gamma in gammas}
    points = {gamma: point for gamma, point in means.items() if point is not None}
    plurality = group.mean(["quality_plurality_accuracy"])
    return Curve(_name(group), points, plurality) if points and plurality else None


def draw(curves: Sequence[Curve], finished: Sequence[Job], folder: Path) -> None:
    """The figure of Papernot et al. 2017: how much noise votes can take, for each size of ensemble."""
    logging.getLogger("matplotlib").setLevel(logging.WARNING)  # it would tell of its font cache
    import matplotlib  # here, because only sweeps draw
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "pate"}):
        words = max(1.55, 0.11 * max(len(curve.name) for curve in curves))  # inches that the longest label takes
        figure = Figure(figsize=(8.1 + words, max(5.6, 2.2 + 0.3 * len(curves))), facecolor="white")
        _plot(figure, curves, [job for job in finished if job.quality])
        for kind, metadata in (("svg", {"Date": None}), ("png", {})):
            image = io.BytesIO()
            figure.savefig(image, format=kind, dpi=160, metadata=metadata)
            _write(folder / f"quality.{kind}", image.getvalue())


def _plot(figure: Figure, curves: Sequence[Curve], jobs: Sequence[Job]) -> None:
    width, height = figure.get_size_inches()
    left, right, bottom, top = 1.0, width - 7.2, 1.1, 1.0  # inches around the data
    axes = figure.add_axes((left / width, bottom / height, 1 - (left + right) / width, 1 - (bottom + top) / height))
    _dress(axes, sorted({gamma for curve in curves for gamma in curve.points}))
    axes.set_ylabel("share of labels that are right (expected)", fontsize=10.5, color=_INK, labelpad=8)
    axes.set_xlabel(f"gamma: {_noise(jobs)}", fontsize=10.5, color=_INK, labelpad=8)
    for number, curve in enumerate(curves):
        colour = _COLOURS[number % len(_COLOURS)]
        marker = _MARKERS[(number + number // len(_COLOURS)) % len(_MARKERS)]
        gammas, means = list(curve.points), np.array([point.value for point in curve.points.values()])
        errors = np.array([point.error or 0 for point in curve.points.values()])
        axes.axhline(curve.plurality.value, color=colour, linewidth=0.9, linestyle=(0, (5, 4)), alpha=0.75, zorder=2)
        axes.fill_between(gammas, means - errors, means + errors, color=colour, alpha=0.2, linewidth=0, zorder=2)
        axes.plot(
            gammas, means, label=curve.name, color=colour, linewidth=1.8, marker=marker, markersize=6,
            markeredgecolor="white", markeredgewidth=0.9, clip_on=False, zorder=3,
        )  # fmt: skip
    if len(curves) <= len(_COLOURS):
        _label(axes, curves)
    else:
        axes.legend(loc="upper left", bbox_to_anchor=(1.03, 1.02), frameon=False, labelcolor=_INK, fontsize=10.5)
    runs = sorted({point.runs for curve in curves for point in curve.points.values()})
    over = f"mean of {'-'.join(str(few) for few in dict.fromkeys([runs[0], runs[-1]]))} runs and its standard error"
    data = ", ".join(dict.fromkeys(str(job.private_data[0]) for job in jobs))
    subtitle = ";  ".join([data] + [over] * (runs[-1] > 1) + ["dashed: plurality without noise"])
    for up, words, size, weight, colour in (
        (height - 0.22, "How much noise the votes can take", 15, "bold", _INK),
        (height - 0.55, subtitle, 10.5, "normal", _FAINT),
        (0.3, FOOTNOTE, 9, "normal", _FAINT),
    ):
        figure.text(0.25 / width, up / height, words, fontsize=size, weight=weight, color=colour, va="top")


def _label(axes: Axes, curves: Sequence[Curve]) -> None:
    """Names at the ends of their lines: nobody has to look up a colour."""
    ends = [list(curve.points.items())[-1] for curve in curves]
    for number, height in enumerate(apart([point.value for _, point in ends], 0.135)):
        line = {"arrowstyle": "-", "color": _COLOURS[number], "linewidth": 1.2, "relpos": (0, 0.5), "shrinkB": 5}
        axes.annotate(
            curves[number].name, xy=(ends[number][0], ends[number][1].value), xytext=(1.06, height),
            textcoords="axes fraction", fontsize=10.5, weight="bold", color=_INK, va="center", arrowprops=line,
            annotation_clip=False,
        )  # fmt: skip
        axes.text(
            1.06, height - 0.027, f"{curves[number].plurality.value:.1%} without noise", transform=axes.transAxes,
            fontsize=9, color=_FAINT, va="top",
        )  # fmt: skip


def _dress(axes: Axes, gammas: Sequence[float]) -> None:
    """A log axis whose ticks are the gammas computed, and nothing that is not data in the foreground."""
    from matplotlib.ticker import MultipleLocator, PercentFormatter

    axes.set_xscale("log")
    axes.set_xlim(gammas[0] / 1.2, gammas[-1] * 1.2)
    axes.set_ylim(0, 1)
    if len(gammas) <= 12:
        axes.set_xticks(gammas, [f"{gamma:g}" for gamma in gammas])
    axes.minorticks_off()
    axes.yaxis.set_major_locator(MultipleLocator(0.2))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.grid(color="#e8e8e8", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(length=0, labelsize=10, labelcolor=_FAINT, pad=6)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color("#999999")
    for place, words in ((0, "← more noise"), (1, "less noise →")):
        axes.text(
            place, 0.02, words, transform=axes.transAxes, fontsize=9, color=_FAINT,
            horizontalalignment="right" if place else "left",
        )  # fmt: skip


def apart(heights: Sequence[float], gap: float) -> list[float]:
    """Labels moved as little as keeps them a gap apart, in the order of their lines and below the top."""
    order = sorted(range(len(heights)), key=lambda at: heights[at])
    placed = list(heights)
    for below, at in itertools.pairwise(order):
        placed[at] = max(placed[at], placed[below] + gap)
    limit = 1.0
    for at in reversed(order):
        placed[at] = min(placed[at], limit)
        limit = placed[at] - gap
    return placed


def _name(group: Group) -> str:
    """What tells a line from the others: `50 ridge teachers`, then whatever else was swept."""
    others = [f"{key}={value}" for key, value in group.choices.items() if key not in ("teachers", "teachers.count")]
    kind = f"{group.choices['teachers']} " if "teachers" in group.choices else ""
    count = [f"{group.known('quality_teachers')[0]} {kind}teachers"]
    return ", ".join(count + others if len(others) < len(group.choices) or not others else others)


def _noise(jobs: Sequence[Job]) -> str:
    kinds = {"gamma": "Laplace noise of scale 1/gamma", "sigma": "Gaussian noise of sigma = 1/gamma"}
    settings = [job.results["config"]["aggregator"] for job in jobs if job.results]
    found = [words for key, words in kinds.items() if any(key in aggregator for aggregator in settings)]
    return f"{' or '.join(found) or 'noise of scale 1/gamma'} on every count of votes"


def _stamps(folder: Path, subdir: str | None) -> dict[Path, int]:
    """When the files that make a job were last written, at any depth: hydra.sweep.subdir is the user's to choose."""
    patterns = ["results.json"] + [f"{subdir}/overrides.yaml"] * (subdir is not None)
    return {file: file.stat().st_mtime_ns for pattern in patterns for file in folder.rglob(pattern)}


def _pairs(overrides: Any) -> dict[str, str]:
    split = (str(override).partition("=") for override in overrides)
    return {key.lstrip("+"): value for key, _, value in split}


def _natural(path: Path) -> list[tuple[int, str]]:
    """2 before 10, and numbers before words."""
    return [(int(part), "") if part.isdigit() else (sys.maxsize, part) for part in re.split(r"(\d+)", str(path))]


def _write(file: Path, content: bytes) -> None:
    """Whole or not at all, readable by the owner only."""
    temporary = file.with_name(f".{file.name}")
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as handle:
        handle.write(content)
    temporary.rename(file)
