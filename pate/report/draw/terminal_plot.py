"""A score on the test set against epsilon as a small plot of characters; an epsilon's mark says what it holds for.

A price for this data set and one for every data set are different promises: they have different marks, and below the
plot each point stands with its delta, its neighbouring relation and whether it may be published.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pate.accounting.guarantee import Guarantee
from pate.evaluation.measure import ACCURACY, Measure
from pate.evaluation.results import MethodResult

WIDTH, HEIGHT = 60, 12  # of the field in characters
MARGIN = 8  # left of it, for percentages
_TICKS = (1, 2, 5)


@dataclass(frozen=True)
class Ink:
    """The characters to draw with: those of the terminal's encoding."""

    marks: Mapping[str, str]  # by what an epsilon holds for
    bound: str
    side: str
    floor: str
    corner: str
    tick: str


UNICODE = Ink({"this data set": "○", "every data set": "●"}, "╌", "│", "─", "└", "┴")
ASCII = Ink({"this data set": "o", "every data set": "#"}, "-", "|", "-", "+", "+")


@dataclass(frozen=True)
class Dot:
    """One guarantee of one method."""

    name: str
    score: float
    guarantee: Guarantee

    def describe(self) -> str:
        return f"{self.name}: {self.score:.1%} at {self.guarantee}"


def points(methods: Sequence[MethodResult], measure: Measure) -> list[Dot]:
    """Every epsilon of a run that can stand on a logarithmic axis; a method may have two, which are two promises."""
    return [
        Dot(row.title, score, one)
        for row in methods
        for one in dict.fromkeys(filter(None, (row.best, row.publishable)))
        if (score := row.metrics.get(measure.name)) is not None and 0 < one.epsilon < math.inf
    ]


def plot(found: Sequence[Dot], bound: float | None, ink: Ink, measure: Measure = ACCURACY) -> list[str]:
    """Lines of the plot, its axis, and a legend; `bound` is the score without privacy."""
    low, high = _range([point.score for point in found] + ([] if bound is None else [bound]))
    left, right = _decades([point.guarantee.epsilon for point in found])
    field = [[" "] * WIDTH for _ in range(HEIGHT)]
    if bound is not None:
        field[_row(bound, low, high)] = [ink.bound] * WIDTH
        _write(field, _row(bound, low, high), 1, f" non-private {bound:.1%} ")
    placed = [(_row(point.score, low, high), _column(point.guarantee.epsilon, left, right), point) for point in found]
    taken: set[tuple[int, int]] = set()
    spots = []
    for row, column, point in placed:
        while (row, column) in taken:  # a neighbour's place: the legend has the numbers
            column = (column + 1) % WIDTH
        taken.add((row, column))
        spots.append((row, column, point))
        field[row][column] = ink.marks[point.guarantee.holds_for]
    for row, column, point in spots:
        _label(field, row, column, point.name, taken)
    return [*_framed(field, low, high, ink), *_axis(left, right, ink, measure), *_legend(found, ink)]


def _framed(field: Sequence[Sequence[str]], low: float, high: float, ink: Ink) -> Iterator[str]:
    for number, row in enumerate(field):
        share = high - (high - low) * number / (HEIGHT - 1)
        named = f"{share:.0%}" if number in (0, HEIGHT - 1) or number == HEIGHT // 2 else ""
        yield f"{named:>{MARGIN - 2}} {ink.side}{''.join(row)}".rstrip()


def _axis(left: float, right: float, ink: Ink, measure: Measure) -> Iterator[str]:
    """Ticks at 1, 2 and 5 of each decade, where there is room to name them."""
    line, names = [ink.floor] * WIDTH, [" "] * (WIDTH + 4)
    decades = range(math.floor(left), math.ceil(right) + 1)
    for value in (digit * 10.0**decade for decade in decades for digit in _TICKS):
        if left <= math.log10(value) <= right:
            at, name = _column(value, left, right), f"{value:g}"
            line[at] = ink.tick
            if set(names[max(0, at - 1) : at + len(name) + 1]) == {" "} and at + len(name) <= len(names):
                names[at : at + len(name)] = name
    yield f"{'':>{MARGIN - 1}}{ink.corner}{''.join(line)}"
    yield f"{'':>{MARGIN}}{''.join(names).rstrip()}"
    yield f"{'':>{MARGIN}}test {measure.title} against epsilon (logarithmic)"


def _legend(found: Sequence[Dot], ink: Ink) -> Iterator[str]:
    for point in found:
        yield f"  {ink.marks[point.guarantee.holds_for]} {point.describe()}"


def _label(field: list[list[str]], row: int, column: int, name: str, taken: set[tuple[int, int]]) -> None:
    """Beside its mark, or above or below it: wherever nothing else is written; else only the legend names it."""
    beside = [(row, column + 2), (row, column - 1 - len(name))]
    around = [(row + step, min(column, WIDTH - len(name))) for step in (-1, 1)]
    for at, start in (*beside, *around):
        cells = range(start - 1, start + len(name) + 1)
        inside = 0 <= at < HEIGHT and start >= 0 and start + len(name) <= WIDTH
        free = all((at, cell) not in taken or (at, cell) == (row, column) for cell in cells)
        if inside and free and not any(field[at][cell].isalnum() for cell in cells if 0 <= cell < WIDTH):
            _write(field, at, start, name)
            return


def _write(field: list[list[str]], row: int, start: int, text: str) -> None:
    field[row][start : start + len(text)] = text


def _range(shares: Sequence[float]) -> tuple[float, float]:
    """Whole steps of five points around all of them, inside 0 and 1."""
    low, high = math.floor(min(shares) * 20 - 0.2) / 20, math.ceil(max(shares) * 20 + 0.2) / 20
    return max(0.0, low), min(1.0, high)


def _decades(epsilons: Sequence[float]) -> tuple[float, float]:
    """Logarithms of the ends of the axis: room for a label, and at least half a decade."""
    low, high = math.log10(min(epsilons)) - 0.1, math.log10(max(epsilons)) + 0.1
    room = max(0.0, 0.7 - (high - low)) / 2
    return low - room, high + room + 0.15 * (high - low)


def _row(share: float, low: float, high: float) -> int:
    return round((high - share) / (high - low) * (HEIGHT - 1)) if high > low else 0


def _column(epsilon: float, left: float, right: float) -> int:
    return round((math.log10(epsilon) - left) / (right - left) * (WIDTH - 1))
