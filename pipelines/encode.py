"""encode: what the encoder makes of the private records and the test inputs, each alone; stays on the private side."""

from pate.data.split import Private, Test
from pate.features.encoder import Encoded, Encoder
from pate.progress import progress
from pate.settings import Settings
from pate.workspace.runner import Run
from pate.workspace.stage import Effort, stage

from .artifacts import ENCODER, PRIVATE, PRIVATE_FEATURES, TEST, TEST_FEATURES


def _effort(settings: Settings) -> Effort:
    sizes = settings.dataset.sizes()
    return Effort("features", settings.features, sizes.private + sizes.test)


@stage(reads=[PRIVATE, TEST, ENCODER], writes=[PRIVATE_FEATURES, TEST_FEATURES], effort=_effort)
def encode(run: Run, private: Private, test: Test, encoder: Encoder) -> tuple[Encoded, Encoded]:
    records = len(private.x) + len(test.x)
    with progress("records encoded", records) as advance:
        sides = [Encoded(encoder.transform(x, advance)) for x in (private.x, test.x)]
    run.summary = f"{len(private.x)} private records, {len(test.x)} test inputs"
    return sides[0], sides[1]
