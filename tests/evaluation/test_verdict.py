"""The verdict never claims more than the test set shows, and never compares two kinds of guarantee unsaid."""

from dataclasses import replace

import pytest

from pate.evaluation.results import MethodResult
from pate.evaluation.verdict import verdict
from tests.evaluation.made_up import typed


def method(name, accuracy, epsilon, guarantee, ahead=None, published=None):
    return {
        "name": name, "accuracy": accuracy, "epsilon": epsilon, "guarantee": guarantee, "ahead": ahead, "delta": 1e-5,
        "relation": "one record replaced by nothing", "epsilon_publishable": published,
    }  # fmt: skip


def found(*methods):
    every = {"epsilon": 4.0, "guarantee": "every data set", "delta": 1e-5}
    return typed({"methods": list(methods), "config": {"dataset": {"name": "toy"}}, "pate": {"accountants": [every]}})


PATE = method("pate", 0.9, 1.0, "this data set", published=4.0)


@pytest.mark.parametrize(
    ("ahead", "words"),
    [
        ([0.05, 0.01, 0.001], "PATE is the better model"),
        ([-0.05, 0.01, 0.001], "DP-SGD is the better model"),
        ([0.01, 0.01, 0.01], "cannot be told apart"),
        ([0.025, 0.011, 0.0625], "cannot be told apart"),  # five of 200, all one way
        ([0.0, 0.0, 1.0], "cannot be told apart"),
    ],
)
def test_the_better_one_is_so_by_two_standard_errors_and_a_sign_test(ahead, words):
    fair = method("dpsgd_publishable", 0.9 - ahead[0], 4.0, "every data set", ahead, published=4.0)
    said = verdict(found(PATE, fair))
    assert words in said.headline
    assert said.headline.endswith("at the epsilon that may be published.")
    assert said.sentences[0].startswith(
        "Worst case against worst case: PATE 90.0% at epsilon 4.000 for every data set (pub"
    )
    assert "delta 1e-05, one record replaced by nothing" in said.sentences[0]


def test_an_epsilon_for_this_data_set_beside_one_for_every_is_called_so():
    near = method("dpsgd", 0.8, 1.0, "every data set", [0.1, 0.01, 0.0])
    fair = method("dpsgd_publishable", 0.95, 4.0, "every data set", [-0.05, 0.01, 0.0])
    said = verdict(found(PATE, near, fair))
    assert "DP-SGD is the better model at" in said.headline  # worst case against worst case leads
    assert "PATE 90.0% at epsilon 1.000 for this data set (the owner's, not publishable)" in said.sentences[1]
    assert "DP-SGD 80.0% at epsilon 1.000 for every data set" in said.sentences[1]
    assert said.sentences[1].endswith("PATE is the better model.")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"epsilon": 60.0}, "at different epsilons"),
        ({"relation": "all records of one patient replaced by nothing"}, "for different neighbours"),
        ({"epsilon": None}, "not known"),
    ],
)
def test_the_headline_says_what_is_not_the_same_on_both_sides(changes, words):
    fair = method("dpsgd_publishable", 0.95, 4.0, "every data set", [-0.05, 0.01, 0.0]) | changes
    said = verdict(found(PATE, fair))
    assert words in said.headline
    assert said.headline.startswith("On toy, PATE is right on 90.0% and DP-SGD on 95.0%, ")
    assert "better" not in f"{said.headline} {said.sentences}"


def test_a_model_that_is_the_owners_is_not_called_better_at_what_may_be_published():
    kept = method("dpsgd_publishable", 0.8, 4.0, "every data set", [0.1, 0.01, 0.0])
    assert verdict(found(PATE, kept)).headline.endswith("PATE is the better model at the same worst-case epsilon.")


def test_at_the_epsilon_that_may_be_published_is_said_first_and_what_is_unlike_is_not_compared():
    """A consensus at PATE's publishable epsilon, and DP-SGD at one of its own."""
    other = method("dpsgd", 0.8, 1.5, "every data set", [0.1, 0.01, 0.0], published=1.5)
    alike = method("consensus", 0.95, 4.0, "every data set", [-0.05, 0.01, 0.0], published=4.0)
    said = verdict(found(PATE, other, alike))
    assert said.headline == "On toy, consensus is the better model at the epsilon that may be published."
    assert said.sentences[0].startswith("Worst case against worst case: PATE 90.0% at epsilon 4.000 for every data set")
    assert said.sentences[1].startswith("Not compared, at different epsilons: PATE 90.0% at epsilon 4.000")


def test_different_kinds_are_in_the_headline_too():
    near = method("dpsgd", 0.8, 1.0, "every data set", [0.1, 0.01, 0.0], published=1.0)
    said = verdict(found(PATE, near))
    assert said.headline == "On toy, PATE is the better model, at epsilons of different kinds."
    assert (
        "DP-SGD 80.0% at epsilon 1.000 for every data set (publishable), delta 1e-05, one record" in said.sentences[0]
    )


def test_where_pates_best_holds_for_every_data_set_nothing_is_said_of_this_one():
    pate = method("pate", 0.9, 4.0, "every data set", published=4.0)
    rows = [method(name, 0.8, 2.0, "every data set", [0.1, 0.01, 0.0]) for name in ("dpsgd", "dpsgd_publishable")]
    said = verdict(found(pate, *rows))
    assert "this very data set" not in " ".join(said.sentences)
    assert "at different epsilons" in said.headline


def test_seeded_noise_is_not_called_publishable():
    pate = method("pate", 0.9, 1.0, "this data set")
    fair = method("dpsgd_publishable", 0.8, 4.0, "every data set", [0.1, 0.01, 0.0])
    said = verdict(found(pate, fair))
    assert said.headline.endswith("at the same worst-case epsilon.")
    assert "(publishable)" not in " ".join(said.sentences)


def test_one_method_alone_is_not_called_better():
    assert "90.0%" in verdict(found(PATE)).headline
    assert "80.0%" in verdict(found(method("dpsgd", 0.8, 2.0, "every data set"))).headline


@pytest.mark.parametrize("student", [True, False])
def test_one_alone_is_called_what_it_is_and_not_by_its_key(student):
    row = MethodResult("mine", "my method", "Mine", from_labels=student, metrics={"accuracy": 0.9})
    told = verdict(replace(typed({"methods": []}), methods=[row])).headline
    who = "Mine's student" if student else "Mine"
    assert told.startswith(f"On toy, {who} is right on 90.0%")


def test_nothing_scored_is_said():
    assert "nothing was scored" in verdict(found(method("dpsgd", None, 2.0, "every data set"))).headline
