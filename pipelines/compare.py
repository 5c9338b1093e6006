"""compare: score every method on the test set. It and what tells quality alone see true labels of public inputs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from pate.data.split import Public, Test, Truth
from pate.data.written import AsWritten
from pate.evaluation.by_column import by_column
from pate.evaluation.metrics import metrics, modules
from pate.evaluation.scores import Scores, accuracy, compared, score
from pate.features.encoder import Encoded, Encoder
from pate.methods.method import Entry
from pate.models.decision import Decision
from pate.models.predictor import Predictor
from pate.release.chosen import Table
from pate.release.withheld import withheld
from pate.workspace.runner import Run
from pate.workspace.stage import Ref, Stage, code_version, stage

from .artifacts import (
    AS_WRITTEN,
    ENCODER,
    LABELS,
    OWNERS_LABELS,
    PUBLIC,
    PUBLIC_FEATURES,
    SCORES,
    TEST,
    TEST_FEATURES,
    TRUTH,
    VOTES,
)


def _scored_by(settings: Any) -> list[Any]:
    """The metrics that are installed and their code: no setting names them."""
    return [sorted(metrics()), code_version(compare, modules())]


@stage(
    reads=[TRUTH, ENCODER, PUBLIC, PUBLIC_FEATURES, TEST, TEST_FEATURES],
    writes=[SCORES],
    config=["compare"],
    ignores=["compare.metric", "compare.runs"],
    derived=_scored_by,
    sees=dict.fromkeys(
        ["methods", "release.method", "dataset.test_public"], "kept beside the scores, which they do not change"
    ),
)
def compare(
    run: Run,
    truth: Truth,
    encoder: Encoder,
    public: Public,
    public_features: Encoded,
    test: Test,
    test_features: Encoded,
    labelled_by: str = "",
    as_written: AsWritten | None = None,
    **made: Any,
) -> Scores:
    """`made` are the methods' models, and what else of theirs can be scored; `labelled_by` names the method of the
    noisy labels, or else one whose answers on public inputs were made of what was drawn to be released."""
    on_test: dict[str, Any] = {}
    on_pool: dict[str, Any] = {}
    beliefs, asked = {}, run.settings.compare.asked(public.classes)
    pool = np.empty(0, np.int64)
    votes, labels = made.pop(VOTES.name, None), made.pop(LABELS.name, None)
    models: dict[str, Predictor] = made
    for name, model in models.items():
        rows = model.rows_at_hand(test.x, encoder, test_features.x)
        found, beliefs[name] = score(model.model, rows, truth.test_y, asked, model.decision)
        on_test |= {name: asdict(found)} if found else {}
        rows = model.rows_at_hand(public.x, encoder, public_features.x)
        found, _ = score(model.model, rows, truth.public_y, asked, model.decision)
        on_pool |= {name: asdict(found)} if found else {}
        if name == labelled_by and not labels:
            pool = model.model.proba(rows).argmax(axis=1)
    decisions = {name: model.decision for name, model in models.items() if model.decision}
    shares = {name: found["metrics"]["accuracy"] for name, found in on_test.items()}
    run.summary = ", ".join(f"{name} {share:.1%}" for name, share in shares.items())
    return Scores(
        classes=public.classes,
        test=on_test,
        public=on_pool,
        by=_by_column(as_written, beliefs, truth.test_y, decisions),
        **compared(beliefs, truth.test_y, public.classes, asked, decisions),
        **_labelled(labels.label if labels else pool, public.classes, "noisy labels" if labels else "released beliefs"),
        labelled_by=labelled_by,
        label_accuracy=accuracy(labels.label, truth.public_y[labels.index]) if labels else None,
        teacher_accuracy=accuracy(votes.predictions, truth.public_y)
        if votes and votes.predictions is not None
        else None,
        plurality_accuracy=accuracy(votes.counts.argmax(axis=1), truth.public_y) if votes else None,
    )


def _by_column(
    written: AsWritten | None, beliefs: Mapping[str, np.ndarray], truth: np.ndarray, decisions: Mapping[str, Decision]
) -> dict[str, Any]:
    """Nothing where no column was asked about, or no label is known."""
    if written is None or not written.by or not (truth >= 0).any():
        return {}
    answers = {name: (decisions.get(name) or Decision()).answers(belief) for name, belief in beliefs.items()}
    return asdict(by_column(written.by, written.groups, written.group, truth, answers))


def _labelled(answers: np.ndarray, classes: Sequence[str], what: str) -> dict[str, Any]:
    """How common each class is among noisy answers: no true label is looked at."""
    if not len(answers):
        return {}
    shares = np.bincount(answers, minlength=len(classes)) / len(answers)
    return {"labelled": dict(zip(classes, shares.tolist(), strict=True)), "labelling": f"the {what}"}


def compare_of(entries: Mapping[str, Sequence[Entry]], there: Collection[Ref], by: str | None = None) -> Stage:
    """The comparison of whatever this run makes, by method, and by a column's groups if one is named; models are handed
    over under their keys."""
    rows = [entry for several in entries.values() for entry in several]
    models = {entry.model.name: entry.key for entry in rows}
    labelled = any(ref in there for ref in (LABELS, OWNERS_LABELS))
    by_labels = (one.key for one in rows if one.from_labels)
    by_sums = (one.key for one in rows if one.from_pool and one.private and not one.kept)
    labelled_by = next(by_labels if labelled else by_sums, "")
    refs = [entry.model for entry in rows] + [ref for ref in (VOTES, LABELS, OWNERS_LABELS) if ref in there]
    refs += [AS_WRITTEN] * (by is not None)

    def compare_these(run: Run, **made: Any) -> Scores:
        run.facts = _shown(run, entries).plain()
        named = {models.get(name, name): one for name, one in made.items()}
        return compare.function(run, labelled_by=labelled_by, **named)

    compare_these.__module__ = compare.function.__module__
    return replace(compare, function=compare_these, reads=(*compare.reads, *refs))


def _shown(run: Run, entries: Mapping[str, Sequence[Entry]]) -> Table:
    """Of which models scores are about to be seen, for the card of one that leaves: see `pate.release.chosen`."""
    private = {method: [one for one in several if one.private] for method, several in entries.items()}
    rows = {run.origin(one.model.name): method for method, several in private.items() for one in several}
    methods = sorted(set(rows.values()))
    shown = [one for several in private.values() for one in several]
    found = Table(
        models={artifact: method for (artifact, _), method in rows.items()},
        accounts=tuple(sorted({account for _, account in rows})),
        fixed=run.settings.release.method or (methods[0] if len(methods) == 1 else ""),
        released=not withheld(run.inherited) and all(one.priced and not one.kept for one in shown),
        public=run.settings.dataset.test_public,
    )
    return found.after(Table.of(about.get("facts")) for about in run.told("compare"))
