"""Accuracy is the share of inputs whose most probable class is theirs."""

import numpy as np

from pate.evaluation.metrics.accuracy import accuracy


def test_three_of_four():
    belief = np.array([[0.6, 0.4], [0.6, 0.4], [0.1, 0.9], [0.5, 0.5]])
    assert accuracy(belief, np.array([0, 1, 1, 0])) == 0.75
