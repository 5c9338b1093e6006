"""The whole ladder in one artifact: which of its prices is the owner's, and which may leave."""

from pate.accounting.costs import Costs, relation
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


def test_a_line_says_both_epsilons_rounded_up_and_what_belongs_to_them():
    prices = [for_this("exact_rdp", 0.50001, 1e-5, "both"), for_every("basic", 2.0, 1e-5, "composition")]
    costs = Costs([one.plain() for one in prices], 1e-5, 10)
    assert costs.describe() == (
        "epsilon 0.501 for this data set (the owner's, not publishable) by exact_rdp; epsilon 2.000 for every data set "
        "(publishable) by basic; delta 1e-05, one record replaced by nothing"
    )
    said = costs.describe("nothing may leave: seeded noise")
    assert "epsilon 0.501 for this data set (nothing may leave: seeded noise)" in said
    assert "2.000" not in said
    alone = Costs([prices[1].plain()], 1e-5, 10)
    assert alone.describe().count("epsilon") == 1


def test_a_withheld_price_is_the_owners_and_does_not_leave():
    prices = [for_every("basic", 1.0, 1e-5, "composition").without("seeded"), for_every("advanced", 3.0, 1e-5, "more")]
    costs = Costs([one.plain() for one in prices], 1e-5, 10)
    assert costs.best.accountant == "basic"
    assert costs.publishable.accountant == "advanced"
    assert list(costs) == prices


def test_whole_groups_are_another_relation_than_records():
    assert relation(None) == Costs([], 1e-5, 1).relation == "one record replaced by nothing"
    assert "patient" in relation("patient")
