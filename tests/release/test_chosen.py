"""How a model was chosen: what its workspace is sure of, and no more."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pate.release.chosen import Table, chosen

DPSGD, PATE, OTHER = "dpsgd/1", "student/1", "dpsgd/2"
BOTH = Table({DPSGD: "dpsgd", PATE: "pate"}, ("digits",))


def how(model=DPSGD, *tables, public=False):
    return chosen(model, "digits", tables, public)


def test_the_best_of_two_was_chosen_by_scores_no_epsilon_covers():
    found = how(DPSGD, BOTH)
    assert found.claim == "chosen among 2 methods by scores no epsilon covers"
    assert (found.methods, found.models) == (2, 2)
    assert "is not known" in found.sentence(priced=True)
    assert "epsilon above" not in found.sentence(priced=False)


def test_an_epsilon_is_chosen_by_score_as_a_method_is():
    one, another = (Table({name: "dpsgd"}, ("digits",), fixed="dpsgd") for name in (DPSGD, OTHER))
    assert how(DPSGD, one, another).claim == "chosen among 2 models of one method by scores no epsilon covers"
    assert how(DPSGD, BOTH, another).claim == "chosen among 2 methods (3 models) by scores no epsilon covers"


def test_a_model_that_was_never_scored_is_one_more_among_those_that_were():
    found = how(OTHER, BOTH)
    assert (found.methods, found.models) == (2, 3)
    assert how("means/1", BOTH).methods == 3


def test_a_method_that_was_fixed_before_its_scores_were_seen():
    fixed = Table(BOTH.models, ("digits",), fixed="dpsgd")
    assert how(DPSGD, fixed).how == "fixed"
    assert how(PATE, fixed).how == "by score"  # the other one was
    assert how(DPSGD, fixed, BOTH).how == "by score"  # and its mind was made up again


def test_what_is_scored_later_might_have_changed_a_mind():
    fixed, later = Table({DPSGD: "dpsgd"}, ("digits",), fixed="dpsgd"), Table({PATE: "pate"}, ("digits",), fixed="pate")
    assert how(DPSGD, fixed).how == "fixed"
    assert how(DPSGD, fixed, later).how == "by score"


def test_released_models_on_public_test_data_cost_what_all_of_them_cost():
    released = Table(BOTH.models, ("digits",), released=True)
    assert how(DPSGD, released, public=True).how == "by score"  # declared public only after the scores were seen
    released = replace(released, public=True)
    free = how(DPSGD, released, public=True)
    assert free.how == "among released"
    assert "no epsilon covers" not in free.sentence(priced=True)
    assert "total of all of them" in free.sentence(priced=True)
    assert how(DPSGD, released).how == "by score"  # test data that may be private
    assert how(DPSGD, BOTH, public=True).how == "by score"  # models that were kept
    assert how(DPSGD, released, BOTH, public=True).how == "by score"


def test_other_peoples_data_have_nothing_to_do_with_it():
    assert how(DPSGD, Table(BOTH.models, ("mnist",))).how == "nothing scored"
    assert how().how == "nothing scored"
    assert "cannot know" in how().sentence(priced=True)


def test_a_method_that_is_fixed_after_its_scores_were_seen_is_not_fixed():
    fixed = Table(BOTH.models, ("digits",), fixed="dpsgd")
    assert fixed.after([]) == fixed.after([fixed]) == fixed
    assert fixed.after([Table({OTHER: "dpsgd", PATE: "pate"}, ("digits",))]) == fixed  # of its own models none
    for earlier in (BOTH, Table({DPSGD: "dpsgd"}, ("digits",), fixed="pate"), Table(known=False)):
        assert fixed.after([fixed, earlier]).fixed == ""


def test_what_tells_how_good_many_settings_would_be_is_a_score_of_these_data_alone():
    looked = Table(accounts=("digits",), known=False)
    assert Table.of(looked.plain()) == looked
    assert how(DPSGD, looked).how == "by score"
    assert chosen(DPSGD, "mnist", [looked], False).how == "nothing scored"


@pytest.mark.parametrize("facts", [None, 3, {}, {"models": ["a"], "accounts": []}, {"models": {}, "accounts": "a"}])
def test_of_scores_that_do_not_tell_the_worst_is_said(facts):
    assert Table.of(facts) == Table(known=False)
    assert how(DPSGD, Table.of(facts)).claim == (
        "chosen among several models, how many is not known, by scores no epsilon covers"
    )


MODELS = st.dictionaries(st.sampled_from([DPSGD, PATE, OTHER, "consensus/1"]), st.sampled_from(["pate", "dpsgd"]))
TABLES = st.lists(
    st.builds(
        Table,
        MODELS,
        st.lists(st.sampled_from(["digits", "mnist"])).map(tuple),
        st.sampled_from(["", "pate", "dpsgd"]),
        st.booleans(),
        st.booleans(),
    ),
    max_size=4,
)


@given(TABLES, TABLES, st.booleans())
def test_one_more_table_never_takes_a_warning_away(tables, more, public):
    order = {"nothing scored": 0, "fixed": 0, "among released": 1, "by score": 2}
    before, after = (how(DPSGD, *some, public=public) for some in (tables, [*tables, *more]))
    assert order[after.how] >= order[before.how]
    assert all(Table.of(one.plain()) == one for one in tables)
