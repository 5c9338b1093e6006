"""report: what the page shows beside scores. The page itself is drawn from results.json and this, when a run ends."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pate.aggregation.selection import Queries
from pate.aggregation.votes import Votes
from pate.data.split import Public, Test, Truth
from pate.data.written import AsWritten
from pate.evaluation.evidence import Evidence, confidence, gaps, mistakes
from pate.features.encoder import Encoded, Encoder
from pate.methods.method import Entry
from pate.models.predictor import Predictor
from pate.workspace.runner import Run
from pate.workspace.stage import Ref, Stage, stage

from .artifacts import AS_WRITTEN, ENCODER, EVIDENCE, PUBLIC, STUDENT, TEST, TEST_FEATURES, TRUTH, VOTES


@stage(reads=[TRUTH, ENCODER, PUBLIC, TEST, TEST_FEATURES], writes=[EVIDENCE], config=["aggregator"])
def report(
    run: Run,
    truth: Truth,
    encoder: Encoder,
    public: Public,
    test: Test,
    test_features: Encoded,
    votes: Votes | None = None,
    queries: Queries | None = None,
    model: Predictor | None = None,
    whose: str = "",
    as_written: AsWritten | None = None,
) -> Evidence:
    """`model` is that of the first method, `whose` it is its key."""
    found = Evidence()
    if model is not None:
        rows = model.rows_at_hand(test.x, encoder, test_features.x)
        found = mistakes(model.model, rows, test.x, truth.test_y, public.classes, as_written, model.decision)
        found = replace(found, whose=whose)
    if votes is not None and queries is not None:
        aggregator = run.settings.aggregator
        found = replace(
            found,
            gaps=gaps(votes, queries.index, aggregator),
            confidence=confidence(votes, truth.public_y, aggregator)
            if len(votes.counts) == len(truth.public_y)
            else {},
        )
    run.summary = "vote gaps, label accuracy by confidence, mistakes: the owner's"
    return found


def report_of(refs: Sequence[Ref], first: Entry | None = None, table: bool = False) -> Stage:
    """The report of whatever this run makes, with the mistakes of its first method; without votes nothing of it hangs
    on how these are answered. Rows of a table are shown as they were written."""
    shown = [ref for ref in refs if ref != STUDENT]
    models = [first.model] if first else []

    def report_this(run: Run, **made: Any) -> Evidence:
        model = made.pop(first.model.name) if first else None
        return report.function(run, model=model, whose=first.key if first else "", **made)

    report_this.__module__ = report.function.__module__
    return replace(
        report,
        function=report_this,
        reads=(*report.reads, *shown, *models, *[AS_WRITTEN] * table),
        config=report.config if VOTES in refs else (),
    )
