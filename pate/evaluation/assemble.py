"""Put together what a run made, as `Results`; a method that was not run is not there."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from pate.accounting.guarantee import KEPT
from pate.evaluation.by_column import ByColumn
from pate.evaluation.leads import Lead
from pate.evaluation.measure import Measure, measure
from pate.evaluation.results import Baseline, Calibration, Labelling, MethodResult, Planned, Results, StageResult
from pate.evaluation.scores import Score, Scores
from pate.ledger.summary import AccountTotal
from pate.methods.method import Entry, Made, Method
from pate.noise import SEEDED
from pate.release.withheld import withheld
from pate.settings import Settings
from pate.workspace.about import Record
from pate.workspace.runner import Runner
from pate.workspace.typed_json import from_json

_PACKAGES = (
    "pate-pipelines", "numpy", "scipy", "scikit-learn", "torch", "joblib", "hydra-core", "dp-accounting", "opendp",
)  # fmt: skip
SEVERAL_RUNS = "asked in several runs: a price for this data set holds only if all were fixed before the first answer"


def results(
    runner: Runner,
    methods: Sequence[Method],
    account: AccountTotal | None,
    overrides: Sequence[str] = (),
    flags: Sequence[str] = (),
    plan: Sequence[str] = (),
) -> Results:
    """What the methods of a run found; `account` is what the ledger says of its private data, `plan` what it would say
    after a whole run."""
    from pate.pipelines.artifacts import QUALITY, SCORES

    settings, records, made = runner.settings, runner.records, runner.made
    several = (*runner.graph.notes, *(SEVERAL_RUNS,) * runner.asked_in_several_runs("labels"))
    notes = list(dict.fromkeys(_notes(settings, records, several, methods, made)))
    why = withheld(notes)  # then no epsilon of the run is publishable
    scores, quality = made(SCORES) or Scores(), made(QUALITY)
    entries = [entry for method in methods for entry in method.entries(settings)]
    shown = [entry for entry in entries if any(made(ref) is not None for ref in entry.shown_by)]
    return Results(
        methods=[_method(entry, made, scores, records, why) for entry in shown],
        pate=_labelling(made, scores, why),
        measure=_measure(settings, scores),
        baseline=_baseline(scores),
        by=from_json(ByColumn, scores.by) if scores.by else None,
        quality=quality,
        tables=[table for method in methods for table in method.tables(settings, made)],
        plan=list(plan),
        ledger=account,
        stages={
            name: StageResult(
                key=record.key,
                seconds=round(record.seconds, 3),
                memory=record.memory,
                reused=record.reused,
                seeded=SEEDED in record.notes,
                summary=record.summary,
                crosses=bool(runner.graph.named(name).crosses),
            )
            for name, record in records.items()
        },
        published=next((record.published for record in records.values() if record.published), None),
        config=settings.plain,
        command=shlex.join(["pate", *flags, *overrides]),
        overrides=list(overrides),
        made_in=str(Path.cwd()),
        versions=versions(),
        notes=notes,
        warned=[warning for record in records.values() for warning in record.warnings],
        public_notes=list(dict.fromkeys(_public_notes(settings, records, several, methods, made))),
    )


def _method(entry: Entry, made: Made, scores: Scores, records: Mapping[str, Record], why: str) -> MethodResult:
    test, pool = _score(scores.test, entry.key), _score(scores.public, entry.key)
    return MethodResult(
        name=entry.key,
        title=entry.title,
        short=entry.short or entry.title,
        mark=entry.mark,
        colour=entry.colour,
        about=entry.about,
        private=entry.private,
        from_pool=entry.from_pool,
        from_labels=entry.from_labels,
        stage=entry.stages[-1] if entry.stages else "",
        kept=entry.kept,
        guarantees=[one.without(why or KEPT * entry.kept) for one in entry.guarantees(made)],
        metrics=test.metrics if test else {},
        public_metrics=pool.metrics if pool else {},
        standard_errors=scores.standard_errors.get(entry.key, {}),
        accuracy_of_views=test.accuracy_of_views if test else None,
        public_accuracy_of_views=pool.accuracy_of_views if pool else None,
        leads=_leads(scores.leads.get(entry.key, {})),
        confusion=test.confusion if test else None,
        by_class=_by_class(scores, test),
        public_by_class=_by_class(scores, pool),
        calibration=_calibration(test),
        public_calibration=_calibration(pool),
        details=entry.details(made),
        seconds=round(sum(records[name].seconds for name in entry.stages if name in records), 3),
    )


def _measure(settings: Settings, scores: Scores) -> Measure:
    compare = settings.compare
    told = scores.labelled, scores.labelling, scores.labelled_by
    return measure(compare.metric, compare.more, settings.dataset.shares, *told)


def _baseline(scores: Scores) -> Baseline | None:
    if not scores.baseline:
        return None
    return Baseline(**scores.baseline | {"leads": _leads(scores.baseline["leads"])})


def _leads(plain: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Lead]]:
    return {other: {name: Lead(**lead) for name, lead in by.items()} for other, by in plain.items()}


def _score(scores: Mapping[str, dict[str, Any]], name: str) -> Score | None:
    return Score(**scores[name]) if scores.get(name) else None


def _by_class(scores: Scores, one: Score | None) -> dict[str, float | None]:
    return dict(zip(scores.classes, one.by_class, strict=True)) if one else {}


def _calibration(one: Score | None) -> Calibration:
    return Calibration(one.confidence, one.right, one.share) if one else Calibration()


def _labelling(made: Made, scores: Scores, why: str) -> Labelling:
    """PATE's own figures, where it took part."""
    from pate.pipelines.artifacts import COSTS, LABELS, OWNERS_LABELS, PLAN

    labels, costs, plan = made(LABELS) or made(OWNERS_LABELS), made(COSTS), made(PLAN)
    planned = Planned(**asdict(plan)) if plan and plan.target_epsilon is not None else None
    kept = made(LABELS) is None and made(OWNERS_LABELS) is not None
    priced = [one.without(why or KEPT * kept) for one in costs or ()]
    return Labelling(
        teachers=int(labels.teachers) or None if labels else None,
        queries=costs.queries if costs else len(labels.index) if labels else None,
        answered=len(labels.index) if labels else None,
        label_accuracy=scores.label_accuracy,
        teacher_accuracy=scores.teacher_accuracy,
        plurality_accuracy=scores.plurality_accuracy,
        epsilon={one.accountant: one.epsilon for one in priced},
        accountants=priced,
        plan=planned,
    )


