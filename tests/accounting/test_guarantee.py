"""An epsilon never stands alone, is never rounded down, and is called publishable only where it is."""

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pate.accounting.guarantee import (
    REPLACE_ONE,
    ZERO_OUT,
    Adjacency,
    Guarantee,
    Relation,
    best,
    for_every,
    neighbours,
    publishable,
    remaining,
    shown,
    worst_case,
)
from pate.accounting.guarantee import given as as_given


def guarantee(epsilon=1.0, dependent=False, **known):
    facts = {"delta": 1e-5, "relation": ZERO_OUT, "accountant": "pld", "theorem": "a theorem"} | known
    return Guarantee(epsilon, data_dependent=dependent, **facts)


@given(st.floats(0, 1e9))
def test_an_epsilon_is_rounded_up_and_what_is_left_down(epsilon):
    assert Decimal(shown(epsilon)) >= Decimal(epsilon) - Decimal("1e-9")
    assert Decimal(shown(epsilon)) <= Decimal(epsilon) + Decimal("0.0011")
    assert Decimal(remaining(epsilon)) <= Decimal(epsilon) + Decimal("1e-9")


def test_what_is_without_bound_is_called_so():
    assert shown(math.inf) == "infinite"


def test_the_words_hold_everything():
    assert str(guarantee(1.2341)) == (
        "epsilon 1.235 for every data set (publishable), delta 1e-05, one record replaced by nothing"
    )
    assert str(guarantee(1.0, dependent=True)) == (
        "epsilon 1.000 for this data set (the owner's, not publishable), delta 1e-05, one record replaced by nothing"
    )


def test_what_is_said_of_it_in_parts_is_what_is_said_of_it_whole():
    """Where a number stands in a table, or a promise is said once for several, the words are still its own."""
    one = guarantee(1.2341)
    assert one.claim == "epsilon 1.235 for every data set (publishable)"
    assert one.terms == "for every data set (publishable), delta 1e-05, one record replaced by nothing"
    assert str(one) == f"{one.claim}, {one.promise}" == f"epsilon {one.shown} {one.terms}"
    assert one.formal == "(1.235, 1e-05)-differentially private, one record replaced by nothing, for every data set"
    assert guarantee(0.1, dependent=True, valid=False).use == "to compare with papers"
    assert (as_given(1e-5), as_given(2.0)) == ("1e-05", "2")


@pytest.mark.parametrize("known", [{"dependent": True}, {"valid": False}, {"withheld": "seeded"}])
def test_each_of_three_things_keeps_it_from_being_published(known):
    assert guarantee().publishable
    assert not guarantee(**known).publishable
    assert "(publishable)" not in str(guarantee(**known))


def test_noise_lets_an_epsilon_of_this_data_set_leave_and_a_void_keeps_it():
    """Papernot et al. 2018, Appendix B: published after noise in proportion to its smooth sensitivity."""
    sanitised = guarantee(1.0, dependent=True, sanitised=True)
    assert sanitised.publishable
    assert sanitised.fixed_queries
    assert "for this data set (publishable)" in str(sanitised)
    assert not sanitised.without("seeded noise").publishable
    assert not guarantee(1.0, dependent=True, sanitised=True, valid=False).publishable
    assert not sanitised.alike(guarantee(1.0))
    assert worst_case([sanitised]) is None


def test_what_voids_it_is_said_once_and_stays():
    void = guarantee().without("seeded noise").without("seeded noise").without("")
    assert void.withheld == "seeded noise"
    assert not void.publishable
    assert guarantee().without("") == guarantee()


def test_the_smallest_that_holds_and_the_smallest_that_may_leave():
    as_published, owners = guarantee(0.1, valid=False), guarantee(0.5, dependent=True)
    seeded, leaves = guarantee(2.0, withheld="seeded"), guarantee(3.0)
    several = [as_published, owners, seeded, leaves]
    assert best(several) is owners
    assert publishable(several) is leaves
    assert worst_case(several) is seeded
    assert best([]) is publishable([as_published, owners]) is worst_case([owners]) is None


def test_epsilons_of_two_kinds_are_not_alike():
    assert guarantee(1.0).alike(guarantee(2.0))
    for other in (
        guarantee(delta=1e-6), guarantee(relation=REPLACE_ONE), guarantee(dependent=True), guarantee(withheld="seeded"),
    ):  # fmt: skip
        assert not guarantee().alike(other)


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("group", [None, "patient", "one record replaced by another", "a\nb"])
def test_a_relation_is_its_words(adjacency, group):
    assert Relation.of(str(Relation(adjacency, group))) == Relation(adjacency, group)


def test_neighbours_are_told_with_the_word_of_the_field_once():
    person = Relation(group="patient")
    assert neighbours([ZERO_OUT]) == "one record replaced by nothing (zero-out adjacency)"
    assert neighbours([ZERO_OUT, person, ZERO_OUT]) == (
        "all records of one patient replaced by nothing; one record replaced by nothing (zero-out adjacency)"
    )
    assert neighbours([ZERO_OUT, REPLACE_ONE]) == (
        "one record replaced by another (replace-one adjacency); one record replaced by nothing (zero-out adjacency)"
    )
    assert neighbours([]) == ""
    assert len({one.term for one in Adjacency}) == len(Adjacency)


@pytest.mark.parametrize("words", ["", "one record", "two records replaced by nothing", "one record replaced"])
def test_words_that_say_no_relation_are_refused(words):
    with pytest.raises(ValueError, match="is no neighbouring relation"):
        Relation.of(words)


def test_what_hides_a_person_hides_a_record_and_not_the_other_way_round():
    person = Relation(group="patient")
    assert Relation.common([person, person]) == person
    assert Relation.common([person, ZERO_OUT]) == ZERO_OUT
    assert Relation.common([]) == ZERO_OUT
    with pytest.raises(ValueError, match="do not add up"):
        Relation.common([ZERO_OUT, REPLACE_ONE])


@given(st.floats(0, allow_nan=False), st.booleans(), st.booleans(), st.sampled_from(["", "seeded"]), st.booleans())
def test_it_survives_json(epsilon, dependent, valid, withheld, sanitised):
    from pate.workspace.typed_json import to_json

    one = guarantee(epsilon, dependent, valid=valid, withheld=withheld, sanitised=sanitised)
    assert Guarantee.of(to_json(one)) == one


def test_one_that_was_written_before_any_was_sanitised_is_read():
    plain = guarantee(1.0, dependent=True).plain()
    del plain["sanitised"]
    assert Guarantee.of(plain) == guarantee(1.0, dependent=True)


@pytest.mark.parametrize(
    "damage",
    [
        {"epsilon": "1"},
        {"epsilon": True},
        {"epsilon": -1.0},
        {"relation": "nobody"},
        {"valid": 1},
        {"withheld": None},
        {"sanitised": "no"},
    ],
)
def test_what_is_no_guarantee_is_refused(damage):
    with pytest.raises(ValueError):
        Guarantee.of(guarantee().plain() | damage)


@pytest.mark.parametrize("delta", [None, 5.0, -1e-9, "1e-5"])
def test_none_is_read_back_without_its_delta(delta):
    whole = for_every("basic", 1.0, 1e-5, "a theorem").plain()
    assert Guarantee.of(whole).delta == 1e-5
    with pytest.raises(ValueError, match="delta"):
        Guarantee.of(whole | {"delta": delta})
