"""data: split the records by position into private, public and test."""

from pate.data.split import Private, Public, Test, Truth
from pate.ledger.account import of_records
from pate.workspace.runner import Run
from pate.workspace.stage import stage

from .artifacts import PRIVATE, PUBLIC, TEST, TRUTH


@stage(
    writes=[PRIVATE, PUBLIC, TEST, TRUTH],
    config=["dataset", "partition"],
    ignores=["dataset.delta", "dataset.path", "dataset.test_public", "dataset.priors", "dataset.keep"],
    files=lambda settings: settings.dataset.files(),
    account=lambda settings: of_records(settings.dataset),
)
def data(run: Run) -> tuple[Private, Public, Test, Truth]:
    split = run.settings.dataset.load(run.settings.partition.group_by, run.settings.partition.allowed)
    sides = f"{len(split.private.y)} private, {len(split.public.x)} public, {len(split.truth.test_y)} test"
    run.summary = f"{run.settings.dataset.name}: {sides}, {len(split.public.classes)} classes"
    run.notes += split.notes
    run.contents = split.contents
    return split.private, split.public, split.test, split.truth