def _notes(
    settings: Settings,
    records: Mapping[str, Record],
    several: Iterable[str],
    methods: Sequence[Method],
    made: Made,
) -> Iterator[str]:
    from pate.pipelines.artifacts import LABELS, OWNERS_LABELS

    labels = made(LABELS) or made(OWNERS_LABELS)
    if settings.noise.seed is not None or (labels and labels.seeded):
        yield SEEDED  # first, whatever else there is to say
    yield from settings.warnings
    yield from several
    for record in records.values():
        yield from (*record.notes, *record.warnings)
    for method in methods:
        yield from method.notes(settings, made)
    yield from _noise_notes(settings, made)


def _noise_notes(settings: Settings, made: Made) -> Iterator[str]:
    from pate.pipelines.artifacts import COSTS

    if made(COSTS) and not settings.aggregator.exact_noise:
        yield "continuous vote noise is floating-point noise: for reproducing papers, not for a release"


def _public_notes(
    settings: Settings, records: Mapping[str, Record], several: Iterable[str], methods: Sequence[Method], made: Made
) -> Iterator[str]:
    """Those that may leave: what stages say of their artifacts, and never what the ledger warned the owner of."""
    yield from (*settings.warnings, *several)
    for record in records.values():
        yield from record.notes
    yield from _noise_notes(settings, made)


def versions() -> dict[str, str]:
    """What a run can be repeated with."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # run from a source tree that was never installed
            found[package] = "not installed"
    return found
