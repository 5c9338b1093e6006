"""teachers: cut the private records into disjoint partitions and train one teacher on each."""

from pate.aggregation.votes import Predictions
from pate.data.partition import assign, assign_groups
from pate.data.split import Private, Public
from pate.features.encoder import Encoded
from pate.runner import Run
from pate.stage import stage
from pate.teachers.ensemble import train

from .artifacts import PREDICTIONS, PRIVATE, PRIVATE_FEATURES, PUBLIC, PUBLIC_FEATURES


@stage(reads=[PRIVATE, PRIVATE_FEATURES, PUBLIC, PUBLIC_FEATURES], writes=[PREDICTIONS], config=["teachers", "seed"])
def teachers(
    run: Run, private: Private, private_features: Encoded, public: Public, public_features: Encoded
) -> Predictions:
    settings = run.settings
    count, classes = settings.teachers.count, len(private.classes)
    if private.group is None:
        assignment = assign(len(private.y), count, settings.seed)
    else:
        assignment = assign_groups(private.group, count, settings.seed)
    seen = (private.x, public.x) if settings.teachers.sees == "inputs" else (private_features.x, public_features.x)
    predictions = train(
        settings.teachers,
        seen[0],
        private.y,
        assignment,
        seen[1],
        classes,
        seed=settings.seed,
        n_jobs=settings.n_jobs,
        pieces=run.pieces,
    )
    run.summary = f"{count} {type(settings.teachers).__name__.lower()} teachers, one partition each"
    return Predictions(predictions, classes)
