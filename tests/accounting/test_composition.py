"""Optimal composition of pure DP against dp_accounting's PLD and brute force."""

import itertools
import math

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from hypothesis import given, settings
from hypothesis import strategies as st

from pate.accounting.composition import advanced, basic, optimal


@pytest.mark.parametrize(("k", "on_a_grid"), [(100, 4.307), (500, 11.409), (1000, 17.787)])
def test_expected_values(k, on_a_grid):
    """The expected values come from a PLD rounded upwards on a grid."""
    assert on_a_grid - 0.002 <= optimal(0.1, k, 1e-5) <= on_a_grid + 6e-4


@pytest.mark.parametrize(("step", "k", "delta"), [(0.1, 100, 1e-5), (0.5, 30, 1e-8), (1.0, 5, 0.01)])
def test_dp_accounting_composes_randomised_response_to_the_same(step, k, delta):
    """Their grid rounds each loss up, by at most an interval."""
    interval = step / 20_000
    response = privacy_loss_distribution.from_randomized_response(
        2 / (1 + math.exp(step)), 2, value_discretization_interval=interval
    )
    composed = response.self_compose(k).get_epsilon_for_delta(delta)
    assert composed - k * interval - 1e-6 <= optimal(step, k, delta) <= composed + 1e-6


@settings(max_examples=50, deadline=None)
@given(st.floats(0.01, 2), st.integers(1, 8), st.floats(1e-6, 0.2))
def test_brute_force_over_all_outputs_of_randomised_response(step, k, delta):
    found = optimal(step, k, delta)
    truth = 1 / (1 + math.exp(-step))
    spent = 0.0
    for output in itertools.product((truth, 1 - truth), repeat=k):
        p, q = math.prod(output), math.prod(1 - one for one in output)
        spent += max(p - math.exp(found) * q, 0)
    assert spent <= delta * (1 + 1e-7)
    if found > 0:
        assert spent >= delta * (1 - 1e-6) - 1e-8


@settings(max_examples=50, deadline=None)
@given(st.floats(0.001, 1), st.integers(1, 2000), st.floats(1e-12, 0.1))
def test_never_above_the_older_bounds(step, k, delta):
    assert optimal(step, k, delta) <= min(basic(step, k), advanced(step, k, delta)) + 1e-9


def test_many_answers():
    """k small steps approach a Gaussian of mean k step^2 / 2 and variance k step^2: 1-GDP here (Dong et al. 2022)."""
    from scipy.stats import norm

    k = 1_000_000
    e = optimal(2 / math.sqrt(k) / 2, k, 1e-5)
    assert norm.cdf(0.5 - e) - np.exp(e) * norm.cdf(-0.5 - e) == pytest.approx(1e-5, rel=1e-2)


@pytest.mark.parametrize(
    ("step", "k", "delta", "words"),
    [
        (0, 1, 0.1, "step must be a positive number"),
        (float("nan"), 1, 0.1, "step must be a positive number"),
        (0.1, 0, 0.1, "k must be at least 1"),
        (0.1, 1, 0, "delta must lie strictly"),
        (0.1, 1, 1, "delta must lie strictly"),
    ],
)
def test_bad_input_is_named(step, k, delta, words):
    with pytest.raises(ValueError, match=words):
        optimal(step, k, delta)
