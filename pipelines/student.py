"""student: learn from public inputs and noisy labels. No private artifact reaches this file."""

from pate.aggregation.labels import Labels
from pate.data.split import Public
from pate.errors import PateError
from pate.features.encoder import Encoded
from pate.model import Model
from pate.runner import Run
from pate.stage import stage

from .artifacts import LABELS, PUBLIC, PUBLIC_FEATURES, STUDENT


@stage(reads=[PUBLIC, PUBLIC_FEATURES, LABELS], writes=[STUDENT], config=["student", "seed"])
def student(run: Run, public: Public, public_features: Encoded, labels: Labels) -> Model:
    settings = run.settings
    if len(labels.index) == 0:
        raise PateError("no query reached the aggregator's threshold, though all were paid for: lower it, or ask more")
    features = public_features.x
    run.summary = f"{type(settings.student).__name__} on {len(features)} public inputs, {len(labels.index)} labelled"
    return settings.student.fit(features, labels.index, labels.label, len(public.classes), settings.seed)
