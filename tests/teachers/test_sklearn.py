"""Teachers from scikit-learn, by name."""

import numpy as np
import pytest

from pate.teachers.sklearn import Sklearn
from tests.teachers.digits import ensemble

TREE = {"_target_": "sklearn.tree.DecisionTreeClassifier"}


def test_a_random_estimator_is_seeded_per_teacher():
    first, again = (
        ensemble(Sklearn(count=6, estimator=TREE), seed=1),
        ensemble(Sklearn(count=6, estimator=TREE), seed=1),
    )
    np.testing.assert_array_equal(first, again)
    assert (ensemble(Sklearn(count=6, estimator=TREE), seed=2) != first).any()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Sklearn(estimator={"_target_": "sklearn.nothing.Here"}), "cannot be built"),
        (lambda: Sklearn(estimator={"_target_": "sklearn.svm.SVC", "depth": 3}), "cannot be built"),
        (lambda: Sklearn(estimator={"_target_": "sklearn.preprocessing.StandardScaler"}), "no classifier"),
        (lambda: Sklearn(estimator={}), "cannot be built"),
        (lambda: Sklearn(estimator={"_target_": "sklearn.linear_model.LinearRegression"}), "no classifier"),
        (lambda: Sklearn(estimator=TREE | {"max_depth": -5}), "estimator: .*max_depth"),
    ],
)
def test_bad_settings_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()
