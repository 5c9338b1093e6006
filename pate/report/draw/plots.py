"""The plots of the page, each an inline SVG with words that say what it shows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pate.accounting.guarantee import Guarantee, given, shown
from pate.evaluation.measure import Measure
from pate.evaluation.results import MethodResult
from pate.report.draw.labels import Named, name_line, name_marks
from pate.report.draw.published import Reference
from pate.report.draw.svg import COLOURS, HEIGHT, WIDTH, drawing, inline

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pate.report.run.panel import Panel


_NAMED = 12  # marks that have names beside them
_SHAPES = {"o": "circles", "s": "squares", "D": "diamonds", "^": "triangles", "v": "triangles", "P": "crosses"}


@dataclass(frozen=True)
class Mark:
    """A method at an epsilon; hollow marks hold for this data set only."""

    label: str
    shape: str
    colour: str
    epsilon: float
    score: float
    error: float
    holds_for: str
    told: str = ""  # what is said of it when it is pointed at

    @classmethod
    def of(cls, row: MethodResult, guarantee: Guarantee, measure: Measure) -> Mark:
        score, error = row.metrics.get(measure.name), row.standard_errors.get(measure.name) or 0.0
        if score is None:
            score = math.nan
        told = f"{row.title}: {measure.shown(score, error)}\n{guarantee}"
        return cls(row.short, row.mark, row.colour, guarantee.epsilon, score, error, guarantee.holds_for, told)

    @property
    def drawable(self) -> bool:
        """An axis of logarithms has no nought, and a file may hold what no run finds."""
        return 0 < self.epsilon < 1e12 and 0 <= self.score <= 1 and 0 <= self.error <= 1


def legend(points: Sequence[Mark]) -> str:
    """Which shape is which method."""
    named: dict[str, dict[str, None]] = {}
    for one in points:
        named.setdefault(_SHAPES.get(one.shape, "marks"), {})[one.label] = None
    text = ", ".join(f"{shape} {' and '.join(labels)}" for shape, labels in named.items())
    return f"{text[:1].upper()}{text[1:]}."


def score_by_epsilon(
    points: Sequence[Mark],
    bound: float | None,
    references: Sequence[Reference],
    frontiers: Sequence[Sequence[Mark]] = (),
    name: str = "accuracy",
    what: str = "accuracy",
    width: float = WIDTH,
) -> str:
    """Every method where it stands. A filled mark is a guarantee for every data set, a hollow one for this one."""
    from matplotlib.ticker import PercentFormatter

    with drawing(width, HEIGHT if width == WIDTH else 4.4) as (figure, axes):
        axes.set_xscale("log")
        for reference in references:
            _mark(axes, reference.mark, reference.epsilon, reference.accuracy, reference.guarantee, "paper", 5)
        for frontier in frontiers:
            steps, hue = sorted((point.epsilon, point.score) for point in frontier), _hue(frontier[0])
            axes.step(*zip(*steps, strict=True), where="post", color=COLOURS[hue], linewidth=1, alpha=0.6, zorder=2)
        for place, point in enumerate(points):
            hue = _hue(point)
            axes.errorbar(
                [point.epsilon], [point.score], yerr=[point.error], fmt="none", ecolor=COLOURS[hue], elinewidth=1.2
            )
            _mark(axes, point.shape, point.epsilon, point.score, point.holds_for, hue, 8, f"point-{place}")
        if bound is not None:
            axes.axhline(bound, color=COLOURS["bound"], linewidth=1.2, linestyle=(0, (5, 3)), zorder=1)
        every = [*(p.epsilon for p in points), *(r.epsilon for r in references)]
        axes.set_xlim(min(every) / 1.8, max(every) * 2.2)
        heights = [*(p.score - p.error for p in points), *(r.accuracy for r in references)]
        tops = [*(p.score + p.error for p in points), *(r.accuracy for r in references), bound or 0]
        room = max(max(tops) - min(heights), 0.02)
        axes.set_ylim(min(heights) - 0.15 * room, min(max(tops) + 0.2 * room, max(1.002, max(tops) + 0.01)))
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=None))
        _readable(axes.xaxis, max(every) / min(every))
        axes.set_xlabel("epsilon (log scale)")
        axes.set_ylabel(f"{what} on the test set")
        ends = [frontier[-1] for frontier in frontiers]
        _name(axes, points, references, bound, [*ends] if frontiers else points)
        told = "; ".join(f"{p.label}: {p.score:.1%} at epsilon {shown(p.epsilon)} for {p.holds_for}" for p in points)
        papers = "; ".join(f"{r.source}: {r.accuracy:.1%} at {given(r.epsilon)} for {r.guarantee}" for r in references)
        words = told + (f". Without privacy {bound:.1%}" if bound is not None else "")
        words += f". Published: {papers}" if papers else ""
        pointed = {f"point-{place}": point.told for place, point in enumerate(points) if point.told}
        return inline(figure, name, f"Test {what} against epsilon", f"{words}.", pointed)


def _hue(point: Mark) -> str:
    return point.colour if point.colour in COLOURS else "ink"


def _mark(
    axes: Axes, shape: str, x: float, y: float, holds_for: str, hue: str, size: float, gid: str | None = None
) -> None:
    hollow = holds_for == "this data set"
    axes.plot(
        [x], [y], marker=shape if shape in _SHAPES else "D", markersize=size, color=COLOURS[hue], gid=gid,
        markerfacecolor=COLOURS["card"] if hollow else COLOURS[hue], markeredgewidth=1.6, linestyle="none", zorder=3,
    )  # fmt: skip


def _name(
    axes: Axes, points: Sequence[Mark], references: Sequence[Reference], bound: float | None, named: Sequence[Mark]
) -> None:
    """Names beside the marks, so that nobody has to look up a shape, as long as there are few; then the bound's."""
    few = len(named) <= _NAMED
    marks = [Named(p.label if few and p in named else "", p.epsilon, p.score, p.error) for p in points]
    marks += [Named("", one.epsilon, one.accuracy) for one in references]
    if bound is not None:
        name_line(axes, f"without privacy {bound:.1%}", bound, marks)
    name_marks(axes, marks, bound)


