"""shift: whether the public pool stands for the private records. For the owner, before anything is drawn."""

from pate.consensus.shift import Shift
from pate.consensus.shift import shift as compared
from pate.features.encoder import Encoded
from pate.workspace.runner import Run
from pate.workspace.stage import stage

from .artifacts import PRIVATE_FEATURES, PUBLIC_FEATURES, SHIFT
from .needs import PRIVATE_RECORDS, PUBLIC_INPUTS


@stage(reads=[PUBLIC_FEATURES, PRIVATE_FEATURES], writes=[SHIFT], needs=[PUBLIC_INPUTS, PRIVATE_RECORDS])
def shift(run: Run, public_features: Encoded, private_features: Encoded) -> Shift:
    found = compared(private_features.x, public_features.x)
    run.summary = found.describe()
    return found
