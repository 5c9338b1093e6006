"""The picture of noise in votes: label accuracy against gamma, a line for each size of ensemble."""

from __future__ import annotations

import io
import itertools
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pate.report.files import write_owned
from pate.report.sweep.jobs import Group, Job, Mean

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FOOTNOTE = "expected over the noise, computed; uses true labels of public inputs: for the owner"
# Okabe & Ito 2008, told apart by every kind of colour vision; the markers say the same once more
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS = "osD^vPX"
_INK, _FAINT = "#222222", "#666666"


@dataclass(frozen=True)
class Curve:
    """Label accuracy against gamma: the mean over a group's runs, wherever it is known."""

    name: str
    points: dict[float, Mean]
    plurality: Mean


def curve_of(group: Group) -> Curve | None:
    """None if the group did not look at quality, or no true label is known."""
    gammas = sorted({gamma for job in group.jobs if job.quality for gamma in job.quality.gammas})
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
            write_owned(folder / f"quality.{kind}", image.getvalue())


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
    settings = [job.results.config["aggregator"] for job in jobs if job.results]
    if not all(str(one.get("_target_", "")).startswith("pate.aggregation.") for one in settings):
        settings = []  # a mechanism of one's own: all that is known is how it scales
    found = [words for key, words in kinds.items() if any(key in one for one in settings)]
    return f"{' or '.join(found) or 'noise of scale 1/gamma'} on every count of votes"
