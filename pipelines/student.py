"""student: learn from public inputs and noisy labels. No private artifact reaches this file."""

from pate.aggregation.labels import Labels
from pate.data.split import Public
from pate.errors import PateError
from pate.features.encoder import Encoded, Encoder
from pate.learning.checkpoint import Checkpoint
from pate.models.predictor import Predictor
from pate.students.student import Lesson
from pate.workspace.runner import Run
from pate.workspace.stage import Effort, stage

from .artifacts import ENCODER, LABELS, PUBLIC, PUBLIC_FEATURES, STUDENT
from .needs import PUBLIC_INPUTS


@stage(
    reads=[PUBLIC, ENCODER, PUBLIC_FEATURES, LABELS],
    writes=[STUDENT],
    config=["student", "labels.wrong", "seed"],
    needs=[PUBLIC_INPUTS],
    effort=lambda settings: Effort("student", settings.student, settings.dataset.sizes().public),
)
def student(run: Run, public: Public, encoder: Encoder, public_features: Encoded, labels: Labels) -> Predictor:
    settings = run.settings
    if len(labels.index) == 0:
        raise PateError("no query reached the aggregator's threshold, though all were paid for: lower it, or ask more")
    wrong = float(labels.wrong) if settings.labels.wrong is None else settings.labels.wrong
    lesson = Lesson(public.x, public_features.x, labels.index, labels.label, len(public.classes), wrong, settings.seed)
    model = settings.student.fit(lesson, Checkpoint(run.pieces))
    name = type(settings.student).__name__
    run.summary = f"{name} on {len(public.x)} public inputs, {len(labels.index)} labelled"
    return Predictor.of(model, settings.student.encoder(encoder), public)
