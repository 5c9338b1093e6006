"""What a record weighs hangs on its own label and on declared shares."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pate.learning.class_weights import MOST, ClassWeights

LABELS = st.lists(st.integers(0, 2), min_size=1, max_size=60)


def test_weights_are_inverse_to_shares_and_none_is_above_1():
    np.testing.assert_allclose(ClassWeights((0.6, 0.3, 0.1)).weights(), [1 / 6, 1 / 3, 1])
    np.testing.assert_allclose(ClassWeights((1.0, 0.0)).weights(), [1 / MOST, 1])


def test_none_declared_weighs_nothing():
    x, y = np.arange(6).reshape(3, 2), np.array([0, 1, 0])
    assert not ClassWeights()
    assert ClassWeights().repeated(x, y)[0] is x


@given(LABELS)
def test_a_class_is_repeated_as_often_as_it_weighs(labels):
    y = np.array(labels)
    x, found = ClassWeights((0.5, 0.3, 0.2)).repeated(np.arange(len(y))[:, None], y)
    np.testing.assert_array_equal(y[x[:, 0]], found)  # each with its own label
    assert set(x[:, 0]) == set(range(len(y)))  # and none is lost
    for one, ratio in enumerate((1, 5 / 3, 2.5)):
        assert (found == one).sum() == pytest.approx((y == one).sum() * ratio, abs=1)