_APART = 0.2  # of the logarithm of numbers that can stand side by side on an axis


def ladder(panel: Panel) -> str:
    """Epsilon against the number of queries, a line an accountant."""
    noise, asked, delta = panel.chosen
    queries = panel.queries
    with drawing(height=3.9) as (figure, axes):
        axes.set_xscale("log")
        axes.set_yscale("log")
        ends: list[tuple[float, str, str]] = []
        for place, one in enumerate(panel.accountants):
            line = [panel.epsilon[noise][k][delta][place] for k in range(len(queries))]
            known = [(k, e) for k, e in zip(queries, line, strict=True) if e]
            if not known:
                continue
            hue = "bound" if not one["valid"] else "dpsgd" if one["holds_for"] == "every data set" else "pate"
            axes.plot(
                *zip(*known, strict=True), color=COLOURS[hue], linewidth=1.4, marker="o", markersize=2.5,
                linestyle=(0, (3, 2)) if not one["valid"] else "-",
            )  # fmt: skip
            ends.append((known[-1][1], one["accountant"], hue))
        axes.axvline(queries[asked], color=COLOURS["faint"], linewidth=0.8, linestyle=(0, (2, 2)))
        axes.set_xlim(queries[0], queries[-1] * 1.03)
        _label_ends(axes, ends, queries[-1])
        told = [k for k in queries if k == queries[asked] or abs(math.log(k / queries[asked])) > _APART]
        axes.set_xticks(told, [f"{k:g}" for k in told])
        axes.minorticks_off()
        _readable(axes.yaxis, ordered[-1][0] / ordered[0][0] if (ordered := sorted(ends)) else 1)
        axes.set_xlabel("queries")
        axes.set_ylabel("epsilon (log scale)")
        words = ", ".join(f"{name} {shown(end)}" for end, name, _ in sorted(ends))
        return inline(
            figure, "ladder", "Epsilon against the number of queries, by accountant",
            f"At {queries[-1]} queries, delta {given(panel.deltas[delta])}: {words}.",
        )  # fmt: skip


