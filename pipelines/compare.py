"""compare: score every method on the test set. It and `quality` alone see true labels of public inputs."""

from dataclasses import replace

from pate.aggregation.labels import Labels
from pate.aggregation.votes import Votes
from pate.data.split import Public, Test, Truth
from pate.evaluation.scores import Scores, accuracy, ahead, score
from pate.features.encoder import Encoded, Encoder
from pate.models.predictor import Predictor
from pate.workspace.runner import Run
from pate.workspace.stage import Ref, Stage, stage

from .artifacts import ENCODER, PUBLIC, PUBLIC_FEATURES, SCORES, TEST, TEST_FEATURES, TRUTH


@stage(reads=[TRUTH, ENCODER, PUBLIC, PUBLIC_FEATURES, TEST, TEST_FEATURES], writes=[SCORES])
def compare(
    run: Run,
    truth: Truth,
    encoder: Encoder,
    public: Public,
    public_features: Encoded,
    test: Test,
    test_features: Encoded,
    votes: Votes | None = None,
    labels: Labels | None = None,
    student: Predictor | None = None,
    dpsgd: Predictor | None = None,
    dpsgd_publishable: Predictor | None = None,
    nonprivate: Predictor | None = None,
) -> Scores:
    models = {"pate": student, "dpsgd": dpsgd, "dpsgd_publishable": dpsgd_publishable, "nonprivate": nonprivate}
    on_test, on_pool, answers = {}, {}, {}
    for name, model in models.items():
        if model is not None:
            rows = model.rows_at_hand(test.x, encoder, test_features.x)
            on_test[name], answers[name] = score(model.model, rows, truth.test_y)
            rows = model.rows_at_hand(public.x, encoder, public_features.x)
            on_pool[name], _ = score(model.model, rows, truth.public_y)
    shares = {name: found["accuracy"] for name, found in on_test.items() if found}
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


def compare_of(refs: list[Ref]) -> Stage:
    """The comparison of whatever this run makes."""
    return replace(compare, reads=(*compare.reads, *refs))
