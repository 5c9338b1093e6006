"""A statement is of a guarantee that is whole and may leave, and of the least that is known."""

from dataclasses import replace

import pytest

from pate.aggregation.lnmax import LNMax
from pate.release.statement import of_votes
from tests.release.made_up import VOTES


def test_an_unknown_number_of_teachers_gives_a_price_that_needs_none():
    unknown = of_votes(LNMax(0.05), 100, None, 1e-5, data="votes from elsewhere")
    assert unknown.guarantee.accountant != "argmax_independent"
    assert unknown.guarantee.epsilon > VOTES.guarantee.epsilon


def test_a_guarantee_that_leaves_is_whole_and_may_leave():
    found = VOTES.guarantee
    with pytest.raises(ValueError, match="theorem"):
        replace(VOTES, guarantee=replace(found, theorem=""))
    with pytest.raises(ValueError, match="finite"):
        replace(VOTES, guarantee=replace(found, epsilon=float("inf")))
    for wrong in (replace(found, data_dependent=True), replace(found, valid=False), found.without("seeded noise")):
        with pytest.raises(ValueError, match="nothing keeps it from being published"):
            replace(VOTES, guarantee=wrong)
