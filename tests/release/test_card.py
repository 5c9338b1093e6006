"""The card says what holds, what it rests on and what it leaves out; and no epsilon of one data set."""

from dataclasses import replace

import numpy as np
import pytest

from pate.accounting.guarantee import Relation
from pate.accounting.ladder import price
from pate.aggregation.confident_gnmax import ConfidentGNMax
from pate.aggregation.gnmax import GNMax
from pate.aggregation.lnmax import LNMax
from pate.dpsgd.accountant import Accountant
from pate.dpsgd.statement import of_gradients
from pate.models.decision import Decision
from pate.release.card import card
from pate.release.statement import of_a_file, of_votes
from tests.release.made_up import VOTES
from tests.release.predictors import plain, predictor


def text(promise=VOTES, one=None, notes=(), without=None):
    return card(one or plain(), promise, notes, ["model.onnx", "predict.py"], {"pate-pipelines": "1.2.3"}, without)


def test_the_price_is_the_publishable_one():
    counts = np.zeros((100, 10), np.int64)
    counts[:, 3] = 250  # unanimous: a price for this data set is far below
    costs = price(LNMax(0.05), counts, 1e-5)
    assert VOTES.guarantee.epsilon == costs.publishable.epsilon
    assert costs.best.epsilon < 0.1 * VOTES.guarantee.epsilon
    shown = text()
    assert f"**{np.ceil(VOTES.guarantee.epsilon * 1000) / 1000:.3f}**" in shown
    for one in costs:
        if not one.publishable:
            assert f"{one.epsilon:.3f}" not in shown
            assert one.accountant not in shown


@pytest.mark.parametrize("aggregator", [LNMax(0.1), LNMax(0.1, "continuous"), GNMax(20), ConfidentGNMax(150, 100, 30)])
def test_every_aggregator(aggregator):
    promise = of_votes(aggregator, 50, 200, 1e-6, data="d", relation=Relation(group="patient"))
    shown = text(promise)
    assert aggregator.describe() in shown
    assert ("Mironov 2012" in shown) == ("floating-point" in aggregator.describe())
    for said in (
        "**1e-06**",
        "| queries | 50,",
        "| teachers | 200 |",
        promise.guarantee.theorem,
        promise.guarantee.accountant,
    ):
        assert said in shown
    assert "all records of one patient" in shown
    assert "Several records of one person" not in shown


def test_an_unknown_number_of_teachers_is_not_told():
    unknown = of_votes(LNMax(0.05), 100, None, 1e-5, data="votes from elsewhere")
    assert "| teachers" in text()
    assert "| teachers" not in text(unknown)


def test_labels_from_a_file_promise_nothing():
    shown = text(of_a_file("digits", "labels from a file"))
    assert "Nothing that is known here" in shown
    assert "| epsilon" not in shown
    assert "cryptographic" not in shown


def test_gradients():
    spent = replace(Accountant(1.5, 0.01, 100, 1e-5, pca_noise=8.0), taken=100).spent(seeded=False)
    promise = of_gradients(spent, data="mnist")
    shown = text(promise)
    assert promise.guarantee == spent.guarantee()
    assert promise.guarantee.epsilon < promise.replace_one.epsilon == spent.epsilon_replace_one
    for said in ("100 sums of clipped gradients", "multiplier 1.5", "probability 0.01", "multiplier 8", "Mironov 2012"):
        assert said in shown
    assert "| neighbours | one record replaced by nothing (zero-out adjacency) |" in shown
    assert "Teachers" not in shown
    assert "queries" not in shown


def test_what_is_not_covered_is_said():
    shown = text(replace(VOTES, account={"epsilon": "7.250", "releases": "3"}), notes=["noise was drawn afresh"])
    for said in ("Tuning on private data", "Other releases", "trusted aggregator", "no accuracy", "- noise was drawn"):
        assert said in shown
    assert "epsilon 7.250, releases 3" in shown
    assert "come to" not in text()
    assert "pate-pipelines | 1.2.3" in shown


def test_queries_chosen_from_answers_are_called_so():
    assert "in rounds" in text(of_votes(LNMax(0.05), 100, 250, 1e-5, data="digits", adaptive=True))
    assert "in rounds" not in text()


def test_what_the_model_carries_of_public_inputs_is_said():
    assert "features of 80 of them as its centres" in text(one=predictor("kernel", "pca"))
    assert "coordinates of 80 of them" in text(one=predictor("neighbours", "pca"))


def test_how_to_run_it():
    assert "float32, n x 8 x 8" in text(one=predictor("linear"))
    assert "float32, n x 3, values from 0 to 1" in text()
    table = replace(plain(), columns={"numeric": [["age", 1.0, 2.0]], "categorical": [["job", ["cook", "poet"]]]})
    assert "numbers `age`; categories `job`" in text(one=table)
    assert "cook" not in text(one=table)
    assert "a model of kind X cannot be written" in text(without="a model of kind X")


def test_a_model_that_does_not_answer_its_most_probable_class_says_what_it_answers_and_by_what():
    assert "most probable class" not in text()
    decided = replace(plain(), decision=Decision([0.9, 0.1], source="the model's own probabilities over somewhere"))
    shown = text(one=decided)
    assert "does not answer its most probable class: the largest probability beside the share of its class" in shown
    assert "that is from the model's own probabilities over somewhere." in shown
