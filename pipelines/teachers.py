"""teachers: cut the private records into disjoint partitions and train one teacher on each."""

from pate.aggregation.votes import Predictions
from pate.data.partition import assign, assign_groups
from pate.data.split import Private, Public
from pate.features.encoder import Encoder
from pate.runner import Run
from pate.stage import stage
from pate.teachers.ensemble import train

from .artifacts import ENCODER, PREDICTIONS, PRIVATE, PUBLIC


@stage(reads=[PRIVATE, PUBLIC, ENCODER], writes=[PREDICTIONS], config=["teachers", "seed"])
def teachers(run: Run, private: Private, public: Public, encoder: Encoder) -> Predictions:
    settings = run.settings
    count, classes = settings.teachers.count, len(private.classes)
    if private.group is None:
        assignment = assign(len(private.y), count, settings.seed)
    else:
        assignment = assign_groups(private.group, count, settings.seed)
    predictions = train(
        settings.teachers,
        encoder.transform(private.x),
        private.y,
        assignment,
        encoder.transform(public.x),
        classes,
        seed=settings.seed,
        n_jobs=settings.n_jobs,
        pieces=run.pieces,
    )
    run.summary = f"{count} {type(settings.teachers).__name__.lower()} teachers, one partition each"
    return Predictions(predictions, classes)
