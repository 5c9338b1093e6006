"""The picture of a curve: a score against publishable epsilon, a line a method, in a page and as files of its own."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pate.accounting.guarantee import given
from pate.evaluation.curve import OWNERS, Curve, Level, Line
from pate.report.draw.picture import apart
from pate.report.draw.svg import COLOURS, drawing, inline
from pate.report.files import write_owned

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Of a file, which follows no page's theme: dark enough on white, told apart by every kind of colour vision.
_ON_WHITE = {
    "ink": "#1c1e22", "faint": "#636770", "rule": "#e2e0d8", "card": "#ffffff", "pate": "#1f5fbf", "dpsgd": "#b3561b",
    "bound": "#83878f", "paper": "#b9b6ab", "good": "#2c7a4b", "bar": "#d5dbe6",
}  # fmt: skip
_SIZE = (8.2, 4.8)  # inches, of a file
_LONG = 24  # letters of a measure's name, beside which nothing else fits along the axis
_NAMED = 0.055  # of the height, for a line's name


def inlined(found: Curve) -> str:
    """For a page, in its colours; read aloud as its numbers."""
    with drawing(width=5.6, height=3.7) as (figure, axes):
        _plot(axes, found, COLOURS)
        return inline(figure, "curve", f"Test {found.measure.title} against epsilon", f"{'; '.join(_told(found))}.")


def draw(found: Curve, folder: Path) -> list[Path]:
    """curve.svg and curve.png: the owner's, and they say so."""
    import matplotlib
    from matplotlib.figure import Figure

    colours = _ON_WHITE
    style = {
        "svg.fonttype": "none", "svg.hashsalt": "pate", "font.size": 9.5, "text.color": colours["ink"],
        "axes.edgecolor": colours["rule"], "axes.labelcolor": colours["faint"], "xtick.color": colours["faint"],
        "ytick.color": colours["faint"], "axes.grid": True, "grid.color": colours["rule"], "grid.linewidth": 0.6,
        "axes.axisbelow": True, "axes.spines.top": False, "axes.spines.right": False, "xtick.major.size": 0,
        "ytick.major.size": 0, "xtick.minor.size": 0,
    }  # fmt: skip
    files = []
    with matplotlib.rc_context(style):  # type: ignore[arg-type]
        figure = Figure(figsize=_SIZE, facecolor="white", layout="constrained")
        axes = figure.add_subplot()
        axes.set_title(f"{found.data}: {found.measure.title} against epsilon", loc="left", fontsize=13, weight="bold")
        _plot(axes, found, colours)
        words = "\n".join(
            textwrap.wrap(f"Epsilon {found.terms}. {legend(found)} {OWNERS[:1].upper()}{OWNERS[1:]}.", 125)
        )
        figure.supxlabel(words, fontsize=7.5, color=colours["faint"], x=0.01, ha="left")
        for kind, metadata in (("svg", {"Date": None}), ("png", {})):
            image = io.BytesIO()
            figure.savefig(image, format=kind, dpi=160, metadata=metadata)
            files.append(folder / f"curve.{kind}")
            write_owned(files[-1], image.getvalue())
    return files


def errors(found: Curve) -> str:
    """What an error is of, and what is not in it."""
    several = any(point.runs > 1 for line in found.lines for point in line.points)
    one = "from the test inputs: what chance there is in noise and training is not in it"
    if several:
        one = f"of the mean over models of different seeds; where one model served all seeds, {one}"
    return f"±: one standard error, {one}"


def legend(found: Curve) -> str:
    """How the picture is read."""
    asked = any(point.answers for line in found.lines for point in line.points)
    small = " Small numbers: how many answers PATE's student learned from." * asked
    return f"Bars, {errors(found)}.{small} Dashed: without privacy, and always answering one class."


