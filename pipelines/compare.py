"""compare: score every method on the test set. It and `quality` alone see true labels of public inputs."""

from dataclasses import replace

from pate.aggregation.labels import Labels
from pate.aggregation.votes import Votes
from pate.data.split import Truth
from pate.features.encoder import Encoded
from pate.model import Model
from pate.report.scores import Scores, accuracy, standard_error
from pate.runner import Run
from pate.stage import Ref, Stage, stage

from .artifacts import PUBLIC_FEATURES, SCORES, TEST_FEATURES, TRUTH


@stage(reads=[TRUTH, PUBLIC_FEATURES, TEST_FEATURES], writes=[SCORES])
def compare(
    run: Run,
    truth: Truth,
    public_features: Encoded,
    test_features: Encoded,
    votes: Votes | None = None,
    labels: Labels | None = None,
    student: Model | None = None,
    dpsgd: Model | None = None,
    nonprivate: Model | None = None,
) -> Scores:
    models = {"pate": student, "dpsgd": dpsgd, "nonprivate": nonprivate}
    test, pool = test_features.x, public_features.x
    on_test = {name: accuracy(model.predict(test), truth.test_y) for name, model in models.items() if model}
    on_pool = {name: accuracy(model.predict(pool), truth.public_y) for name, model in models.items() if model}
    run.summary = ", ".join(f"{name} {share:.1%}" for name, share in on_test.items() if share is not None)
    return Scores(
        accuracy=on_test,
        standard_error={name: standard_error(share, len(test)) for name, share in on_test.items()},
        public_accuracy=on_pool,
        label_accuracy=accuracy(labels.label, truth.public_y[labels.index]) if labels else None,
        teacher_accuracy=accuracy(votes.predictions, truth.public_y)
        if votes and votes.predictions is not None
        else None,
        plurality_accuracy=accuracy(votes.counts.argmax(axis=1), truth.public_y) if votes else None,
    )


def compare_of(refs: list[Ref]) -> Stage:
    """The comparison of whatever this run makes."""
    return replace(compare, reads=(*compare.reads, *refs))
