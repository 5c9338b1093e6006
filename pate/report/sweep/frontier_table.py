"""The frontier for reading: a table for each kind of epsilon, the best one within a budget, and a warning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.markup import escape
from rich.table import Table

from pate.accounting.guarantee import given, shown
from pate.evaluation.measure import Measure
from pate.report.sweep.frontier import Configuration, Kind, best, by_kind, frontier, tuning
from pate.report.sweep.jobs import Group, Mean
from pate.report.terminal import page


def print_frontier(groups: Sequence[Group], epsilon: float | None, measure: Measure) -> None:
    """Nothing where there is nothing to choose from."""
    kinds = by_kind(groups, measure)
    if not any(len(points) > 1 for points in kinds.values()) and epsilon is None:
        return
    console = page()
    for kind, points in kinds.items():
        kept = frontier(points, measure)
        several = f"{len(kept)} of {len(points)} configurations, which no other beats"
        console.print(f"frontier of {kind}: {several}", soft_wrap=True, markup=False)
        table = _table(kept, measure)
        page(table).print(table)
    if epsilon is not None:
        for line in _best(kinds, epsilon, measure):
            console.print(line, soft_wrap=True, markup=False)
    console.print(f"warning: {tuning(measure)}", soft_wrap=True, markup=False)


def _table(points: Sequence[Configuration], measure: Measure) -> Table:
    table = Table()
    keys = dict.fromkeys(key for point in points for key in point.choices)
    for key in keys:
        table.add_column(escape(key), overflow="fold")
    table.add_column("epsilon", justify="right")
    table.add_column(f"test {measure.title}", justify="right")
    for point in points:
        cells = [escape(point.choices.get(key, "-")) for key in keys]
        table.add_row(*cells, shown(point.epsilon), _score(point.score, measure))
    return table


def _best(kinds: dict[Kind, list[Configuration]], epsilon: float, measure: Measure) -> Iterator[str]:
    """First what may leave, then the owner's: each by itself, with all that belongs to its epsilon."""
    limit = given(epsilon)
    if not any(kind.publishable for kind in kinds):
        yield f"best within epsilon {limit}: no configuration has an epsilon that may be published"
    for kind, points in sorted(kinds.items(), key=lambda item: not item[0].publishable):
        chosen = best(points, epsilon, measure)
        if chosen is None:
            yield f"best within epsilon {limit}: none is as cheap; {kind}"
            continue
        named = " ".join(f"{key}={value}" for key, value in chosen.choices.items()) or "the only one"
        score = _score(chosen.score, measure)
        yield f"best within epsilon {limit}: {named}, {score} at epsilon {shown(chosen.epsilon)}; {kind}"


def _score(mean: Mean, measure: Measure) -> str:
    return measure.shown(mean.value, mean.error, digits=2)
