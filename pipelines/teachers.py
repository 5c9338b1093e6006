"""teachers: cut the private records into disjoint partitions and train one teacher on each."""

import numpy as np

from pate.aggregation.votes import Predictions
from pate.data.partition import assign, assign_groups
from pate.data.split import Private, Public
from pate.features.encoder import Encoded
from pate.learning.class_weights import WEIGHED
from pate.settings import Settings
from pate.teachers.ensemble import train
from pate.workspace.runner import Run
from pate.workspace.stage import Effort, stage

from .artifacts import PREDICTIONS, PRIVATE, PRIVATE_FEATURES, PUBLIC, PUBLIC_FEATURES
from .needs import PRIVATE_RECORDS, PUBLIC_INPUTS, TEACHERS_OF_THIS_RUN, VOTES_OF_THIS_RUN

_CONFIG = ["teachers", "seed", "class_weights"]
_NEEDS = [PUBLIC_INPUTS, PRIVATE_RECORDS, VOTES_OF_THIS_RUN, TEACHERS_OF_THIS_RUN]


def _effort(settings: Settings) -> Effort:
    return Effort("teachers", settings.teachers, settings.dataset.sizes().private)


@stage(
    reads=[PRIVATE, PRIVATE_FEATURES, PUBLIC_FEATURES],
    writes=[PREDICTIONS],
    config=_CONFIG,
    needs=_NEEDS,
    effort=_effort,
)
def teachers(run: Run, private: Private, private_features: Encoded, public_features: Encoded) -> Predictions:
    return _train(run, private, private_features.x, public_features.x)


@stage(name="teachers", reads=[PRIVATE, PUBLIC], writes=[PREDICTIONS], config=_CONFIG, needs=_NEEDS, effort=_effort)
def teachers_on_inputs(run: Run, private: Private, public: Public) -> Predictions:
    """Teachers that see the inputs themselves: features may change without them."""
    return _train(run, private, private.x, public.x)


def _train(run: Run, private: Private, x: np.ndarray, public: np.ndarray) -> Predictions:
    settings = run.settings
    count, classes = settings.teachers.count, len(private.classes)
    if private.group is None:
        assignment = assign(len(private.y), count, settings.seed)
    else:
        assignment = assign_groups(private.group, count, settings.seed)
    predictions = train(
        settings.teachers, x, private.y, assignment, public, classes,
        seed=settings.seed, n_jobs=settings.n_jobs, pieces=run.pieces, weights=settings.class_weights,
    )  # fmt: skip
    run.notes += (WEIGHED,) * bool(settings.class_weights)
    run.summary = f"{count} {settings.teachers.name} teachers, one partition each"
    return Predictions(predictions, classes)
