"""Scores against small cases worked by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pate.evaluation.scores import accuracy, ahead, calibration, score
from pate.models.classifier import Classifier


def linear(weights):
    return Classifier({"0.weight": np.array(weights, np.float32), "0.bias": np.zeros(len(weights), np.float32)}, "none")


MODEL = linear([[4, 0], [0, 4], [-9, -9]])
ROWS = np.array([[1, 0], [1, 0], [0, 1], [0.5, 0.4], [0, 1]], np.float32)


def test_accuracy_of_all_and_of_each_class():
    found, answers = score(MODEL, ROWS, np.array([0, 1, 1, 0, -1]))
    assert found["accuracy"] == 0.75  # the input of unknown label does not count
    assert len(answers) == 4
    assert sum(map(sum, found["confusion"])) == 4
    assert found["confusion"][0][0] + found["confusion"][1][1] == 3
    assert found["standard_error"] == pytest.approx(np.sqrt(0.75 * 0.25 / 4))
    assert found["by_class"] == [1.0, 0.5, None]
    assert found["accuracy_of_views"] is None


def test_confidence_that_is_borne_out_has_no_error():
    rng = np.random.default_rng(0)
    confidence = rng.uniform(0.3, 1, 100_000)
    found = calibration(confidence, rng.random(100_000) < confidence)
    assert found["calibration_error"] < 0.01
    assert sum(found["share"]) == pytest.approx(1)
    assert len(found["confidence"]) == 7  # bins without inputs are not there


def test_always_sure_and_right_three_times_in_four():
    found = calibration(np.ones(4), np.array([True, True, True, False]))
    assert found == {"calibration_error": 0.25, "confidence": [1.0], "right": [0.75], "share": [1.0]}


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=50))
def test_the_error_is_no_less_than_the_gap_of_the_means(cases):
    confidence, right = np.array([one for one, _ in cases]), np.array([one for _, one in cases])
    error = calibration(confidence, right)["calibration_error"]
    assert abs(confidence.mean() - right.mean()) - 1e-9 <= error <= 1 + 1e-9


def test_nothing_known_is_no_score():
    found, answers = score(MODEL, ROWS, np.full(5, -1))
    assert found == {}
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
