"""The report stage: what the page shows beside scores, from whatever this run made."""

import numpy as np
from pate.pipelines.artifacts import EVIDENCE, PUBLIC, QUERIES, STUDENT, TEST_FEATURES, TRUTH, VOTES
from pate.pipelines.report import report_of


def test_gaps_are_those_of_the_votes_on_what_was_asked(made):
    counts = np.sort(made(VOTES, "votes").counts[made(QUERIES, "queries").index], axis=1)
    told = made(EVIDENCE, "report").gaps
    assert told["median"] == np.median(counts[:, -1] - counts[:, -2])
    assert sum(told["queries"]) == 40


def test_mistakes_are_the_students(made):
    student, truth, classes = made(STUDENT, "student"), made(TRUTH, "data").test_y, made(PUBLIC, "data").classes
    wrong = student.model.predict(made(TEST_FEATURES, "encode").x) != truth
    told = made(EVIDENCE, "report").mistakes
    assert len(told) == min(12, wrong.sum())
    assert all(one["truth"] != one["answer"] and {one["truth"], one["answer"]} <= set(classes) for one in told)


def test_it_reads_what_is_made_and_no_more():
    assert {ref.name for ref in report_of([VOTES]).reads} - {ref.name for ref in report_of([]).reads} == {"votes"}
