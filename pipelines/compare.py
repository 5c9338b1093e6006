"""compare: score every method on the test set. It and what tells quality alone see true labels of public inputs."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, replace
from typing import Any

from pate.data.split import Public, Test, Truth
from pate.evaluation.metrics import metrics, modules
from pate.evaluation.scores import Scores, accuracy, ahead, score
from pate.features.encoder import Encoded, Encoder
from pate.methods.method import Entry
from pate.models.predictor import Predictor
from pate.workspace.runner import Run
from pate.workspace.stage import Ref, Stage, code_version, stage

from .artifacts import ENCODER, LABELS, PUBLIC, PUBLIC_FEATURES, SCORES, TEST, TEST_FEATURES, TRUTH, VOTES


def _scored_by(settings: Any) -> list[Any]:
    """The metrics that are installed and their code: no setting names them."""
    return [sorted(metrics()), code_version(compare, modules())]


@stage(
    reads=[TRUTH, ENCODER, PUBLIC, PUBLIC_FEATURES, TEST, TEST_FEATURES],
    writes=[SCORES],
    derived=_scored_by,
)
def compare(
    run: Run,
    truth: Truth,
    encoder: Encoder,
    public: Public,
    public_features: Encoded,
    test: Test,
    test_features: Encoded,
    **made: Any,
) -> Scores:
    """`made` are the methods' models, and what else of theirs can be scored."""
    on_test: dict[str, Any] = {}
    on_pool: dict[str, Any] = {}
    answers = {}
    votes, labels = made.pop(VOTES.name, None), made.pop(LABELS.name, None)
    models: dict[str, Predictor] = made
    for name, model in models.items():
        rows = model.rows_at_hand(test.x, encoder, test_features.x)
        found, answers[name] = score(model.model, rows, truth.test_y)
        on_test |= {name: asdict(found)} if found else {}
        found, _ = score(model.model, model.rows_at_hand(public.x, encoder, public_features.x), truth.public_y)
        on_pool |= {name: asdict(found)} if found else {}
    shares = {name: found["metrics"]["accuracy"] for name, found in on_test.items()}
    run.summary = ", ".join(f"{name} {share:.1%}" for name, share in shares.items())
    return Scores(
        classes=public.classes,
        test=on_test,
        public=on_pool,
        ahead=ahead(answers, truth.test_y),
        label_accuracy=accuracy(labels.label, truth.public_y[labels.index]) if labels else None,
        teacher_accuracy=accuracy(votes.predictions, truth.public_y)
        if votes and votes.predictions is not None
        else None,
        plurality_accuracy=accuracy(votes.counts.argmax(axis=1), truth.public_y) if votes else None,
    )


def compare_of(entries: Sequence[Entry], there: Collection[Ref]) -> Stage:
    """The comparison of whatever this run makes; models are handed over under their keys."""
    models = {entry.model.name: entry.key for entry in entries}
    refs = [entry.model for entry in entries] + [ref for ref in (VOTES, LABELS) if ref in there]

    def compare_these(run: Run, **made: Any) -> Scores:
        return compare.function(run, **{models.get(name, name): one for name, one in made.items()})

    compare_these.__module__ = compare.function.__module__
    return replace(compare, function=compare_these, reads=(*compare.reads, *refs))
