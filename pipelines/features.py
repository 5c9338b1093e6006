"""features: fit the encoder on public inputs only, and encode them."""

from dataclasses import replace

from pate.data.split import Public
from pate.features.encoder import Encoded, Encoder
from pate.progress import progress
from pate.workspace.runner import Run
from pate.workspace.stage import Effort, stage

from .artifacts import ENCODER, PUBLIC, PUBLIC_FEATURES
from .needs import PUBLIC_INPUTS


@stage(
    reads=[PUBLIC],
    writes=[ENCODER, PUBLIC_FEATURES],
    config=["features"],
    needs=[PUBLIC_INPUTS],
    effort=lambda settings: Effort("features", settings.features, settings.dataset.sizes().public),
)
def features(run: Run, public: Public) -> tuple[Encoder, Encoded]:
    encoder = run.settings.features.fit(public.x)
    if public.x.size:
        encoder = replace(encoder, low=float(public.x.min()), high=float(public.x.max()))
    with progress("public inputs encoded", len(public.x)) as advance:
        encoded = Encoded(encoder.transform(public.x, advance))
    run.summary = f"{type(run.settings.features).__name__.lower()}, {encoded.x.shape[1]} features"
    return encoder, encoded
