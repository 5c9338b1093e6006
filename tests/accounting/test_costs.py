"""The whole ladder in one artifact: which of its prices is the owner's, and which may leave."""

from pate.accounting.costs import Costs
from pate.accounting.guarantee import for_every, for_this


def test_a_bound_of_one_direction_is_never_chosen_however_small():
    prices = [
        for_this("pate2017", 0.1, 1e-5, "one direction", valid=False),
        for_this("exact_rdp", 0.5, 1e-5, "both"),
        for_every("basic", 2.0, 1e-5, "composition"),
    ]
    costs = Costs([one.plain() for one in prices], 1e-5, 10)
    assert costs.best.accountant == "exact_rdp"
    assert costs.publishable.accountant == "basic"
