"""Names beside marks: each where there is room for it, none on another, on a mark or beyond the axes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pate.report.draw.svg import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SIZE = 8.5  # points of the letters
_NEAR = 8.0  # points between a mark and its name
_FARTHEST = 16  # half lines up or down, before a name is left out: the legend has it


@dataclass(frozen=True)
class Box:
    """A rectangle of the picture, in its pixels."""

    left: float
    bottom: float
    right: float
    top: float

    def meets(self, other: Box) -> bool:
        return (
            self.left < other.right and other.left < self.right and self.bottom < other.top and other.bottom < self.top
        )

    def holds(self, other: Box) -> bool:
        return (
            self.left <= other.left
            and other.right <= self.right
            and self.bottom <= other.bottom
            and other.top <= self.top
        )

    @classmethod
    def around(cls, x: float, y: float, width: float, height: float) -> Box:
        return cls(x - width / 2, y - height / 2, x + width / 2, y + height / 2)


@dataclass(frozen=True)
class Named:
    """A mark at a place of the data, how far its error reaches, and what it is called; no name for one that is only in
    the way."""

    name: str
    x: float
    y: float
    error: float = 0.0


def name_line(axes: Axes, name: str, height: float, marks: Sequence[Named]) -> None:
    """Write the name of a line from side to side: above or below it, at the end where no mark is in the way."""
    renderer, point, frame = _drawn(axes)
    taken = _boxes(axes, marks, point)
    for place, align in ((0.01, "left"), (0.99, "right"), (0.5, "center")):
        for up in (3, -3):
            text = axes.annotate(
                name, (place, height), xycoords=("axes fraction", "data"), xytext=(0, up), ha=align, fontsize=8,
                textcoords="offset points", va="bottom" if up > 0 else "top", color=COLOURS["faint"], in_layout=False,
            )  # fmt: skip
            box = _extent(text, renderer)
            if frame.holds(box) and not any(box.meets(one) for one in taken):
                return
            text.remove()


def name_marks(axes: Axes, marks: Sequence[Named], line: float | None = None) -> list[str]:
    """Write the names; `line` is a height that is drawn from side to side. Which names were written is told."""
    renderer, point, frame = _drawn(axes)
    places = [_place(axes, mark.x, mark.y) for mark in marks]
    taken = _boxes(axes, marks, point)
    if line is not None:
        height = _place(axes, marks[0].x, line)[1]
        taken.append(Box(frame.left, height - point, frame.right, height + point))
    names = [_extent(one, renderer) for one in axes.texts]
    written: list[tuple[str, float, float]] = []
    for mark, (x, y) in sorted(zip(marks, places, strict=True), key=lambda one: -one[1][1]):
        near = any(name == mark.name and abs(x - u) + abs(y - v) < 14 * point for name, u, v in written)
        if not mark.name or near:
            continue
        text = axes.annotate(
            mark.name, (mark.x, mark.y), xytext=(0, 0), textcoords="offset points", fontsize=_SIZE,
            color=COLOURS["ink"], va="center", zorder=4, in_layout=False,
        )  # fmt: skip
        size = text.get_window_extent(renderer)
        left = x > (frame.left + frame.right) / 2
        for box, path, (dx, dy) in _around(x, y, size.width + 2 * point, size.height, point, left):
            if frame.holds(box) and not any(box.meets(one) for one in [*taken, *names]) and not _crosses(path, names):
                text.set_position((dx, dy))
                text.set_horizontalalignment("right" if dx < 0 else "left")
                if abs(dy) * point > size.height:
                    _lead(axes, mark, dx, dy)
                names.append(box)
                written.append((mark.name, x, y))
                break
        else:
            text.remove()
    return [name for name, _, _ in written]


def _drawn(axes: Axes) -> tuple[Any, float, Box]:
    """What draws the picture, the pixels of a point, and the frame, once it is known where everything is."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    return renderer, figure.dpi / 72, _extent(axes, renderer)


def _extent(one: Any, renderer: Any) -> Box:
    box = one.get_window_extent(renderer)
    return Box(box.x0, box.y0, box.x1, box.y1)


def _place(axes: Axes, x: float, y: float) -> tuple[float, float]:
    across, up = axes.transData.transform((x, y))
    return float(across), float(up)


def _boxes(axes: Axes, marks: Sequence[Named], point: float) -> list[Box]:
    """What marks and their errors take."""
    taken = []
    for mark in marks:
        x, y = _place(axes, mark.x, mark.y)
        low, high = (_place(axes, mark.x, mark.y + sign * mark.error)[1] for sign in (-1, 1))
        taken += [Box.around(x, y, 12 * point, 12 * point), Box(x - point, low, x + point, high)]
    return taken


Candidate = tuple[Box, np.ndarray, tuple[float, float]]


def _around(x: float, y: float, width: float, height: float, point: float, left: bool) -> Iterator[Candidate]:
    """Places for a name, the nearest first: a box, the way to it, and the offset in points."""
    for far in range(_FARTHEST):
        for up in (1, -1) if far else (1,):
            for side in (-1, 1) if left else (1, -1):
                dx, dy = side * (_NEAR + 1.5 * min(far, 6)), up * far * height / point / 2
                near = x + dx * point
                box = Box.around(near + side * width / 2, y + dy * point, width, height + 2 * point)
                steps = np.linspace(0, 1, 12)[1:-1, None]
                yield box, (1 - steps) * [x, y] + steps * [near, y + dy * point], (dx, dy)


def _crosses(path: np.ndarray, names: Sequence[Box]) -> bool:
    """Whether the way to a name goes over another one."""
    return any(box.left < u < box.right and box.bottom < v < box.top for u, v in path for box in names)


def _lead(axes: Axes, mark: Named, dx: float, dy: float) -> None:
    """A thin line from a mark to a name that is not right beside it."""
    line = {"arrowstyle": "-", "color": COLOURS["faint"], "linewidth": 0.6, "shrinkA": 0, "shrinkB": 5}
    axes.annotate(
        "", (mark.x, mark.y), xytext=(dx, dy), textcoords="offset points", arrowprops=line, zorder=2, in_layout=False
    )
