"""votes: count what the teachers answered on each public input, or take the counts from a file."""

from pathlib import Path

from pate.accounting.counts import tally
from pate.aggregation.votes import Predictions, Votes, read_votes
from pate.ledger.account import of_file
from pate.settings import Settings
from pate.workspace.runner import Run
from pate.workspace.stage import stage

from .artifacts import PREDICTIONS, VOTES
from .needs import PUBLIC_INPUTS, VOTES_OF_THIS_RUN

_NEEDS = [PUBLIC_INPUTS, VOTES_OF_THIS_RUN]


@stage(reads=[PREDICTIONS], writes=[VOTES], needs=_NEEDS)
def votes(run: Run, predictions: Predictions) -> Votes:
    counted = Votes(tally(predictions.predictions, predictions.classes), predictions.predictions)
    run.summary = f"{counted.teachers} votes on each of {len(counted.counts)} public inputs"
    return counted


def _classes(settings: Settings) -> int:
    """How many the data set declares: what `predictions` without `classes` of their own choose among."""
    return len(settings.dataset.class_names)


@stage(
    name="votes",
    writes=[VOTES],
    sees={"votes.path": "the content of the file is in the key", "dataset": "the number of its classes is, as derived"},
    needs=_NEEDS,
    files=lambda settings: [Path(settings.votes.path)],
    derived=_classes,
    account=lambda settings: of_file(settings.votes.path),
)
def votes_from_file(run: Run) -> Votes:
    read = read_votes(str(run.settings.votes.path), _classes(run.settings))
    run.summary = f"{read.teachers} votes on each of {len(read.counts)} public inputs, from a file"
    run.contents = (read.content(),)
    return read
