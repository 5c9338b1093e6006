"""The ladder as users see it."""

import numpy as np
import pytest

from pate.accounting.ladder import price
from pate.accounting.price import shown
from pate.aggregation.aggregator import Aggregator
from pate.aggregation.lnmax import LNMax
from pate.errors import ConfigError

COUNTS = np.array([[50, 0, 0], [40, 6, 4]])


def test_the_best_price_is_valid_and_the_publishable_one_holds_for_every_data_set():
    costs = price(LNMax(0.2), np.repeat(COUNTS, 50, axis=0), 1e-4)
    prices = {one.accountant: one for one in costs}
    assert {"basic", "advanced", "moments_independent", "optimal_independent", "argmax_independent"} < set(prices)
    assert not prices["pate2017"].valid  # one direction only: shown, never claimed
    assert costs.best.epsilon == min(one.epsilon for one in costs if one.valid)
    assert costs.publishable.guarantee == "every data set"
    assert costs.relation == "one record replaced by nothing"


def test_data_independent_prices_do_not_look_at_the_votes():
    a, b = (price(LNMax(0.2), counts, 1e-4) for counts in (COUNTS, COUNTS[:, ::-1] * 0 + [[30, 10, 10]]))
    assert [one.epsilon for one in a if one.publishable] == [one.epsilon for one in b if one.publishable]


@pytest.mark.parametrize("delta", [0, 1, -1e-5, float("nan")])
def test_delta_outside_is_refused(delta):
    with pytest.raises(ValueError, match="delta"):
        price(LNMax(0.2), COUNTS, delta)


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        (np.zeros((0, 3)), "at least 1 x 2"),
        (np.array([[50, 0, 0], [40, 6, 3]]), "sum to the number of teachers"),
        (np.array([[51, -1, 0]]), "negative"),
        (np.array([[49.5, 0.5, 0]]), "whole numbers"),
        (np.array([[np.nan, 1, 2]]), "NaN"),
        (np.array([["a", "b"]]), "numbers"),
        (np.zeros((1, 3)), "sum to the number of teachers"),
    ],
)
def test_counts_that_are_no_counts_are_refused(counts, words):
    with pytest.raises(ConfigError, match=words):
        price(LNMax(0.2), counts, 1e-4)


def test_an_unknown_aggregator_has_no_price():
    with pytest.raises(ValueError, match="no accountant knows"):
        price(Aggregator(), COUNTS, 1e-4)


def test_epsilons_are_rounded_up():
    assert shown(1.0001) == "1.001"
    assert shown(2.0) == "2.000"
