"""Balanced accuracy against scikit-learn, and a count by hand."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score

from pate.evaluation.metrics.balanced_accuracy import balanced_accuracy


def test_always_answering_the_common_one_of_two_has_one_half():
    belief = np.tile([0.9, 0.1], (100, 1))
    assert balanced_accuracy(belief, np.array([0] * 94 + [1] * 6)) == 0.5


def test_a_class_without_inputs_takes_no_part():
    belief = np.eye(3)[[0, 0, 1, 2]]
    assert balanced_accuracy(belief, np.array([0, 0, 1, 1])) == 0.75


@pytest.mark.parametrize("seed", range(3))
def test_as_scikit_learn_has_it(seed):
    rng = np.random.default_rng(seed)
    belief, truth = rng.dirichlet(np.ones(5), 300), rng.integers(0, 5, 300)
    expected = balanced_accuracy_score(truth, belief.argmax(axis=1))
    assert balanced_accuracy(belief, truth) == pytest.approx(expected)
