"""Kernel ridge regression on the labelled inputs alone."""

from dataclasses import replace

import numpy as np
import pytest

from pate.students.krr import KRR
from tests.students.digits import POOL, TEST, X, labelled, lesson


def test_evened_features_do_not_depend_on_their_units():
    index, label = labelled(100)
    units = np.geomspace(0.1, 10, 64, dtype=np.float32)
    one = KRR(power=1.0).fit(lesson(index, label)).predict(X[TEST])
    other = KRR(power=1.0).fit(replace(lesson(index, label), features=X[POOL] * units)).predict(X[TEST] * units)
    assert (one == other).mean() > 0.99


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: KRR(gamma=-1), "gamma must be a positive number"),
        (lambda: KRR(power=1.5), "power must lie between 0 and 1"),
        (lambda: KRR(penalty=0), "penalty must be a positive number"),
    ],
)
def test_bad_settings_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()
