"""What the certificate uses of the discrete Gaussian alone: slopes, tails and sums far out."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pate.accounting.three_outcomes_discrete import DiscreteGaussian, _rows
from tests.accounting.whole_noise import masses, places


@settings(max_examples=100, deadline=None)
@given(st.floats(0.2, 300), places)
def test_a_discrete_gaussian_rises_less_by_at_most_sampfords_slope(sigma, x):
    """What ties down the unbounded ratios: rise(x) - rise(x + 1) <= 1/sigma^2, by Cauchy-Schwarz."""
    noise = DiscreteGaussian(sigma)
    rise, after = noise.rise(np.array(x)), noise.rise(np.array(x + 1))
    slack = 1e-12 * (1 + abs(float(noise.log_below(np.array(x - 1)))))
    assert -slack <= rise - after <= 1 / sigma**2 + slack


@pytest.mark.parametrize("sigma", [0.3, 1.7, 12.0])
def test_the_tilted_discrete_tail_is_bounded(sigma):
    """Against the sum over whole cells and the part of the one that s cuts."""
    k = np.arange(-60, 400)
    log_law = -((k / sigma) ** 2) / 2 - math.log(masses(DiscreteGaussian(sigma))[2].max() ** -1)
    for alpha, s in itertools.product([1.2, 3.5, 9.0], [-5.3, 0.0, 2.75, 14.0]):
        with np.errstate(divide="ignore"):
            inside = np.log(np.clip(k + 1 - s, 0, 1)[:-1])
        found = np.logaddexp.reduce(inside + alpha * log_law[:-1] + (1 - alpha) * log_law[1:])
        bound = DiscreteGaussian(sigma).log_moment_above(np.array(s), alpha)
        assert found <= bound
        assert bound <= alpha * (alpha - 1) / (2 * sigma**2) + 1e-9
    assert DiscreteGaussian(sigma).log_moment_above(np.array(60 * sigma), 2.0) < -1000


def test_sums_far_out_are_those_of_a_table():
    """Where a row of sums ends, each sum is taken by itself: across that seam nothing jumps."""
    noise = DiscreteGaussian(3.0)
    s = np.arange(40.0, 90.0)
    found = noise.log_wins(s, np.zeros_like(s))
    terms = -((np.arange(30.0, 140.0) / 3) ** 2) / 2 - math.log(3 * math.sqrt(2 * math.pi))  # F is 1 there
    direct = [np.logaddexp.reduce(terms[int(one - 30) :]) for one in s]
    np.testing.assert_allclose(found, direct, rtol=1e-13)


def test_who_asked_before_changes_nothing():
    """Rows of sums are kept by lead: alone, among others, after others, and after so many that all were forgotten."""
    s, lead = np.array([-3.5, 0.25, 7.0, 40.0]), np.array([5.0, -5.0, 0.0, 90.0])
    _rows.cache_clear()
    alone = np.array([DiscreteGaussian(9.0).log_wins(s[i : i + 1], lead[i : i + 1])[0] for i in range(4)])
    _rows.cache_clear()
    DiscreteGaussian(9.0).log_wins(np.zeros(200), np.arange(-100.0, 100.0))
    assert np.array_equal(DiscreteGaussian(9.0).log_wins(s, lead), alone)
    for start in range(0, 30_000, 5_000):
        DiscreteGaussian(9.0).log_wins(np.zeros(5_000), start + np.arange(5_000.0))
    assert np.array_equal(DiscreteGaussian(9.0).log_wins(s, lead), alone)
    assert _rows(9.0).logs.nbytes < 2**28
