"""Scores against small cases worked by hand."""

import numpy as np
import pytest

from pate.evaluation.scores import accuracy, ahead, score
from pate.models.classifier import Classifier


def linear(weights):
    return Classifier({"0.weight": np.array(weights, np.float32), "0.bias": np.zeros(len(weights), np.float32)}, "none")


MODEL = linear([[4, 0], [0, 4], [-9, -9]])
ROWS = np.array([[1, 0], [1, 0], [0, 1], [0.5, 0.4], [0, 1]], np.float32)


def test_accuracy_of_all_and_of_each_class():
    found, answers = score(MODEL, ROWS, np.array([0, 1, 1, 0, -1]))
    assert found.accuracy == 0.75  # the input of unknown label does not count
    assert len(answers) == 4
    assert sum(map(sum, found.confusion)) == 4
    assert found.confusion[0][0] + found.confusion[1][1] == 3
    assert found.standard_error == pytest.approx(np.sqrt(0.75 * 0.25 / 4))
    assert found.by_class == [1.0, 0.5, None]
    assert found.accuracy_of_views is None


def test_nothing_known_is_no_score():
    found, answers = score(MODEL, ROWS, np.full(5, -1))
    assert found is None
    assert len(answers) == 0
    assert accuracy(np.zeros(3), np.full(3, -1)) is None


def test_the_lead_is_paired_so_what_is_hard_for_both_is_no_error():
    truth = np.array([0] * 100)
    ours, theirs = np.array([0] * 90 + [1] * 10), np.array([0] * 80 + [1] * 20)
    found = ahead({"pate": ours, "dpsgd": theirs, "nonprivate": truth}, truth)
    lead, error, chance = found["dpsgd"]
    assert lead == pytest.approx(0.1)
    assert error == pytest.approx(np.sqrt(0.1 * 0.9 / 99))  # ten inputs of a hundred tell them apart
    assert chance == pytest.approx(2 * 0.5**10)  # all ten of them on one side
    assert found["nonprivate"][0] == pytest.approx(-0.1)
    assert ahead({"dpsgd": theirs}, truth) == {}
