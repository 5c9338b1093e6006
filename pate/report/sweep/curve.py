"""A curve as it is read: a table in the terminal, a page, files for a program and for a spreadsheet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.markup import escape
from rich.table import Table

from pate.accounting.guarantee import given, neighbours
from pate.evaluation.curve import OWNERS, Curve, Point, rows
from pate.evaluation.verdict import Verdict
from pate.release.withheld import banners
from pate.report.draw import curve as picture
from pate.report.files import write_facts, write_owned, write_rows
from pate.report.run.page import OWNERS as OWNERS_PAGE
from pate.report.run.page import render
from pate.report.run.section import Section
from pate.report.terminal import page

FILE = "curve.json"


def write_curve(found: Curve, folder: Path) -> None:
    """curve.json and curve.csv; and, where there is anything to draw, curve.svg, curve.png and report.html."""
    write_facts(found, folder / FILE)
    if table := rows(found):
        write_rows(table, folder / "curve.csv")
    if found.lines:
        picture.draw(found, folder)
        write_owned(folder / "report.html", curve_page(found).encode())


def print_curve(found: Curve) -> None:
    """A line an epsilon, then all that those are never without."""
    table = Table()
    for title in _head(found):
        table.add_column(escape(title), justify="right")
    for cells in _rows(found):
        table.add_row(*map(escape, cells))
    console = page(table)
    console.print(f"curve: {found.data}, test {found.measure.title} by epsilon", soft_wrap=True, markup=False)
    console.print(table)
    for line in (*_levels(found), *found.ahead, f"epsilon: {found.terms}", *_missing(found)):
        console.print(line, soft_wrap=True, markup=False)
    for note in (*found.notes, f"{OWNERS}; {found.warning}"):
        console.print(f"note: {note}", soft_wrap=True, markup=False)


def curve_page(found: Curve) -> str:
    """The owner's."""
    promises = found.promises
    *several, last = [line.title for line in found.lines]
    names = f"{', '.join(several)} and {last}" if several else last
    return render(
        public=False,
        title=f"{found.data}: {found.measure.title} against epsilon (the owner's)",
        subject="the curve",
        verdict=Verdict(
            f"{found.data}: {found.measure.title} against epsilon of {names}.",
            (*(f"{one[:1].upper()}{one[1:]}." for one in found.ahead), f"{OWNERS[:1].upper()}{OWNERS[1:]}."),
        ),
        facts=[
            ("epsilons", str(len(found.epsilons))),
            ("seeds", ", ".join(map(str, found.seeds))),
            ("delta", ", ".join(dict.fromkeys(given(one.delta) for one in promises))),
            ("neighbours", neighbours(one.relation for one in promises)),
        ],
        banners=[*_failures(found), *banners(found.notes), OWNERS_PAGE],
        methods=[],
        figures=[
            {
                "title": f"{found.measure.title[:1].upper()}{found.measure.title[1:]} against epsilon",
                "svg": picture.inlined(found),
                "caption": f"Epsilon {found.terms}. {picture.legend(found)}",
            }
        ],
        panel=None,
        panel_data="",
        confusion=None,
        by_class=None,
        mistakes=[],
        no_images="",
        stages=[],
        parts=[_points(found), *_left_out(found)],
        statement=[
            "Each epsilon is what one of these models would cost if it were released, by itself. What all that was "
            "released from these data costs together is what the ledger says; this curve added nothing to it.",
            f"{found.warning[:1].upper()}{found.warning[1:]}.",
        ],
        notes=found.notes,
        relation=neighbours(one.relation for one in promises),
        command=found.command,
        versions="",
        config="",
        source="curve.json",
    )


def _head(found: Curve) -> list[str]:
    return ["epsilon", *(line.title for line in found.lines), *["PATE's answers"] * _asked(found)]


def _asked(found: Curve) -> bool:
    return any(point.answers for line in found.lines for point in line.points)


def _rows(found: Curve) -> Iterator[list[str]]:
    for epsilon in found.epsilons:
        points = [line.at(epsilon) for line in found.lines]
        answers = [f"{point.answers}" for point in points if point and point.answers]
        yield [
            given(epsilon),
            *(_score(found, point) for point in points),
            *[answers[0] if answers else "-"] * _asked(found),
        ]


def _score(found: Curve, point: Point | None) -> str:
    return "-" if point is None else found.measure.shown(point.score, point.error)


def _levels(found: Curve) -> Iterator[str]:
    for level in (*found.bounds, *filter(None, [found.baseline])):
        yield f"{level.title}: {found.measure.shown(level.score, level.error)}"
    yield f"models are compared by {found.measure.title}: {found.measure.why}"
    yield picture.errors(found)


def _missing(found: Curve) -> Iterator[str]:
    for one in found.left_out:
        yield f"left out at epsilon {given(one.epsilon)}: {one.method}: {one.why}"
    yield from _failures(found)


def _failures(found: Curve) -> list[str]:
    return [f"epsilon {given(one.epsilon)}, seed {one.seed}, did not finish: {one.error}" for one in found.failed]


def _points(found: Curve) -> Section:
    """A line an epsilon, as in the terminal; what each point costs to the third digit is in curve.csv."""
    words = [f"No method costs more than the epsilon of its line: {found.terms}."]
    table = list(_rows(found))
    return Section(
        "points", f"Test {found.measure.title} by epsilon", words, _head(found), table, range(len(_head(found)))
    )


def _left_out(found: Curve) -> list[Section]:
    table = [[one.method, given(one.epsilon), one.why] for one in found.left_out]
    return [Section("left-out", "Points left out", [], ["method", "epsilon", "why"], table, [1])] if table else []
