"""Log loss against scikit-learn; a sure mistake is not infinite."""

import math

import numpy as np
import pytest
from sklearn import metrics

from pate.evaluation.metrics.log_loss import log_loss


def test_as_scikit_learn_has_it():
    rng = np.random.default_rng(0)
    belief, truth = rng.dirichlet(np.ones(4), 200), rng.integers(0, 4, 200)
    assert log_loss(belief, truth) == pytest.approx(metrics.log_loss(truth, belief, labels=range(4)))
    assert log_loss.better == "lower"


def test_a_sure_mistake_costs_no_more_than_a_trillionth_would():
    assert log_loss(np.array([[1.0, 0.0]]), np.array([1])) == pytest.approx(12 * math.log(10))
