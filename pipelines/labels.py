"""labels: answer the student's queries by noisy vote. Here, and only here, votes leave the private side.

Every answer is in the ledger before it is drawn, and a query these votes have answered before is answered the same.
"""

from pathlib import Path

import numpy as np

from pate.accounting.cost import of_answers, of_these_answers
from pate.accounting.costs import relation
from pate.accounting.mechanism import NO_ANSWER
from pate.accounting.winning import wrong_if_unanimous
from pate.aggregation.active import ask_in_rounds, kept_rounds, round_sizes
from pate.aggregation.labels import Labels, read_labels
from pate.aggregation.selection import Queries
from pate.aggregation.votes import Votes
from pate.data.split import Public
from pate.features.encoder import Encoded
from pate.features.linear import LinearEncoder
from pate.ledger.ledger import Release
from pate.ledger.spending import Spending
from pate.noise import SEEDED, Noise, source
from pate.settings import Settings
from pate.students.student import Lesson
from pate.workspace.runner import Run
from pate.workspace.stage import stage

from .artifacts import LABELS, OWNERS_LABELS, PUBLIC, PUBLIC_FEATURES, QUERIES, VOTES
from .needs import PUBLIC_INPUTS

_SEES = {
    "delta": "it prices an answer in the ledger and is no part of it: the same labels serve every delta",
    "partition": "it made the partitions the votes are of, and is in what was declared to get to them",
}
ADAPTIVE = "queries were chosen from earlier answers: only an epsilon for every data set holds for them"


@stage(
    reads=[VOTES, QUERIES],
    writes=[LABELS],
    config=["aggregator", "noise"],
    sees=_SEES,
    needs=[PUBLIC_INPUTS],
    crosses="noisy argmax over teacher votes (Papernot et al. 2017)",
)
def labels(run: Run, votes: Votes, queries: Queries) -> Labels:
    return _drawn(run, votes, queries.index, run.spending)


@stage(
    name="labels",
    reads=[VOTES, QUERIES],
    writes=[OWNERS_LABELS],
    config=["aggregator", "noise"],
    sees=_SEES,
    needs=[PUBLIC_INPUTS],
)
def labels_kept(run: Run, votes: Votes, queries: Queries) -> Labels:
    """To be compared, and not released: they are the owner's, and not spent."""
    return _drawn(run, votes, queries.index, run.spending.kept())


def _drawn(run: Run, votes: Votes, asked: np.ndarray, spending: Spending) -> Labels:
    settings = run.settings
    noise = source(settings.noise.seed)
    answers = _answer(run, votes, asked, noise, spending, fixed=True)
    answered = answers != NO_ANSWER
    run.summary = f"{answered.sum()} of {len(asked)} queries answered by {settings.aggregator.describe()}"
    wrong = wrong_if_unanimous(settings.aggregator, votes.teachers, votes.counts.shape[1])
    mechanism = settings.aggregator.describe()
    return Labels(
        asked[answered],
        answers[answered],
        mechanism,
        np.array(noise.seeded),
        np.array(wrong),
        queries=np.array(len(asked)),
        teachers=np.array(votes.teachers),
    )


@stage(
    name="labels",
    reads=[PUBLIC, PUBLIC_FEATURES, VOTES],
    writes=[QUERIES, LABELS],
    config=["aggregator", "noise", "labels.queries", "labels.rounds", "labels.wrong", "student", "seed"],
    ignores=["student.views"],
    sees=_SEES,
    needs=[PUBLIC_INPUTS],
    crosses="noisy argmax over teacher votes, each round's queries chosen from earlier answers",
)
def labels_in_rounds(run: Run, public: Public, public_features: Encoded, votes: Votes) -> tuple[Queries, Labels]:
    settings, wanted, seed = run.settings, run.settings.labels, run.settings.noise.seed
    student, aggregator, classes = settings.student, settings.aggregator, len(public.classes)
    expected = wrong_if_unanimous(aggregator, votes.teachers, classes)
    rows = public_features.x if student.sees == "features" else LinearEncoder().transform(public.x)

    def answer(number: int, chosen: np.ndarray) -> np.ndarray:
        noise = source(None if seed is None else [seed, number])
        return _answer(run, votes, chosen, noise, run.spending, fixed=False)

    def believe(index: np.ndarray, label: np.ndarray) -> np.ndarray:
        wrong = expected if wanted.wrong is None else wanted.wrong
        lesson = Lesson(public.x, public_features.x, index, label, classes, wrong, settings.seed)
        return student.fit(lesson).proba(rows)

    pool, pieces = len(public.x), run.pieces
    sizes = round_sizes(wanted.queries, wanted.rounds)
    rounds = [answers_release(settings, votes.teachers, size) for size in sizes]
    run.spending.foresee(_source(run), rounds, len(kept_rounds(pieces)))
    asked, answers = ask_in_rounds(wanted.queries, wanted.rounds, pool, answer, believe, pieces, settings.seed)
    given = answers != NO_ANSWER
    run.summary = f"{given.sum()} of {len(asked)} queries answered in {wanted.rounds} rounds by {aggregator.describe()}"
    run.notes += (ADAPTIVE,)
    seeded = np.array(seed is not None)
    return Queries(asked), Labels(
        asked[given],
        answers[given],
        aggregator.describe(),
        seeded,
        np.array(expected),
        queries=np.array(len(asked)),
        teachers=np.array(votes.teachers),
    )


@stage(
    name="labels",
    reads=[PUBLIC],
    writes=[LABELS],
    sees={"labels.path": "the content of the file is in the key"},
    needs=[PUBLIC_INPUTS],
    files=lambda settings: [Path(settings.labels.path)],
)
def labels_from_file(run: Run, public: Public) -> Labels:
    read = read_labels(str(run.settings.labels.path), len(public.x), len(public.classes))
    run.summary = f"{len(read.index)} labels from a file"
    run.notes += (SEEDED,) * bool(read.seeded)
    return read


def _answer(run: Run, votes: Votes, asked: np.ndarray, noise: Noise, spending: Spending, fixed: bool) -> np.ndarray:
    """Reserve, then draw. `fixed` queries were chosen before any answer: only they have a price for this data set."""
    aggregator, counts = run.settings.aggregator, votes.counts
    return spending.answers(
        _source(run),
        asked,
        lambda new: answers_release(
            run.settings, votes.teachers, len(new), of_these_answers(aggregator, counts[new]) if fixed else None
        ),
        lambda new: aggregator.answer(counts[new], noise),
    )


def _source(run: Run) -> str:
    """Who answers: these votes, whatever was declared to get them, under this mechanism, for this account."""
    return run.source("votes", "aggregator")


def answers_release(
    settings: Settings, teachers: int, answers: int, dependent: list[list[float]] | None = None
) -> Release:
    return Release(
        kind="labels",
        mechanism=settings.aggregator.describe(),
        parameters=settings.aggregator.parameters() | {"answers": answers, "teachers": teachers},
        relation=relation(settings.partition.group_by),
        cost=of_answers(settings.aggregator, answers, teachers, settings.delta),
        dependent=dependent,
    )
