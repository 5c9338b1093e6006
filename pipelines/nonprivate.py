"""nonprivate: the student's own learner, given all private records with their true labels. Never released."""

from collections.abc import Iterator

import numpy as np

from pate.data.split import Private
from pate.evaluation.verdict import NOTHING_PRIVATE
from pate.features.encoder import Encoded, Encoder
from pate.learning.checkpoint import Checkpoint
from pate.methods.method import Entry, Made, Method
from pate.models.predictor import Predictor
from pate.settings import Settings
from pate.students.student import Lesson
from pate.workspace.runner import Run
from pate.workspace.stage import Effort, Stage, stage

from .artifacts import ENCODER, NONPRIVATE, PRIVATE, PRIVATE_FEATURES
from .decision import decided
from .needs import PATE, PRIVATE_RECORDS, a_student_learns, images_for


@stage(
    reads=[PRIVATE, ENCODER, PRIVATE_FEATURES],
    writes=[NONPRIVATE],
    config=["student", "seed", "deciding"],
    needs=[PRIVATE_RECORDS],
    effort=lambda settings: Effort("student", settings.student, settings.dataset.sizes().private),
)
def nonprivate(run: Run, private: Private, encoder: Encoder, private_features: Encoded) -> Predictor:
    settings = run.settings
    everything = np.arange(len(private.y))
    lesson = Lesson(
        private.x, private_features.x, everything, private.y, len(private.classes), seed=settings.seed, true=True
    )
    model = settings.student.fit(lesson, Checkpoint(run.pieces))
    run.summary = f"{type(settings.student).__name__} on all {len(private.y)} private records and their true labels"
    found = Predictor.of(model, settings.student.encoder(encoder), private)
    rows = found.rows_at_hand(private.x, encoder, private_features.x)
    return decided(run, found, rows, "the private records")


class NonPrivate(Method):
    """What privacy costs: the student's bound, and nobody else's. It promises nothing and never leaves."""

    key = "nonprivate"
    keeps_budgets = True  # it is the owner's, and spends nothing

    def left_out(self, settings: Settings) -> str:
        return "" if settings.has_private else "no private records: the non-private bound is left out"

    def stages(self, settings: Settings) -> list[Stage]:
        return [nonprivate]

    def check(self, settings: Settings) -> None:
        images_for("student", settings)

    def entries(self, settings: Settings) -> list[Entry]:
        model = type(settings.student).__name__
        bound = Entry(
            key=self.key,
            title="non-private bound",
            short="without privacy",
            model=NONPRIVATE,
            shown_by=(NONPRIVATE,),
            about=f"the student ({model}), taught by all private records and their true labels",
            colour="bound",
            private=False,
            stages=("features", "encode", "nonprivate"),
        )
        return [bound] * (a_student_learns(settings) or _alone(settings))

    def notes(self, settings: Settings, made: Made) -> Iterator[str]:
        if _alone(settings):
            yield NOTHING_PRIVATE
        elif not a_student_learns(settings):
            yield "no student learns in this run: there is none for the non-private bound to bound"


def _alone(settings: Settings) -> bool:
    """Beside models of other learners than the student it bounds nothing; without any it is what was asked for."""
    return not a_student_learns(settings) and set(settings.methods) <= {PATE, NonPrivate.key}
