"""The Brier score against a count by hand and, of two classes, twice that of scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss

from pate.evaluation.metrics.brier import brier


def test_by_hand():
    belief = np.array([[0.5, 0.3, 0.2], [0.0, 0.0, 1.0]])
    assert brier(belief, np.array([0, 1])) == pytest.approx((0.25 + 0.09 + 0.04 + 2) / 2)
    assert belief[0, 0] == 0.5  # what was handed over is as it was


def test_of_two_classes_twice_as_scikit_learn_has_it():
    rng = np.random.default_rng(0)
    belief, truth = rng.dirichlet(np.ones(2), 200), rng.integers(0, 2, 200)
    assert brier(belief, truth) == pytest.approx(2 * brier_score_loss(truth, belief[:, 1]))
