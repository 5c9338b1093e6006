"""Prices of the smallest ensembles there are, against what every neighbour of theirs really tells."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pate.accounting.ladder import price
from pate.aggregation.confident_gnmax import ConfidentGNMax
from pate.aggregation.gnmax import GNMax
from pate.aggregation.lnmax import LNMax
from tests.accounting.brute_force import worst_delta

# Orders are searched and loss grids laid out anew for each delta: so much may a price at a larger delta lie above.
SEARCH = 0.01
KINDS = st.sampled_from(["discrete", "continuous"])
AGGREGATORS = st.one_of(
    st.builds(LNMax, st.sampled_from([1e-3, 0.05, 0.2, 1.0, 3.0, 20.0]), KINDS),
    st.builds(GNMax, st.sampled_from([0.3, 0.5, 1.0, 4.0, 40.0]), KINDS),
    st.builds(
        ConfidentGNMax,
        st.sampled_from([-3.0, 1.0, 2.5, 9.0]),
        st.sampled_from([1e-3, 0.3, 1.0, 50.0]),
        st.sampled_from([0.5, 4.0]),
        KINDS,
    ),
)


@st.composite
def ensembles(draw):
    """1 to 5 teachers, 2 to 4 classes, 1 to 3 queries: the counts, and who voted for what."""
    teachers, classes, queries = draw(st.integers(1, 5)), draw(st.integers(2, 4)), draw(st.integers(1, 3))
    votes = draw(st.lists(st.integers(0, classes - 1), min_size=teachers * queries, max_size=teachers * queries))
    predictions = np.array(votes).reshape(teachers, queries)
    return np.stack([np.bincount(column, minlength=classes) for column in predictions.T]), predictions


@settings(max_examples=25, deadline=None)
@given(AGGREGATORS, ensembles(), st.integers(1, 12))
def test_every_valid_price_covers_every_neighbour(aggregator, ensemble, digits):
    counts, predictions = ensemble
    delta = 10.0**-digits
    costs, without = price(aggregator, counts, delta, predictions), price(aggregator, counts, delta)
    assert [one for one in costs if one.accountant != "teacher_resolved"] == list(without)
    for one in costs:
        assert 0 <= one.epsilon < math.inf
        if one.valid:
            who = predictions if one.accountant == "teacher_resolved" else None
            true = worst_delta(aggregator, counts, one.epsilon, who)
            assert true <= delta * (1 + 1e-6) + 1e-14, one  # the brute force has 14 digits itself


@settings(max_examples=12, deadline=None, derandomize=True)
@given(AGGREGATORS, ensembles(), st.integers(1, 8))
def test_a_smaller_delta_costs_no_less(aggregator, ensemble, digits):
    counts, predictions = ensemble
    at = {exponent: price(aggregator, counts, 10.0**-exponent, predictions) for exponent in (digits, digits + 3)}
    larger, smaller = ({one.accountant: one.epsilon for one in costs} for costs in at.values())
    for name in larger.keys() & smaller.keys():
        assert larger[name] <= smaller[name] * (1 + SEARCH) + 1e-9, name


@pytest.mark.slow
def test_one_query_of_every_tiny_ensemble():
    """All histograms of up to 5 votes over up to 4 classes, whatever the noise."""
    kinds = ("discrete", "continuous")
    mechanisms = [LNMax(gamma, kind) for gamma in (0.2, 3.0) for kind in kinds]
    mechanisms += [GNMax(sigma, kind) for sigma in (0.5, 4.0) for kind in kinds]
    mechanisms += [ConfidentGNMax(2.5, width, 1.0, kind) for width in (1e-3, 1.0) for kind in kinds]
    for classes in (2, 3, 4):
        for row in np.ndindex(*[6] * classes):
            if not 1 <= sum(row) <= 5 or list(row) != sorted(row):
                continue
            counts, predictions = np.array([row]), np.repeat(np.arange(classes), row)[:, None]
            for mechanism in mechanisms:
                for one in price(mechanism, counts, 1e-5, predictions):
                    true = worst_delta(mechanism, counts, one.epsilon) if one.valid else 0.0
                    assert true <= 1e-5 * (1 + 1e-6), (mechanism, row, one)


def test_a_certain_test_has_no_finite_loss_and_no_exact_price():
    """The threshold test all but tells the largest count: its loss is all at infinity, and only delta could pay it."""
    costs = price(ConfidentGNMax(2.5, 1e-3, 0.5, "continuous"), np.array([[0, 2, 2, 1], [1, 2, 1, 1]]), 1e-6)
    assert all(one.epsilon > 1000 for one in costs if one.valid)
