"""student: learn from public inputs and noisy labels. Nothing private but owner's noisy labels reaches this file."""

from pate.aggregation.labels import Labels
from pate.data.split import Public
from pate.errors import PateError
from pate.features.encoder import Encoded, Encoder
from pate.learning.checkpoint import Checkpoint
from pate.models.predictor import Predictor
from pate.settings import Settings
from pate.students.student import Lesson
from pate.workspace.runner import Run
from pate.workspace.stage import Effort, stage

from .artifacts import ENCODER, LABELS, OWNERS_LABELS, OWNERS_STUDENT, PUBLIC, PUBLIC_FEATURES, STUDENT
from .decision import decided
from .needs import PUBLIC_INPUTS

_CONFIG = ["student", "labels.wrong", "seed", "deciding"]


def _effort(settings: Settings) -> Effort:
    return Effort("student", settings.student, settings.dataset.sizes().public)


@stage(
    reads=[PUBLIC, ENCODER, PUBLIC_FEATURES, LABELS],
    writes=[STUDENT],
    config=_CONFIG,
    needs=[PUBLIC_INPUTS],
    effort=_effort,
)
def student(run: Run, public: Public, encoder: Encoder, public_features: Encoded, labels: Labels) -> Predictor:
    return _taught(run, public, encoder, public_features, labels)


@stage(
    name="student",
    reads=[PUBLIC, ENCODER, PUBLIC_FEATURES, OWNERS_LABELS],
    writes=[OWNERS_STUDENT],
    config=_CONFIG,
    needs=[PUBLIC_INPUTS],
    effort=_effort,
)
def student_kept(run: Run, public: Public, encoder: Encoder, public_features: Encoded, labels: Labels) -> Predictor:
    """Of labels that are the owner's; so is the student."""
    return _taught(run, public, encoder, public_features, labels)


def _taught(run: Run, public: Public, encoder: Encoder, public_features: Encoded, labels: Labels) -> Predictor:
    settings = run.settings
    if len(labels.index) == 0:
        raise PateError("no query reached the aggregator's threshold, though all were paid for: lower it, or ask more")
    wrong = float(labels.wrong) if settings.labels.wrong is None else settings.labels.wrong
    lesson = Lesson(public.x, public_features.x, labels.index, labels.label, len(public.classes), wrong, settings.seed)
    model = settings.student.fit(lesson, Checkpoint(run.pieces))
    name = type(settings.student).__name__
    run.summary = f"{name} on {len(public.x)} public inputs, {len(labels.index)} labelled"
    found = Predictor.of(model, settings.student.encoder(encoder), public)
    return decided(run, found, found.rows_at_hand(public.x, encoder, public_features.x))
