"""What the panel shows is what the accountants say."""

import numpy as np
import pytest

from pate.accounting.counts import tally
from pate.accounting.ladder import price
from pate.aggregation.confident_gnmax import ConfidentGNMax
from pate.aggregation.gnmax import GNMax
from pate.aggregation.lnmax import LNMax
from pate.noise import source
from pate.report.run.panel import agreement, panel

PREDICTIONS = np.random.default_rng(0).choice(3, size=(30, 40), p=[0.8, 0.15, 0.05])
COUNTS = tally(PREDICTIONS, 3)


def made(aggregator=LNMax(0.2), adaptive=False, predictions=PREDICTIONS):
    relation = "one record replaced by nothing"
    return panel(aggregator, COUNTS, predictions, 20, 1e-4, relation, adaptive, exact_order=True, n_jobs=1)


@pytest.mark.parametrize("aggregator", [LNMax(0.2), GNMax(6.0)])
def test_every_value_is_the_accountants(aggregator):
    found = made(aggregator)
    names = [one["accountant"] for one in found.accountants]
    assert "teacher_resolved" in names
    for i, j, k in [tuple(found.chosen), (0, 0, 0), (len(found.noises) - 1, len(found.queries) - 1, 2)]:
        changed = type(aggregator)(found.noises[i], aggregator.noise)
        queries = found.queries[j]
        costs = price(changed, COUNTS[:queries], found.deltas[k], PREDICTIONS[:, :queries])
        told = dict(zip(names, found.epsilon[i][j][k], strict=True))
        assert {one.accountant: one.epsilon for one in costs} == pytest.approx(
            {name: value for name, value in told.items() if value is not None}, rel=1e-5
        )


def test_what_was_configured_is_among_the_choices():
    found = made(LNMax(0.123456))
    i, j, k = found.chosen
    assert (found.noises[i], found.queries[j], found.deltas[k]) == (0.123456, 20, 1e-4)
    assert found.queries[-1] == 40  # as many as there are


@pytest.mark.parametrize("aggregator", [LNMax(100.0), LNMax(1e-5), GNMax(1e-3)])
def test_noise_at_the_edge_of_what_is_allowed_has_fewer_neighbours(aggregator):
    found = made(aggregator, predictions=None)
    assert getattr(aggregator, found.parameter) in found.noises
    assert len(found.noises) == 2 < len(made().noises)


def test_queries_chosen_from_answers_have_no_price_for_this_data_set():
    assert {one["holds_for"] for one in made(adaptive=True).accountants} == {"every data set"}


def test_many_votes_are_not_followed_teacher_by_teacher(monkeypatch):
    monkeypatch.setattr("pate.report.run.panel._MOST_VOTES", PREDICTIONS.size - 1)
    assert "teacher_resolved" not in [one["accountant"] for one in made().accountants]


def test_agreement_is_that_of_answers_drawn():
    right, answered = agreement(LNMax(0.3), COUNTS)
    drawn = LNMax(0.3).answer(np.repeat(COUNTS, 4000, axis=0), source(1))
    seen = (drawn == np.repeat(COUNTS.argmax(axis=1), 4000)).mean()
    assert answered == pytest.approx(1)
    assert right == pytest.approx(seen, abs=4 * np.sqrt(0.25 / len(drawn)))


def test_agreement_counts_what_is_answered():
    _, answered = agreement(ConfidentGNMax(25.0, 3.0, 3.0), COUNTS)
    assert 0 < answered < 1
