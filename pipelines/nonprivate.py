"""nonprivate: the student's own learner, given all private records with their true labels. Never released."""

import numpy as np

from pate.data.split import Private
from pate.features.encoder import Encoded
from pate.model import Model
from pate.runner import Run
from pate.stage import stage

from .artifacts import NONPRIVATE, PRIVATE, PRIVATE_FEATURES


@stage(reads=[PRIVATE, PRIVATE_FEATURES], writes=[NONPRIVATE], config=["student", "seed"])
def nonprivate(run: Run, private: Private, private_features: Encoded) -> Model:
    settings = run.settings
    run.summary = f"{type(settings.student).__name__} on all {len(private.y)} private records and their true labels"
    everything = np.arange(len(private.y))
    return settings.student.fit(private_features.x, everything, private.y, len(private.classes), settings.seed)
