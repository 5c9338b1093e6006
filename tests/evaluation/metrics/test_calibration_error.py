"""Calibration against small cases worked by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pate.evaluation.metrics.calibration_error import bins, calibration_error


def of(confidence, right):
    """Beliefs in two classes, of which the first is chosen with this confidence; `right` if it is the true one."""
    confidence = np.asarray(confidence, float)
    belief = np.stack([confidence, 1 - confidence], axis=1)
    return np.where(belief.argmax(axis=1)[:, None] == 1, belief[:, ::-1], belief), np.where(right, 0, 1)


def test_confidence_that_is_borne_out_has_no_error():
    rng = np.random.default_rng(0)
    confidence = rng.uniform(0.5, 1, 100_000)
    belief, truth = of(confidence, rng.random(100_000) < confidence)
    assert calibration_error(belief, truth) < 0.01
    _, _, share = bins(belief, truth)
    assert share.sum() == pytest.approx(1)
    assert len(share) == 5  # bins without inputs are not there


def test_always_sure_and_right_three_times_in_four():
    belief, truth = of(np.ones(4), [True, True, True, False])
    assert calibration_error(belief, truth) == 0.25
    assert [one.tolist() for one in bins(belief, truth)] == [[1.0], [0.75], [1.0]]


@given(st.lists(st.tuples(st.floats(0.5, 1), st.booleans()), min_size=1, max_size=50))
def test_the_error_is_no_less_than_the_gap_of_the_means(cases):
    confidence, right = np.array([one for one, _ in cases]), np.array([one for _, one in cases])
    error = calibration_error(*of(confidence, right))
    assert abs(confidence.mean() - right.mean()) - 1e-9 <= error <= 1 + 1e-9
