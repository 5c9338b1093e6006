"""The flow: which stages a configuration calls for, in order.

dataset -> private | public | test
private -> teachers -> votes | labels -> student        right of the bar: public inputs and noisy labels only
private ------------------------------> dpsgd           the baseline, same split, same epsilon
private ------------------------------> nonprivate      the upper bound
public -> basis; private -> consensus | student         one noisy sum, then public inputs and that sum only
all of them -> compare -> report                        what was chosen -> release: what leaves
"""

from collections.abc import Iterable, Iterator
from dataclasses import fields
from functools import cache

from pate.errors import ConfigError
from pate.ledger.ledger import Release
from pate.methods.method import Entry, Method, Unloadable, chosen
from pate.settings import Settings
from pate.workspace.plugins import plugin, plugins
from pate.workspace.stage import Pipeline, Stage

from .check import check
from .columns import columns
from .compare import compare_of
from .consensus import Consensus
from .data import data
from .dpsgd import DPSGD
from .encode import encode
from .features import features
from .fetch import fetch
from .nonprivate import NonPrivate
from .pate import PATE
from .report import report_of

OURS: tuple[Method, ...] = (PATE(), DPSGD(), Consensus(), NonPrivate())  # of this package, in the order they compare


@cache
def methods() -> dict[str, Method]:
    """All there are, by key: those of this package, then those of others."""
    ours = {one.key: one for one in OURS}
    return ours | {name: _of_others(name) for name in plugins("pate.methods") if name not in ours}


def _of_others(name: str) -> Method:
    """One that cannot be loaded is in the way of those runs alone that name it."""
    try:
        found = plugin("pate.methods", name)()
        if not isinstance(found, Method) or found.key != name:
            raise ConfigError(f"pate.methods: {name} is no Method with the key {name}")
        if found.own is not None and name in {one.name for one in fields(Settings)}:
            raise ConfigError(f"pate.methods: {name} is a setting already: choose another key")
        return found
    except Exception as error:  # whatever somebody's class does when it is built
        return Unloadable(error if isinstance(error, ConfigError) else ConfigError(f"pate.methods: {name}: {error}"))


def taking_part(settings: Settings) -> list[Method]:
    """The methods that were chosen and can be part of this run."""
    return [one for one in chosen(methods(), settings.methods) if not one.left_out(settings)]


def whose(stage: str, settings: Settings) -> list[Method]:
    """The methods of which it is a stage under these settings, or that have an answer to it, chosen or not."""
    there = [one for one in methods().values() if one.key in settings.methods or not isinstance(one, Unloadable)]
    own = {one.key: {stage.name for stage in one.stages(settings)} for one in there}
    return [one for one in there if stage in own[one.key] or one.answers(settings, stage)]


def answering(settings: Settings) -> list[str]:
    """Stages of other names that answer `stage=`, of methods that somebody named."""
    named = (one for one in taking_part(settings) if one.key in settings.named)
    return [stage for one in named for stage in one.answers(settings, settings.stage)]


def entries(settings: Settings) -> list[Entry]:
    """The rows of the comparison."""
    return [entry for method in taking_part(settings) for entry in method.entries(settings)]


def graph(settings: Settings) -> Pipeline:
    """The stages of this configuration; a note for each method that cannot be part of it."""
    notes = tuple(why for one in chosen(methods(), settings.methods) if (why := one.left_out(settings)))
    taken = taking_part(settings)
    stages = [stage for method in taken for stage in method.stages(settings)]
    published = releasing(settings)
    rows = {method.key: method.entries(settings) for method in taken}
    shown = [ref for method in taken for ref in method.evidence(settings)]
    first = next((entry for several in rows.values() for entry in several), None)
    return Pipeline(
        (
            *(fetch, check, data, columns, features, encode),
            *stages,
            *([published] if published else []),
            compare_of(rows, {ref for stage in stages for ref in stage.writes}, settings.report.by),
            report_of(shown, first, settings.dataset.is_table()),
        ),
        notes,
    )


def releasing(settings: Settings) -> Stage | None:
    """The stage that publishes the method that was named, or else the first that can be published."""
    taken = {one.key: one for one in taking_part(settings)}
    if settings.release.method is not None:
        method = chosen(methods(), [settings.release.method])[0]
        return method.release(settings) if method.key in taken else None
    return next((found for one in taken.values() if (found := one.release(settings))), None)


def refuse_release(settings: Settings) -> None:
    """A ConfigError that says why what was asked for must not leave, or cannot."""
    named = settings.release.method
    if named is not None:
        method = chosen(methods(), [named])[0]
        why = method.left_out(settings) or method.refused_release(settings)
        if named not in settings.methods:
            why = f"it is not among methods=[{','.join(settings.methods)}]"
        if why:
            raise ConfigError(f"release.method={named}: {why}")
    elif releasing(settings) is None:
        named_ones = chosen(methods(), settings.methods)
        reasons = (one.left_out(settings) or one.refused_release(settings) for one in named_ones)
        raise ConfigError(f"stage=release: {'; '.join(reasons)}")


def foreseen(settings: Settings, stages: Iterable[str]) -> Iterator[tuple[str, Release]]:
    """What each of these stages would release, as far as the configuration alone tells: all of it, if none is served
    again."""
    names = set(stages)
    for method in taking_part(settings):
        yield from method.foreseen(settings, names)


def targets(settings: Settings, alone: bool = True) -> list[str]:
    """What `stage=` asks for. Data that is not there is fetched first, and no label is used without being priced. A run
    that is not `alone` but a sweep's has no page of its own, unless it is asked for by name."""
    page = settings.stage == "report" or (settings.stage == "all" and alone)
    wanted = ["compare", "report"] if page else [{"all": "compare"}.get(settings.stage, settings.stage)]
    for method in taking_part(settings):
        wanted += method.answers(settings, settings.stage)
        if settings.stage != "release" or method.release(settings) is releasing(settings):
            wanted += method.along(settings, page)
    return ["fetch", *wanted] if settings.dataset.missing() else wanted


def checks(graph: Pipeline, wanted: Iterable[str]) -> list[str]:
    """What looks at the data before anything is trained or drawn, where data is read at all."""
    needed = {stage.name for stage in graph.needed(wanted)}
    return ["check"] if "data" in needed else []
