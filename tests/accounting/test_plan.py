"""How many queries an epsilon buys."""

import numpy as np
import pytest

from pate.accounting.ladder import independent, price
from pate.accounting.plan import _largest, queries_for, queries_for_votes
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
