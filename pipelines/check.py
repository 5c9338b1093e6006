"""check: look at the data before anything is trained or drawn. What it finds is the owner's."""

from pate.data.examine import Examined, examine
from pate.workspace.runner import Run
from pate.workspace.stage import stage

from .artifacts import EXAMINED


@stage(
    writes=[EXAMINED],
    config=["dataset", "partition"],
    ignores=["dataset.delta", "dataset.path", "dataset.test_public", "dataset.priors"],
    files=lambda settings: settings.dataset.files(),
)
def check(run: Run) -> Examined:
    dataset, group_by = run.settings.dataset, run.settings.partition.group_by
    split = dataset.split(group_by)
    run.contents = split.contents
    found = examine(split, dataset.kinds_declared(), dataset.no_identifiers(), group_by)
    noticed = len(found.refusals) + len(found.warnings)
    run.summary = f"{len(found.columns)} columns, " * bool(found.columns) + f"{noticed or 'nothing'} to be said"
    return found
