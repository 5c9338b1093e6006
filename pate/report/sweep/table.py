"""A sweep as a table in the terminal: a line for runs that differ in their seeds only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from rich.markup import escape
from rich.table import Table

from pate.accounting.guarantee import given, neighbours, shown
from pate.evaluation.measure import ACCURACY, Measure
from pate.evaluation.results import StageResult
from pate.report.sweep.jobs import SEEDS, Group, Job, Mean, groups, looks, swept
from pate.report.terminal import page

_SHARES: dict[str, tuple[str, ...]] = {  # column of the table: where it is found, best first
    "one teacher": ("quality_teacher_accuracy", "pate_teacher_accuracy"),
    "plurality": ("quality_plurality_accuracy", "pate_plurality_accuracy"),
    "labels": ("quality_pool_accuracy", "pate_label_accuracy"),
}


def _shares(found: Sequence[Group], measure: Measure) -> dict[str, tuple[str, ...]]:
    """What is a share of right answers: of teachers and labels, then of every method's model, after its score by the
    measure if that is another."""
    other = [(f"test, {measure.title}", measure.name)] * (measure.name != ACCURACY.name)
    models: dict[str, tuple[str, ...]] = {
        f"{look.title}\n{where}": (f"{name}_{key}",)
        for name, look in looks(job for group in found for job in group.jobs).items()
        for where, key in (
            *other,
            ("test", "accuracy"),
            ("test, views", "accuracy_of_views"),
            ("pool", "public_accuracy"),
            ("pool, views", "public_accuracy_of_views"),
        )
        if where.startswith("test") or look.from_pool
    }
    return _SHARES | models


def print_sweep(
    jobs: Sequence[Job], heading: str = "", releases: Sequence[str] = (), measure: Measure = ACCURACY
) -> None:
    """One table, then all that its epsilons are never without, then what the jobs had to note.

    `releases` is what the ledger says of them; without, it is what their results tell.
    """
    found, finished = groups(jobs), [job for job in jobs if job.results is not None]
    table = _table(jobs, found, measure)
    console = page(table)
    common = [f"{key}={value}" for key, value in jobs[0].overrides.items() if key not in swept(jobs)]
    console.print(heading or " ".join(["sweep:", *common]), soft_wrap=True, markup=False)
    console.print(table)
    lines = [*_explained(found, measure), *_undrawn(finished), *(releases or _draws(finished))]
    for note, count in Counter(note for job in finished for note in job.notes).items():
        some = "" if count == len(finished) else f" ({count} of {len(finished)} jobs)"
        lines.append(f"note{some}: {note}")
    for line in lines:
        console.print(line, soft_wrap=True, markup=False)


def _table(jobs: Sequence[Job], found: list[Group], measure: Measure) -> Table:
    choices = [key for key in swept(jobs) if key not in SEEDS]
    columns = {key: [group.choices.get(key, "-") for group in found] for key in choices}
    columns["runs"] = [str(len(group.jobs)) for group in found]
    for title, keys in _shares(found, measure).items():
        expected = title == "labels" and all(group.known(keys[0]) for group in found)
        by = measure if keys[0].endswith(f"_{measure.name}") else ACCURACY
        columns[f"{title}\nexpected" if expected else title] = [_share(group.mean(keys), group, by) for group in found]
    for name, look in looks(job for group in found for job in group.jobs).items():
        columns |= _priced(name, look.title, found)
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


def _explained(found: list[Group], measure: Measure) -> Iterable[str]:
    means = [share for group in found for keys in _shares(found, measure).values() if (share := group.mean(keys))]
    if means:
        yield "%: right answers; of teachers and labels on public inputs, of models (test) on test inputs"
    yield f"models are compared by {measure.title}: {measure.why}"
    if any(one.error is not None for one in means):
        yield "±: standard error of the mean over the runs of a line, which differ in their seeds only"
    for name, look in looks(job for group in found for job in group.jobs).items():
        if not any(group.known(f"{name}_epsilon") for group in found):
            continue
        rows = [row for group in found for job in group.jobs for row in job.methods if row.name == name]
        facts = [", ".join(dict.fromkeys(row.best.use for row in rows if row.best))]
        for key, words in (("guarantee", "holds for {}"), ("delta", "delta {}")):
            if (value := _common(found, f"{name}_{key}")) is not None:
                facts.append(words.format(value))
        if _common(found, f"{name}_relation") is not None:
            facts.append(f"neighbours: {neighbours(row.best.relation for row in rows if row.best)}")
        if _publication(name, found) == "beside":
            facts.append("the publishable one holds for every data set, with the same delta and neighbours")
        yield f"{look.title} epsilon: {'; '.join(facts)}"


def _publication(name: str, found: list[Group]) -> str:
    """Whether a method's epsilons may leave: none of them, they themselves, or others that stand beside them."""
    own = [job.figures.get(f"{name}_epsilon") for group in found for job in group.jobs]
    public = [job.figures.get(f"{name}_epsilon_publishable") for group in found for job in group.jobs]
    return "same" if own == public else "beside" if any(value is not None for value in public) else "none"


def _undrawn(finished: Sequence[Job]) -> Iterable[str]:
    for name, look in looks(finished).items():
        priced = [job for job in finished if look.from_labels and f"{name}_epsilon" in job.figures]
        if undrawn := [job for job in priced if "labels" not in job.stages]:
            many = f"{len(undrawn)} of {len(finished)} jobs drew no labels"
            yield f"{many}: {look.short}'s epsilon is what drawing them would cost"


def _draws(finished: Sequence[Job]) -> Iterable[str]:
    """What is served again costs nothing; what is drawn again, or drawn for another setting, is another release."""
    for data in dict.fromkeys(job.private_data for job in finished):
        same = [job for job in finished if job.private_data == data]
        crossing = dict.fromkeys(name for job in same for name, stage in job.stages.items() if stage.crosses)
        drawn = {name: _drawn([job.stages[name] for job in same if name in job.stages]) for name in crossing}
        told = [f"{count} draws of {name}" for name, count in drawn.items() if count > 1]
        if told:
            yield f"{' and '.join(told)} from the same private data: each is a release, and their prices add up"


def _drawn(stages: Sequence[StageResult]) -> int:
    releases = [stage for stage in stages if stage.crosses]
    fresh = [stage.key for stage in releases if not stage.reused]
    return len(fresh) + len({stage.key for stage in releases} - set(fresh))


def _share(share: Mean | None, group: Group, measure: Measure) -> str:
    if share is None:
        return "-"
    known = measure.shown(share.value, share.error, digits=2)
    return known + (f" (of {share.runs})" if share.runs < len(group.jobs) else "")


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
    return given(value) if isinstance(value, float) else str(value)