def _plot(axes: Axes, found: Curve, colours: Mapping[str, str]) -> None:
    """Errors as bars; names at the ends of lines, so that nobody has to look up a colour."""
    from matplotlib.ticker import PercentFormatter

    axes.set_xscale("log")
    heights = [height for line in found.lines for point in line.points for height in (point.low, point.high)]
    heights += [level.score for level in found.bounds]
    room = max(max(heights) - min(heights), 0.02)
    low, high = min(heights) - 0.1 * room, max(heights) + 0.08 * room
    axes.set_ylim(low, high)
    ends: list[tuple[float, float, str, str]] = []
    for line in found.lines:
        hue = line.colour if line.colour in colours else "ink"
        x = [point.guarantee.epsilon for point in line.points]
        y, errors = [point.score for point in line.points], [point.error or 0.0 for point in line.points]
        axes.errorbar(
            x, y, yerr=errors, color=colours[hue], marker=line.mark, markersize=5.5, linewidth=1.6, elinewidth=1.1,
            capsize=2.5, zorder=3,
        )  # fmt: skip
        ends.append((x[-1], y[-1], line.title, hue))
        for point in line.points:
            if point.answers:
                axes.annotate(
                    f"{point.answers}", (point.guarantee.epsilon, point.score), xytext=(7, -9), zorder=4,
                    textcoords="offset points", ha="left", fontsize=7, color=colours[hue],
                )  # fmt: skip
    _levels(axes, found, colours, (low, high))
    if found.measure.share:
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=None))
    _epsilons(axes, found)
    _name(axes, ends, colours, (low, high))
    axes.set_xlabel("publishable epsilon (log scale)")
    title = found.measure.title
    axes.set_ylabel(
        f"{title} on the test set" if len(title) < _LONG else textwrap.shorten(title, 2 * _LONG, placeholder=" …")
    )


def _levels(axes: Axes, found: Curve, colours: Mapping[str, str], span: tuple[float, float]) -> None:
    """What no epsilon moves; a baseline far below is named at the edge and leaves the lines their room."""
    for level in (*found.bounds, *filter(None, [found.baseline])):
        inside = span[0] <= level.score <= span[1]
        height = min(max(level.score, span[0]), span[1])
        if inside:
            axes.axhline(height, color=colours["bound"], linewidth=1.2, linestyle=(0, (5, 3)), zorder=1)
        where = "" if inside else " (below)" if level.score < span[0] else " (above)"
        axes.annotate(
            f"{level.title} {found.measure.shown(level.score)}{where}", (0.01, height),
            xycoords=("axes fraction", "data"), xytext=(0, 3 if height < span[1] else -11), fontsize=8,
            textcoords="offset points", color=colours["faint"],
        )  # fmt: skip


def _epsilons(axes: Axes, found: Curve) -> None:
    """Ticks at the grid, as far apart as they can be read."""
    from matplotlib.ticker import NullLocator

    grid = found.epsilons
    every = [*grid, *(point.guarantee.epsilon for line in found.lines for point in line.points)]
    axes.set_xlim(min(every) / 1.4, max(every) * 1.4)
    shown = grid if len(grid) <= 10 else grid[:: -(-len(grid) // 10)]
    axes.set_xticks(shown, [given(epsilon) for epsilon in shown])
    axes.xaxis.set_minor_locator(NullLocator())


def _name(
    axes: Axes, ends: list[tuple[float, float, str, str]], colours: Mapping[str, str], span: tuple[float, float]
) -> None:
    low, high = span
    shares = [(y - low) / (high - low) for _, y, _, _ in ends]
    for (x, y, title, hue), height in zip(ends, apart(shares, _NAMED), strict=True):
        axes.annotate(
            title, (x, y), xytext=(1.02, height), textcoords="axes fraction", va="center", fontsize=9,
            color=colours[hue], weight="bold", annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colours[hue], "linewidth": 0.7, "shrinkB": 5},
        )  # fmt: skip


def _told(found: Curve) -> Iterator[str]:
    for line in found.lines:
        yield f"{line.title}: {', '.join(_points(found, line))}"
    for level in (*found.bounds, *filter(None, [found.baseline])):
        yield _level(found, level)


def _points(found: Curve, line: Line) -> Iterator[str]:
    for point in line.points:
        yield f"{found.measure.shown(point.score, point.error)} at {point.guarantee.shown}"


def _level(found: Curve, level: Level) -> str:
    return f"{level.title} {found.measure.shown(level.score, level.error)}"
