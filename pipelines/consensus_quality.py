"""consensus_quality: how many labels on the public pool would be right, at this epsilon and at others. For the owner;
draws nothing."""

from pate.accounting.guarantee import given
from pate.consensus.levels import levels
from pate.consensus.quality import ConsensusQuality, quality
from pate.data.split import Private, Truth
from pate.features.encoder import Encoded
from pate.release.chosen import Table
from pate.workspace.runner import Run
from pate.workspace.stage import stage

from .artifacts import CONSENSUS_QUALITY, PRIVATE, PRIVATE_FEATURES, PUBLIC_FEATURES, TRUTH
from .consensus_plan import PATES, asked
from .needs import PRIVATE_RECORDS, PUBLIC_INPUTS


@stage(
    reads=[TRUTH, PUBLIC_FEATURES, PRIVATE, PRIVATE_FEATURES],
    writes=[CONSENSUS_QUALITY],
    config=["consensus", "delta", "partition"],
    ignores=["consensus.student"],
    sees=dict.fromkeys(PATES, "PATE's epsilon, where it is asked for, is part of the key"),
    needs=[PUBLIC_INPUTS, PRIVATE_RECORDS],
    derived=asked,
)
def consensus_quality(
    run: Run, truth: Truth, public_features: Encoded, private: Private, private_features: Encoded
) -> ConsensusQuality:
    settings, classes, epsilon = run.settings, len(private.classes), asked(run.settings)
    run.facts = Table(accounts=(run.origin(PRIVATE.name)[1],), known=False).plain()
    chosen, group = settings.consensus, settings.partition.group_by
    basis, several = levels(chosen, public_features.x, classes, len(private.y), settings.delta, group, epsilon)
    found = quality(
        chosen,
        basis,
        several,
        public_features.x,
        truth.public_y,
        private_features.x,
        private.y,
        private.group,
        classes,
        epsilon,
        private.allowed,
    )
    share = found.right[found.own]
    told = f"right at epsilon {given(epsilon)}: {share or 0:.1%} of labels on the public pool, over simulated draws"
    unknown = "not known: public inputs have no true labels; a label column in the public file would score, never train"
    run.summary = f"{unknown if share is None else told}: the owner's"
    return found
