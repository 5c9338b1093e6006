"""Ridge teachers in closed form."""

import numpy as np
import pytest
from sklearn.linear_model import RidgeClassifier

from pate.data.partition import assign
from pate.teachers.ridge import Ridge
from tests.teachers.digits import PUBLIC, X, Y, ensemble


def test_ridge_is_scikit_learns_ridge():
    x = np.concatenate([X, np.ones((600, 1), np.float32)], axis=1)
    public = np.concatenate([PUBLIC, np.ones((len(PUBLIC), 1), np.float32)], axis=1)
    for count in (2, 30):  # more records than features, and fewer
        votes = ensemble(Ridge(count=count, penalty=0.7))
        rows = assign(600, count, 0) == 1
        peer = RidgeClassifier(alpha=0.7, fit_intercept=False).fit(x[rows], Y[rows])
        assert (peer.classes_[peer.decision_function(public).argmax(axis=1)] == votes[1]).mean() > 0.995


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Ridge(count=0), "count must be at least 1"),
        (lambda: Ridge(penalty=0), "penalty must be a positive number"),
    ],
)
def test_bad_settings_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()
