"""votes: count what the teachers answered on each public input, or take the counts from a file."""

from pathlib import Path

from pate.accounts import of_file
from pate.aggregation.votes import Predictions, Votes, read_votes, tally
from pate.runner import Run
from pate.stage import stage

from .artifacts import PREDICTIONS, VOTES


@stage(reads=[PREDICTIONS], writes=[VOTES])
def votes(run: Run, predictions: Predictions) -> Votes:
    counted = Votes(tally(predictions.predictions, predictions.classes), predictions.predictions)
    run.summary = f"{counted.teachers} votes on each of {len(counted.counts)} public inputs"
    return counted


@stage(
    name="votes",
    writes=[VOTES],
    files=lambda settings: [Path(settings.votes.path)],
    account=lambda settings: of_file(settings.votes.path),
)
def votes_from_file(run: Run) -> Votes:
    read = read_votes(str(run.settings.votes.path), len(run.settings.dataset.class_names))
    run.summary = f"{read.teachers} votes on each of {len(read.counts)} public inputs, from a file"
    run.content = read.content()
    return read
