"""A statement is of a guarantee that is whole and may leave, and of the least that is known."""

from dataclasses import replace

import pytest

from pate.accounting.guarantee import REPLACE_ONE, Relation
from pate.aggregation.lnmax import LNMax
from pate.release.statement import of_a_file, of_votes
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
    dependent = replace(found, data_dependent=True)
    sanitised = replace(dependent, sanitised=True)  # it may leave, and holds for this data set only
    for wrong in (dependent, sanitised, replace(found, valid=False), found.without("seeded noise")):
        with pytest.raises(ValueError, match="nothing keeps it from being published"):
            replace(VOTES, guarantee=wrong)


def test_the_price_under_replace_one_is_the_same_for_records_and_not_told_for_groups():
    assert VOTES.replace_one == replace(VOTES.guarantee, relation=REPLACE_ONE)
    patients = of_votes(LNMax(0.05), 100, 250, 1e-5, data="digits", relation=Relation(group="patient"))
    assert patients.guarantee.relation == Relation(group="patient")
    assert patients.replace_one is None  # another person in their place changes two teachers


def test_of_a_file_nothing_is_promised():
    found = of_a_file("digits", "labels from a file")
    assert (found.guarantee, found.replace_one) == (None, None)
