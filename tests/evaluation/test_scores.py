"""Scores against small cases worked by hand."""

import numpy as np
import pytest

from pate.evaluation.scores import accuracy, compared, score
from pate.models.classifier import Classifier
from pate.models.decision import Decision


def linear(weights):
    return Classifier({"0.weight": np.array(weights, np.float32), "0.bias": np.zeros(len(weights), np.float32)}, "none")


MODEL = linear([[4, 0], [0, 4], [-9, -9]])
ROWS = np.array([[1, 0], [1, 0], [0, 1], [0.5, 0.4], [0, 1]], np.float32)


def test_accuracy_of_all_and_of_each_class():
    found, belief = score(MODEL, ROWS, np.array([0, 1, 1, 0, -1]))
    assert found.metrics["accuracy"] == 0.75  # the input of unknown label does not count
    assert belief.shape == (4, 3)
    assert sum(map(sum, found.confusion)) == 4
    assert found.confusion[0][0] + found.confusion[1][1] == 3
    assert found.by_class == [1.0, 0.5, None]
    assert found.accuracy_of_views is None


def test_nothing_known_is_no_score():
    found, belief = score(MODEL, ROWS, np.full(5, -1))
    assert found is None
    assert len(belief) == 0
    assert compared({"pate": belief}, np.full(5, -1), ["a", "b", "c"]) == {}
    assert accuracy(np.zeros(3), np.full(3, -1)) is None


def sure(answers, classes):
    return np.eye(classes)[answers]


def test_the_baseline_always_answers_the_commonest_class_and_believes_in_the_shares():
    truth = np.array([0] * 94 + [1] * 6)
    ours = sure(np.array([0] * 90 + [1] * 10), 2)
    found = compared({"pate": ours}, truth, ["no", "yes"])
    always = found["baseline"]
    assert always["answer"] == "no"
    assert always["metrics"]["accuracy"] == pytest.approx(0.94)
    assert always["metrics"]["balanced_accuracy"] == 0.5
    assert always["metrics"]["auc"] == 0.5
    assert always["metrics"]["log_loss"] == pytest.approx(-0.94 * np.log(0.94) - 0.06 * np.log(0.06))  # the entropy
    assert always["metrics"]["brier"] == pytest.approx(1 - 0.94**2 - 0.06**2)
    assert always["metrics"]["calibration_error"] == pytest.approx(0)
    assert always["leads"]["pate"]["accuracy"]["by"] == pytest.approx(0.02)  # right on 96
    assert always["leads"]["pate"]["balanced_accuracy"]["by"] == pytest.approx((90 / 94 + 1) / 2 - 0.5)
    assert found["leads"] == {"pate": {}}  # it is no method
    assert found["standard_errors"].keys() == {"pate"}


def test_inputs_of_unknown_label_take_no_part():
    truth = np.array([0, 1, -1, 0, 1, -1])
    known = truth >= 0
    belief = sure(np.array([0, 1, 0, 0]), 2)
    assert compared({"a": belief}, truth, ["x", "y"]) == compared({"a": belief}, truth[known], ["x", "y"])


def test_what_is_answered_is_scored_and_probabilities_stay_what_they_are():
    truth = np.array([0, 1, 1, 0, 1])
    plain, belief = score(MODEL, ROWS, truth)
    found, same = score(MODEL, ROWS, truth, decision=Decision(None, 2, 1e-9))
    np.testing.assert_array_equal(belief, same)
    assert found.confusion == [[0, 0, 2], [0, 0, 3], [0, 0, 0]]
    assert found.metrics["accuracy"] == found.metrics["macro_f1"] == 0
    for name in ("auc", "log_loss", "brier", "calibration_error"):
        assert found.metrics[name] == plain.metrics[name]
    told = compared({"a": belief, "b": same}, truth, ["x", "y", "z"], None, {"b": Decision(None, 2, 1e-9)})
    leads = told["leads"]["a"]["b"]
    assert leads["accuracy"]["by"] == plain.metrics["accuracy"]
    assert leads["log_loss"]["by"] == 0
