"""Every accountant there is has its line: whatever any mechanism of conf/ says of its price."""

import pytest

from docs.generate.accountants import ladder, others
from pate.accounting.explained import EXPLAINED, explained, listed


@pytest.fixture(scope="module")
def votes():
    return [one for several in ladder().values() for one in several]


def test_each_is_explained_and_nothing_else(votes):
    rest = [one for several in others().values() for one in several]
    assert {one.accountant for one in (*votes, *rest)} == set(EXPLAINED)


def test_what_holds_for_every_data_set_and_what_is_never_claimed_says_so(votes):
    for one in votes:
        assert ("one direction only" in EXPLAINED[one.accountant]) == (not one.valid)
        assert ("whatever the votes" in EXPLAINED[one.accountant]) == (not one.data_dependent)


def test_of_an_accountant_of_others_its_theorem_is_said():
    assert explained("mine", "my theorem") == "my theorem"


def test_each_is_listed_once_in_their_order():
    names = [name for name, _ in listed([("exact_rdp", "t"), ("basic", "t"), ("exact_rdp", "u")])]
    assert names == ["exact_rdp", "basic"]
