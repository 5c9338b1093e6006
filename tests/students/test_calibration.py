"""Confidence is brought to what labels bear out."""

import numpy as np
import pytest
from scipy.special import softmax

from pate.students.calibration import sharpness


@pytest.mark.parametrize("factor", [0.2, 1.0, 8.0])
def test_the_factor_labels_were_drawn_with_is_found(factor):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(20_000, 4))
    chances = softmax(factor * scores, axis=1)
    label = (chances.cumsum(axis=1) > rng.random((len(scores), 1))).argmax(axis=1)
    assert sharpness(scores, label, 0.0) == pytest.approx(factor, rel=0.05)


def test_wrong_labels_that_are_expected_do_not_flatten_it():
    rng = np.random.default_rng(0)
    scores = 3 * rng.normal(size=(20_000, 4))
    chances = softmax(scores, axis=1)
    label = (chances.cumsum(axis=1) > rng.random((len(scores), 1))).argmax(axis=1)
    label = np.where(rng.random(len(label)) < 0.2, (label + rng.integers(1, 4, len(label))) % 4, label)
    assert sharpness(scores, label, 0.2) == pytest.approx(1, rel=0.1)
    assert sharpness(scores, label, 0.0) < 0.6


def test_a_single_class_and_perfect_scores_stay_finite():
    assert np.isfinite(sharpness(np.ones((5, 1)), np.zeros(5, int), 0.1))
    assert np.isfinite(sharpness(100 * np.eye(4), np.arange(4), 0.0))
