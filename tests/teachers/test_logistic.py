"""Logistic teachers are scikit-learn's logistic regression."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from pate.data.partition import assign
from pate.teachers.logistic import Logistic
from tests.teachers.digits import PUBLIC, X, Y, ensemble


def test_each_is_fitted_to_its_own_partition():
    votes = ensemble(Logistic(count=3, inverse_penalty=0.5))
    for number in range(3):
        rows = assign(600, 3, 0) == number
        peer = LogisticRegression(C=0.5, max_iter=200).fit(X[rows], Y[rows])
        np.testing.assert_array_equal(votes[number], peer.predict(PUBLIC))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Logistic(inverse_penalty=-1), "inverse_penalty must be a positive number"),
        (lambda: Logistic(iterations=0), "iterations must be at least 1"),
    ],
)
def test_bad_settings_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()
