"""The comparison as a table in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pate.accounting.explained import listed
from pate.accounting.guarantee import Guarantee, given, neighbours, shown
from pate.evaluation import results
from pate.evaluation.again import predicting
from pate.evaluation.by_column import ByColumn
from pate.evaluation.measure import ACCURACY, Measure
from pate.evaluation.metrics import title_of, written
from pate.evaluation.results import MethodResult, Results
from pate.evaluation.verdict import Verdict, verdict
from pate.noise import SEEDED
from pate.release.withheld import withheld
from pate.report.draw.terminal_plot import ASCII, MARGIN, UNICODE, WIDTH, plot, points
from pate.report.terminal import page

_CLASSES = 10  # columns of a table


def print_results(found: Results, folder: Path | None = None) -> None:
    """One table of methods, then the notes. An epsilon stands with its delta, its kind and whether it may leave."""
    console, why = page(), withheld(found.notes)
    if found.pate.accountants and not found.scored:
        console.print(_ladder(found.pate.accountants))
        for name, told in listed((one.accountant, one.theorem) for one in found.pate.accountants):
            console.print(f"{name}: {told}", soft_wrap=True, markup=False)
    if found.methods:
        console.print(_table(found))
        if below := "; ".join(filter(None, (_neighbours(found.methods), why))):
            console.print(below, soft_wrap=True, markup=False)
    _plot(console, found.methods, found.measure if found.measure.share else ACCURACY)
    if found.scored:
        console.print(
            f"models are compared by {found.measure.title}: {found.measure.why}", soft_wrap=True, markup=False
        )
        _said(console, verdict(found, folder))
    if any(row.by_class for row in found.methods):
        console.print(_who_pays(found))
    if found.by:
        console.print(_by_column(found, found.by))
    if (plan := found.pate.plan) and (priced := found.pate.accountants):
        where = "on these votes" if plan.on_votes else "whatever the votes"
        fit = f"{plan.queries} queries fit epsilon {shown(plan.target_epsilon)}"
        console.print(f"{fit}, {priced[0].promise}: {where}")
    for table in found.tables:
        _listed(console, table)
    for line in found.plan:
        console.print(f"plan: {line}", soft_wrap=True, markup=False)
    for note in (note for note in found.notes if note not in found.warned):  # said once is enough
        console.print(f"note: {note}", soft_wrap=True, markup=False)
    if (account := found.ledger) and account.total:
        many = f"{account.releases} release{'s' * (account.releases > 1)}"
        console.print(
            f"ledger: {many} from account {account.name} so far, together {account.total}; see stage=ledger",
            soft_wrap=True,
            markup=False,
        )


def _said(console: Console, told: Verdict) -> None:
    """Three sentences, what to type as it is typed, and what the epsilons promise."""
    console.print(" ".join([told.headline, *told.sentences]), markup=False)
    if told.command:
        console.print(f"next     {told.command}", soft_wrap=True, markup=False)
    if told.precise:
        console.print(f"exactly  {told.precise}", soft_wrap=True, markup=False)


def _listed(console: Console, table: results.Table) -> None:
    """What a method has to show."""
    shown_as = Table(title=escape(table.title), title_justify="left", title_style="")
    for title in table.columns:
        shown_as.add_column(escape(title), justify="right")
    for row in table.cells():
        shown_as.add_row(*row)
    console.print(shown_as)
    console.print(table.words, markup=False)


def _plot(console: Console, methods: Sequence[MethodResult], measure: Measure) -> None:
    """On a terminal with room for it, where there is something to see."""
    known = points(methods, measure)
    if not known or not console.is_terminal or console.width < MARGIN + WIDTH + 4:
        return
    bound = next((row.metrics.get(measure.name) for row in methods if not row.private), None)
    for line in plot(known, bound, UNICODE if console.encoding.startswith("utf") else ASCII, measure):
        console.print(line, markup=False, soft_wrap=True)


def print_places(found: Results, folder: Path) -> None:
    """Where everything is, and what can be done with it."""
    stages, config = found.stages, found.config
    workspace = Path(config["workspace"])
    if all(stage.reused for stage in stages.values()):
        print("nothing to do: every stage was up to date")
    print("promise  what an epsilon here promises, and what not: docs/explanation/privacy.md (pate docs)")
    print(f"results  {folder / 'results.json'}")
    if "report" in stages:
        print(f"page     {folder / 'report.html'}")
    for leaves in filter(None, (found.published, found.public_page)):
        print(f"leaves   {leaves} (may be published)")
    print(f"private  {workspace / 'private'} (yours alone)")
    print(f"release  {workspace / 'release'} (made from public inputs and noisy answers or gradients)")
    if any(stage.seeded for stage in stages.values()):
        print(f"apart    {workspace / 'evaluation'} ({SEEDED}; yours alone)")
    if command := predicting(found, folder):
        warned = f"  # {SEEDED}" * any(stage.seeded for stage in stages.values())
        print(f"predict  {command}{warned}")


def _table(found: Results) -> Table:
    """By the measure, and by accuracy if that is another; what always answering one class has stands last."""
    table, measures = Table(), list(dict.fromkeys([found.measure.name, ACCURACY.name]))
    scores = [f"test {found.measure.title if name == found.measure.name else title_of(name)}" for name in measures]
    for title in ("method", "epsilon", "delta", "holds for", "publishable epsilon", *scores, "seconds"):
        table.add_column(title, justify="left" if title in ("method", "holds for") else "right")
    for row in found.methods:
        table.add_row(
            escape(row.title),
            _epsilon(row),
            "-" if row.delta is None else given(row.delta),
            row.guarantee or "-",
            row.publishable.shown if row.publishable else "-",
            *(written(name, row.metrics.get(name), row.standard_errors.get(name)) for name in measures),
            f"{row.seconds:.1f}" if row.seconds is not None else "",
        )
        if row.accuracy_of_views is not None:
            mean = f"{row.accuracy_of_views:.1%}"
            table.add_row("  mean of moved copies", *[""] * 4, *[""] * (len(measures) - 1), mean, "")
    if always := found.baseline:
        scored = (written(name, always.metrics.get(name), always.standard_errors.get(name)) for name in measures)
        table.add_row(escape(always.title), *["-"] * 4, *scored, "")
    return table


def _who_pays(found: Results) -> Table:
    """A line a class; of many, those the first method serves worst. Then every metric but accuracy."""
    scored, always = [row for row in found.methods if row.by_class], found.baseline
    first = scored[0].by_class
    names = sorted(first, key=lambda name: 2.0 if (share := first[name]) is None else share)
    kept = set(names[:_CLASSES])
    which = f"the {_CLASSES} classes of {len(names)} that it gets wrong most" if len(names) > _CLASSES else ""
    table = Table(title=which or None, title_justify="left", title_style="", caption_justify="left")
    table.add_column("recognised,\nby class", overflow="fold")
    for title in [*(row.title for row in scored), *([always.title] if always else [])]:
        table.add_column(escape(title), justify="right")
    for name in first:
        if name in kept:
            whole = [written(ACCURACY.name, row.by_class[name]) for row in scored]
            table.add_row(escape(name), *whole, *([_always(name == always.answer)] if always else []))
    table.add_section()
    for name in found.other_metrics:
        several = [row.metrics.get(name) for row in scored] + ([always.metrics.get(name)] if always else [])
        table.add_row(escape(title_of(name)), *(written(name, one) for one in several))
    return table


def _by_column(found: Results, by: ByColumn) -> Table:
    """A line a group: how many test inputs it has, and how often each method is wrong there."""
    table = Table(title=f"wrong on the test set, by {escape(by.column)}", title_justify="left", title_style="")
    table.add_column(escape(by.column), overflow="fold")
    table.add_column("inputs", justify="right")
    scored = [row for row in found.methods if row.name in by.methods]
    for row in scored:
        table.add_column(escape(row.title), justify="right")
    for place, (group, count) in enumerate(zip(by.groups, by.counts, strict=True)):
        table.add_row(escape(group), str(count), *(by.methods[row.name][place].shown for row in scored))
    return table


def _always(right: bool) -> str:
    return "100.0%" if right else "0.0%"


def _ladder(priced: Sequence[Guarantee]) -> Table:
    """Every accountant; which may be published, and which are shown as published only."""
    table = Table(
        caption=f"delta {given(priced[0].delta)}; neighbours: {neighbours([priced[0].relation])}",
        caption_justify="left",
    )
    table.add_column("accountant")
    table.add_column("epsilon", justify="right")
    for title in ("holds for", "use", "by"):
        table.add_column(title)
    for one in priced:
        table.add_row(one.accountant, one.shown, one.holds_for, one.use, one.theorem)
    return table


def _epsilon(row: MethodResult) -> str:
    if row.best:
        return row.best.shown
    return "unknown" if row.private else "infinite"


def _neighbours(methods: Sequence[MethodResult]) -> str:
    told = neighbours(row.best.relation for row in methods if row.best)
    return f"neighbours: {told}" if told else ""
