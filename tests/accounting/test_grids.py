"""Nothing exact is offered outside the range that was checked."""

import numpy as np
import pytest

from pate.accounting.ladder import price
from pate.aggregation.confident_gnmax import ConfidentGNMax
from pate.aggregation.gnmax import GNMax
from pate.aggregation.lnmax import LNMax


@pytest.mark.parametrize("aggregator", [LNMax(3.1), GNMax(0.4), GNMax(0.6), ConfidentGNMax(10.0, 5.0, 0.4)], ids=str)
def test_outside_the_checked_range_no_exact_price_is_offered(aggregator):
    counts = np.array([[200, 60, 0]])
    assert not {"exact_rdp", "exact_pld"} & {one.accountant for one in price(aggregator, counts, 1e-4)}
