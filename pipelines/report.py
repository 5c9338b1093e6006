"""report: what the page shows beside scores. The page itself is drawn from results.json and this, when a run ends."""

from dataclasses import replace

from pate.aggregation.selection import Queries
from pate.aggregation.votes import Votes
from pate.data.split import Public, Test, Truth
from pate.evaluation.evidence import Evidence, confidence, gaps, mistakes
from pate.features.encoder import Encoded, Encoder
from pate.models.predictor import Predictor
from pate.workspace.runner import Run
from pate.workspace.stage import Ref, Stage, stage

from .artifacts import ENCODER, EVIDENCE, PUBLIC, TEST, TEST_FEATURES, TRUTH, VOTES


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
    student: Predictor | None = None,
) -> Evidence:
    found = Evidence()
    if votes is not None and queries is not None:
        aggregator = run.settings.aggregator
        found = replace(
            found,
            gaps=gaps(votes, queries.index, aggregator),
            confidence=confidence(votes, truth.public_y, aggregator)
            if len(votes.counts) == len(truth.public_y)
            else {},
        )
    if student is not None:
        rows = student.rows_at_hand(test.x, encoder, test_features.x)
        told, images = mistakes(student.model, rows, test.x, truth.test_y, list(public.classes))
        found = replace(found, mistakes=told, images=images)
    run.summary = "vote gaps, label accuracy by confidence, mistakes: the owner's"
    return found


def report_of(refs: list[Ref]) -> Stage:
    """The report of whatever this run makes; without votes nothing of it hangs on how these are answered."""
    return replace(report, reads=(*report.reads, *refs), config=report.config if VOTES in refs else ())
