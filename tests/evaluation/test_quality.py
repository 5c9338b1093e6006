"""What labels are worth, against drawing them."""

import numpy as np
import pytest

from pate.accounting.counts import tally
from pate.aggregation.confident_gnmax import ConfidentGNMax
from pate.aggregation.gnmax import GNMax
from pate.aggregation.lnmax import LNMax
from pate.aggregation.votes import Votes
from pate.evaluation.quality import expected, quality
from pate.noise import source

RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 5, 400)
PREDICTIONS = np.where(RNG.random((40, 400)) < 0.6, TRUTH, RNG.integers(0, 5, (40, 400)))
VOTES = Votes(tally(PREDICTIONS, 5), PREDICTIONS)


@pytest.mark.parametrize("aggregator", [LNMax(0.1), GNMax(12.0), ConfidentGNMax(26.0, 4.0, 6.0)], ids=str)
def test_the_expected_share_is_what_drawing_gives(aggregator):
    right, answered = expected(aggregator, VOTES.counts, TRUTH)
    draws = [aggregator.answer(VOTES.counts, source(seed)) for seed in range(200)]
    given = np.concatenate([answers >= 0 for answers in draws])
    hits = np.concatenate([answers == TRUTH for answers in draws])
    assert answered == pytest.approx(given.mean(), abs=0.005)
    assert right == pytest.approx(hits[given].mean(), abs=0.005)


def test_a_threshold_out_of_reach_leaves_nothing_to_score():
    right, answered = expected(ConfidentGNMax(1e4, 1.0, 6.0), VOTES.counts, TRUTH)
    assert right is None
    assert answered == 0


def test_everything_that_is_scored():
    asked = np.array([3, 50, 51])
    found = quality(VOTES, TRUTH, asked, LNMax(0.1), [0.01, 0.1, 3.0, 50.0])
    assert found.teacher_accuracy == pytest.approx((PREDICTIONS == TRUTH).mean())
    assert found.plurality_accuracy == pytest.approx((VOTES.counts.argmax(axis=1) == TRUTH).mean())
    assert found.pool_accuracy == pytest.approx(found.accuracy_at[1])
    assert found.label_accuracy == pytest.approx(expected(LNMax(0.1), VOTES.counts[asked], TRUTH[asked])[0])
    assert found.accuracy_at[0] < found.accuracy_at[1] < found.accuracy_at[2]
    assert found.accuracy_at[2] == pytest.approx(found.plurality_accuracy, abs=0.02)
    assert found.accuracy_at[3] is None  # out of range: nothing is claimed
    ordered = np.sort(VOTES.counts, axis=1)
    assert found.median_gap == np.median(ordered[:, -1] - ordered[:, -2])
    assert (found.teachers, found.queries, found.answered) == (40, 3, pytest.approx(1))


def test_unknown_labels_are_left_out():
    some = np.where(np.arange(400) < 200, TRUTH, -1)
    known = quality(Votes(VOTES.counts[:200]), TRUTH[:200], np.arange(200), LNMax(0.1), [0.1])
    found = quality(Votes(VOTES.counts), some, np.arange(400), LNMax(0.1), [0.1])
    assert found.label_accuracy == pytest.approx(known.label_accuracy)
    assert found.teacher_accuracy is None
    nothing = quality(Votes(VOTES.counts), np.full(400, -1), np.arange(400), LNMax(0.1), [0.1])
    assert nothing.label_accuracy is nothing.plurality_accuracy is nothing.pool_accuracy is None
    assert nothing.answered == pytest.approx(1)
