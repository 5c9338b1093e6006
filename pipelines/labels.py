"""labels: answer the student's queries by noisy vote. Here, and only here, votes leave the private side."""

from pathlib import Path

import numpy as np

from pate.accounting.winning import wrong_if_unanimous
from pate.aggregation.confident_gnmax import NO_ANSWER
from pate.aggregation.labels import Labels, read_labels
from pate.aggregation.selection import Queries
from pate.aggregation.votes import Votes
from pate.data.split import Public
from pate.noise import SEEDED, source
from pate.runner import Run
from pate.stage import stage

from .artifacts import LABELS, PUBLIC, QUERIES, VOTES


@stage(
    reads=[VOTES, QUERIES],
    writes=[LABELS],
    config=["aggregator", "noise"],
    crosses="noisy argmax over teacher votes (Papernot et al. 2017)",
)
def labels(run: Run, votes: Votes, queries: Queries) -> Labels:
    settings, asked = run.settings, queries.index
    noise = source(settings.noise.seed)
    answers = settings.aggregator.answer(votes.counts[asked], noise)
    answered = answers != NO_ANSWER
    run.summary = f"{answered.sum()} of {len(asked)} queries answered by {settings.aggregator.describe()}"
    run.notes += (SEEDED,) * noise.seeded
    wrong = wrong_if_unanimous(settings.aggregator, votes.teachers, votes.counts.shape[1])
    mechanism = settings.aggregator.describe()
    return Labels(asked[answered], answers[answered], mechanism, np.array(noise.seeded), wrong)


@stage(name="labels", reads=[PUBLIC], writes=[LABELS], files=lambda settings: [Path(settings.labels.path)])
def labels_from_file(run: Run, public: Public) -> Labels:
    read = read_labels(str(run.settings.labels.path), len(public.x), len(public.classes))
    run.summary = f"{len(read.index)} labels from a file"
    run.notes += (SEEDED,) * bool(read.seeded)
    return read
