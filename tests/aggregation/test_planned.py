"""How an epsilon is best spent: never above it, close to it, and no worse than other ways of spending it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pate.accounting.ladder import worst_case
from pate.aggregation.gnmax import GNMax
from pate.aggregation.lnmax import LNMax
from pate.aggregation.planned import as_many, as_said, best_spent, with_noise, worth

DELTA = 1e-5


@settings(max_examples=5, deadline=None)
@given(
    mechanism=st.sampled_from([LNMax(), GNMax()]),
    k=st.integers(1, 3000),
    epsilon=st.floats(0.05, 10),
    teachers=st.integers(2, 200),
)
def test_noise_for_an_epsilon_costs_no_more_and_little_less(mechanism, k, epsilon, teachers):
    cost = worst_case(with_noise(mechanism, k, epsilon, DELTA, teachers), k, teachers, DELTA).epsilon
    assert 0.98 * epsilon <= cost <= epsilon


@pytest.mark.parametrize(
    ("epsilon", "teachers"),
    [(3.0, 20), *(pytest.param(e, n, marks=pytest.mark.slow) for n in (50, 958) for e in (0.1, 1.0, 8.0))],
)
def test_what_is_best_tells_more_than_other_numbers_of_queries_at_the_same_epsilon(epsilon, teachers):
    several, pool = (GNMax(), LNMax()), 2000
    chosen, k = best_spent(several, epsilon, DELTA, teachers, 10, pool)
    assert 1 <= k <= pool
    assert worst_case(chosen, k, teachers, DELTA).epsilon <= epsilon
    ours = worth(chosen, k, teachers, 10)
    for other in (max(1, k // 4), min(pool, 4 * k)):
        for one in several:
            assert worth(with_noise(one, other, epsilon, DELTA, teachers), other, teachers, 10) <= 1.05 * ours


def test_labels_are_worth_what_their_correlation_with_the_truth_says():
    """Monte Carlo: two classes, three of four teachers agree, Laplace noise."""
    rng, gamma, teachers = np.random.default_rng(0), 0.05, 40
    truth = rng.integers(2, size=400_000)
    lead = rng.laplace(scale=1 / gamma, size=(2, len(truth)))
    right = 30 + lead[0] > 10 + lead[1]
    told = np.where(right, truth, 1 - truth)
    correlation = np.corrcoef(told, truth)[0, 1]
    found = worth(LNMax(gamma, "continuous"), 100, teachers, 2)
    assert found == pytest.approx(100 * correlation**2, rel=0.02)


def test_hopeless_labels_are_worth_nothing_and_perfect_ones_themselves():
    assert worth(LNMax(1e-4), 100, 50, 10) < 0.1
    assert worth(GNMax(0.5), 100, 50, 10) == pytest.approx(100)


def test_as_many_as_fit_at_the_noise_that_was_said():
    k = as_many(GNMax(40.0), 1.0, DELTA, 250, 1000)
    assert worst_case(GNMax(40.0), k, 250, DELTA).epsilon <= 1 < worst_case(GNMax(40.0), k + 1, 250, DELTA).epsilon
    with pytest.raises(ValueError, match=r"not one answer by LNMax.* costs as little"):
        as_many(LNMax(5.0), 1.0, DELTA, 250, 1000)


def test_what_was_said_twice_and_costs_more_is_refused():
    as_said(GNMax(40.0), 50, 1.0, DELTA, 250)
    with pytest.raises(ValueError, match=r"5000 answers by GNMax.* cost .*: leave out either"):
        as_said(GNMax(40.0), 5000, 1.0, DELTA, 250)


def test_no_noise_is_enough_for_next_to_nothing():
    with pytest.raises(ValueError, match=r"no noise"):
        with_noise(GNMax(), 5000, 1e-5, DELTA, 250)
