"""columns: test rows as they were written, and the groups of the column to report by. Nothing learns from them."""

from pate.data.written import AsWritten, as_written
from pate.workspace.runner import Run
from pate.workspace.stage import stage

from .artifacts import AS_WRITTEN


@stage(
    writes=[AS_WRITTEN],
    config=["dataset", "partition", "report.by"],
    ignores=["dataset.delta", "dataset.path", "dataset.test_public", "dataset.priors", "dataset.keep"],
    files=lambda settings: settings.dataset.files(),
)
def columns(run: Run) -> AsWritten:
    dataset, partition, by = run.settings.dataset, run.settings.partition, run.settings.report.by
    aside = tuple(filter(None, (partition.group_by, partition.budget_by)))
    written = dataset.written(aside, by)
    found = as_written(written, by, dataset.kinds_declared().get(by or ""))
    run.summary = f"{len(found.names)} columns as written" + (f", {len(found.groups)} groups by {by}" if by else "")
    return found
