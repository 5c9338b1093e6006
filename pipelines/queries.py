"""queries: choose which public inputs the student asks about. It sees public inputs only."""

from pathlib import Path

from pate.aggregation.selection import Queries, by_position, medoids
from pate.aggregation.votes import pool_of
from pate.features.encoder import Encoded
from pate.workspace.runner import Run
from pate.workspace.stage import stage

from .artifacts import PUBLIC_FEATURES, QUERIES
from .needs import PUBLIC_INPUTS, QUERIES_FIXED_IN_ADVANCE, VOTES_OF_THIS_RUN

_CONFIG = ["labels.queries", "labels.selection", "seed"]
_NEEDS = [QUERIES_FIXED_IN_ADVANCE, PUBLIC_INPUTS, VOTES_OF_THIS_RUN]


@stage(reads=[PUBLIC_FEATURES], writes=[QUERIES], config=_CONFIG, needs=_NEEDS)
def queries(run: Run, public_features: Encoded) -> Queries:
    settings, wanted = run.settings, run.settings.labels
    run.summary = f"{wanted.queries} of {len(public_features.x)} public inputs, {wanted.selection}"
    if wanted.selection == "medoids":
        return medoids(wanted.queries, public_features.x, settings.seed)
    return by_position(wanted.selection, wanted.queries, len(public_features.x), settings.seed)


@stage(
    name="queries",
    writes=[QUERIES],
    config=_CONFIG,
    sees={"votes.path": "the content of the file is in the key", "dataset": "counts alone tell the size of their pool"},
    needs=_NEEDS,
    files=lambda settings: [Path(settings.votes.path)],
)
def queries_by_position(run: Run) -> Queries:
    """Votes from a file bring their own pool, which need not be at hand; its size is all that is read of them."""
    settings, wanted = run.settings, run.settings.labels
    pool = pool_of(str(settings.votes.path), len(settings.dataset.class_names))
    run.summary = f"{wanted.queries} of {pool} voted on, {wanted.selection}"
    return by_position(wanted.selection, wanted.queries, pool, settings.seed)
