"""The verdict never claims more than the test set shows, and never compares two kinds of guarantee unsaid."""

import pytest

from pate.report.verdict import verdict


def method(name, accuracy, epsilon, guarantee, ahead=None, published=None):
    return {
        "name": name, "accuracy": accuracy, "epsilon": epsilon, "guarantee": guarantee, "ahead": ahead, "delta": 1e-5,
        "relation": "one record replaced by nothing", "epsilon_publishable": published,
    }  # fmt: skip


def found(*methods):
    return {"methods": list(methods), "config": {"dataset": {"name": "toy"}}}


PATE = method("pate", 0.9, 1.0, "this data set", published=4.0)


@pytest.mark.parametrize(
    ("ahead", "words"),
    [
        ([0.05, 0.01], "PATE is the better model"),
        ([-0.05, 0.01], "DP-SGD is the better model"),
        ([0.01, 0.01], "cannot be told apart"),
        ([0.0, 0.0], "cannot be told apart"),
    ],
)
def test_the_better_one_is_so_by_two_standard_errors(ahead, words):
    fair = method("dpsgd_publishable", 0.9 - ahead[0], 4.0, "every data set", ahead)
    said = verdict(found(PATE, fair))
    assert words in said.headline
    assert "the epsilon that may be published" in said.headline
    assert "epsilon 4.000 for every data set (publishable for PATE), delta 1e-05, one record" in said.sentences[0]


def test_an_epsilon_for_this_data_set_beside_one_for_every_is_called_so():
    near = method("dpsgd", 0.8, 1.0, "every data set", [0.1, 0.01])
    fair = method("dpsgd_publishable", 0.95, 4.0, "every data set", [-0.05, 0.01])
    said = verdict(found(PATE, near, fair))
    assert "DP-SGD is the better model" in said.headline  # worst case against worst case leads
    assert "cost on this very data set while DP-SGD's holds for every data set" in said.sentences[1]
    assert said.sentences[1].endswith("PATE is the better model.")


def test_other_epsilons_are_told_with_all_that_belongs_to_them():
    near = method("dpsgd", 0.8, 2.0, "every data set", [0.1, 0.01], published=2.0)
    said = verdict(found(PATE, near))
    assert (
        "DP-SGD at epsilon 2.000 for every data set (publishable), delta 1e-05, one record replaced by nothing"
        in said.sentences[0]
    )
    assert "PATE at epsilon 1.000 for this data set (the owner's)" in said.sentences[0]


def test_one_method_alone_is_not_called_better():
    assert "90.0%" in verdict(found(PATE)).headline
    assert "80.0%" in verdict(found(method("dpsgd", 0.8, 2.0, "every data set"))).headline


def test_nothing_scored_is_said():
    assert "nothing was scored" in verdict(found(method("dpsgd", None, 2.0, "every data set"))).headline