def _readable(axis: Any, span: float) -> None:
    """Ticks of a log axis at 1, 2, 5, 10, or further apart where it is long."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if span < 100 else (1.0, 3.0) if span < 1000 else (1.0,)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _label_ends(axes: Axes, ends: Sequence[tuple[float, str, str]], x: float) -> None:
    """Names at the ends of lines, moved apart on the log axis as little as keeps them legible."""
    if not ends:
        return
    ordered = sorted(ends)
    logs = [math.log(end) for end, _, _ in ordered]
    low, high = (math.log(bound) for bound in axes.get_ylim())
    gap = (high - low) * 0.058
    placed = list(logs)
    for i in range(1, len(placed)):
        placed[i] = max(placed[i], placed[i - 1] + gap)
    over = placed[-1] - high
    if over > 0:
        placed[-1] -= over
        for i in range(len(placed) - 2, -1, -1):
            placed[i] = min(placed[i], placed[i + 1] - gap)
    for height, (end, name, hue) in zip(placed, ordered, strict=True):
        axes.annotate(
            f"{name} {shown(end)}", (x, math.exp(height)), xytext=(7, 0), textcoords="offset points", va="center",
            fontsize=8, color=COLOURS[hue if hue != "bound" else "faint"], annotation_clip=False,
        )  # fmt: skip


def vote_gaps(gaps: dict[str, Any]) -> str:
    """How far ahead the first class was, and how likely this noise overturns such a gap."""
    from matplotlib.ticker import PercentFormatter

    edges, queries = np.array(gaps["edges"]), np.array(gaps["queries"])
    with drawing() as (figure, axes):
        axes.bar(edges[:-1], queries, width=np.diff(edges) * 0.92, align="edge", color=COLOURS["bar"], zorder=2)
        axes.set_xlabel("votes between the first and the second class")
        axes.set_ylabel("queries")
        axes.grid(axis="x", visible=False)
        if gaps["at"]:
            noise = axes.twinx()
            noise.plot(gaps["at"], gaps["overturned"], color=COLOURS["dpsgd"], linewidth=1.8)
            noise.set_ylim(0, 0.5)
            noise.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
            noise.set_ylabel("chance that noise overturns it", color=COLOURS["dpsgd"])
            noise.grid(visible=False)
            noise.patch.set_alpha(0)
        return inline(
            figure, "gaps", "Vote gaps and the noise",
            f"The median gap is {gaps['median']:g} of {gaps['teachers']} votes; {gaps['close']:.0%} of the queries "
            "have a gap below a tenth of the teachers. The line falls from one half at a tie: the chance that this "
            "noise makes the second class win.",
        )  # fmt: skip


def label_accuracy(confidence: dict[str, Any]) -> str:
    """How often the plurality and the noisy label are right, by how many teachers agree."""
    from matplotlib.ticker import PercentFormatter

    with drawing() as (figure, axes):
        agree, share = np.array(confidence["agree"]), np.array(confidence["share"])
        axes.bar(agree, share, width=0.07, color=COLOURS["bar"], zorder=1, label="share of inputs")
        for key, words, hue, mark in (
            ("plurality", "plurality, without noise", "bound", "s"),
            ("label", "noisy label, expected", "pate", "o"),
        ):
            axes.plot(
                agree, confidence[key], color=COLOURS[hue], marker=mark, markersize=4.5, linewidth=1.6, label=words
            )
        axes.set_xlim(0, 1.04)
        axes.set_ylim(0, 1.04)
        axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        axes.set_xlabel("teachers that agree on the first class")
        axes.set_ylabel("right")
        axes.legend(loc="upper left")
        bins = zip(agree, share, confidence["label"], strict=True)
        words = "; ".join(f"{a:.0%} agree ({s:.0%} of inputs): {r:.0%} right" for a, s, r in bins)
        return inline(figure, "confidence", "Label accuracy by confidence", f"{words}.")


def bars(values: Sequence[tuple[str, float]]) -> str:
    """Epsilon by accountant, the least last."""
    ordered = sorted(values, key=lambda one: -one[1])
    with drawing(height=0.9 + 0.34 * len(ordered)) as (figure, axes):
        names, epsilons = [name for name, _ in ordered], [epsilon for _, epsilon in ordered]
        axes.barh(names, epsilons, height=0.6, color=COLOURS["dpsgd"], zorder=2)
        for place, epsilon in enumerate(epsilons):
            axes.annotate(shown(epsilon), (epsilon, place), xytext=(5, 0), textcoords="offset points", va="center")
        axes.set_xlim(0, max(epsilons) * 1.18)
        axes.grid(axis="y", visible=False)
        axes.invert_yaxis()
        axes.set_xlabel("epsilon")
        words = ", ".join(f"{name} {shown(epsilon)}" for name, epsilon in ordered)
        return inline(figure, "accountants", "Epsilon by accountant", f"{words}.")
