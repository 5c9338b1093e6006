"""Nothing exact is offered outside the range that was checked."""

import numpy as np
import pytest

from pate.accounting.grids import gaussian, laplace
from pate.accounting.ladder import price
from pate.accounting.law import OutOfRange
from pate.aggregation.confident_gnmax import ConfidentGNMax
from pate.aggregation.gnmax import GNMax
from pate.aggregation.lnmax import LNMax


@pytest.mark.parametrize("aggregator", [LNMax(3.1), GNMax(0.4), GNMax(0.6), ConfidentGNMax(10.0, 5.0, 0.4)], ids=str)
def test_outside_the_checked_range_no_exact_price_is_offered(aggregator):
    counts = np.array([[200, 60, 0]])
    assert not {"exact_rdp", "exact_pld"} & {one.accountant for one in price(aggregator, counts, 1e-4)}


@pytest.mark.parametrize(
    ("make", "inside", "outside"),
    [
        (laplace, {"gamma": 3.0}, {"gamma": 3.0001}),
        (gaussian, {"sigma": 0.5}, {"sigma": 0.4999}),
        (gaussian, {"sigma": 0.5, "teachers": 119}, {"sigma": 0.5, "teachers": 120}),  # (120 + 6) / 0.25 > 500
        (gaussian, {"sigma": 1.0, "teachers": 488}, {"sigma": 1.0, "teachers": 489}),  # (489 + 12) / 1 > 500
    ],
)
@pytest.mark.parametrize("noise", ["discrete", "continuous"])
def test_the_range_ends_where_the_check_ended(make, inside, outside, noise):
    usual = {"noise": noise, "teachers": 20, "classes": 3}
    assert len(make(**usual | inside).weights) > 0
    with pytest.raises(OutOfRange):
        make(**usual | outside)


def test_only_discrete_noise_needs_a_table_that_could_fill_the_memory():
    with pytest.raises(OutOfRange, match="sigma above 10000"):
        gaussian(10_001.0, "discrete", 20, 3)
    assert len(gaussian(10_001.0, "continuous", 20, 3).weights) > 0
