"""The supervised student is logistic regression."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from pate.students.supervised import Supervised
from tests.students.digits import POOL, TEST, X, labelled, lesson


def test_supervised_is_scikit_learns_logistic_regression():
    index, label = labelled(100)
    peer = LogisticRegression(C=1.0, max_iter=300).fit(X[POOL][index], label)
    model = Supervised(1.0).fit(lesson(index, label))
    np.testing.assert_allclose(model.proba(X[TEST]), peer.predict_proba(X[TEST]), atol=1e-5)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Supervised(0), "inverse_penalty"),
    ],
)
def test_bad_settings_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()
