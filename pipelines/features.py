"""features: fit the encoder, on public inputs only."""

from pate.data.split import Public
from pate.features.encoder import Encoder
from pate.runner import Run
from pate.stage import stage

from .artifacts import ENCODER, PUBLIC


@stage(reads=[PUBLIC], writes=[ENCODER], config=["features"])
def features(run: Run, public: Public) -> Encoder:
    run.summary = type(run.settings.features).__name__
    return run.settings.features.fit(public.x)
