"""How many queries an epsilon buys."""

import numpy as np
import pytest

from pate.accounting.ladder import independent, price, worst_case
from pate.accounting.plan import _largest, least_noise, queries_for, queries_for_votes
from pate.aggregation.gnmax import GNMax
from pate.aggregation.lnmax import LNMax


@pytest.mark.parametrize("most", [1, 2, 7, 8, 100])
@pytest.mark.parametrize("limit", [0, 1, 2, 6, 7, 8, 99, 100, 500])
def test_the_search_finds_the_last_that_fits(most, limit):
    asked = []

    def fits(k):
        asked.append(k)
        return k <= limit

    assert _largest(most, fits) == min(most, limit)
    assert all(1 <= k <= most for k in asked)


def test_one_more_query_would_not_fit():
    mechanism = LNMax(0.5)
    fit = queries_for(mechanism, 6.0, 1e-5, teachers=50, most=1000)
    cost = [min(one.epsilon for one in independent(mechanism, k, 50, 1e-5)) for k in (fit, fit + 1)]
    assert cost[0] <= 6.0 < cost[1]


def test_on_votes_more_fit():
    counts = np.array([[48, 2, 0]] * 60)
    mechanism = LNMax(0.3)
    fit = queries_for_votes(mechanism, 0.05, 1e-5, counts)
    assert price(mechanism, counts[:fit], 1e-5).best.epsilon <= 0.05
    assert fit == 60 or price(mechanism, counts[: fit + 1], 1e-5).best.epsilon > 0.05
    assert fit > queries_for(mechanism, 0.05, 1e-5, 50, 60)


@pytest.mark.parametrize("mechanism", [LNMax(), LNMax(noise="continuous"), GNMax(), GNMax(noise="continuous")])
@pytest.mark.parametrize(("k", "target", "teachers"), [(1, 0.1, 50), (20, 1.0, 250), (1000, 8.0, 1000)])
def test_the_least_noise_fits_and_less_would_not(mechanism, k, target, teachers):
    scale = least_noise(mechanism, k, target, 1e-5, teachers)
    cost = [worst_case(mechanism.scaled(1 / (scale * factor)), k, teachers, 1e-5).epsilon for factor in (1, 0.98)]
    assert cost[0] <= target < cost[1]


def test_what_no_noise_buys_is_refused():
    with pytest.raises(ValueError, match=r"no noise that it takes is enough for epsilon 1e-06"):
        least_noise(GNMax(), 10_000, 1e-6, 1e-5, 250)
