"""The price of one noisy sum against numerical integration, dp_accounting, sums of the exact law, and Monte Carlo."""

import math

import dp_accounting
import numpy as np
import pytest
from dp_accounting.pld import PLDAccountant
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from pate.accounting.discrete_gaussian import log_mass
from pate.accounting.filter import ORDERS
from pate.accounting.gaussian_sum import cost, far_from_rounded, guarantees, noise_for, priced
from pate.accounting.guarantee import Adjacency


def hockey_stick(mu, epsilon):
    """Integral of (p - exp(epsilon) q)+ for N(mu, 1) and N(0, 1), which cross once."""
    cross = epsilon / mu + mu / 2
    return quad(lambda x: norm.pdf(x, mu) - math.exp(epsilon) * norm.pdf(x), cross, cross + 40, limit=500)[0]


@pytest.mark.parametrize("sigma", [0.5, 1.3, 4.0, 60.0])
def test_continuous_noise_costs_what_integration_says(sigma):
    epsilon, _ = priced(1 / sigma, 1e-5)
    assert hockey_stick(1 / sigma, epsilon) == pytest.approx(1e-5, rel=1e-5)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.02, 1e-5), (0.5, 1e-5), (2.7, 1e-5), (1.0, 1e-9)])
def test_noise_is_the_least_that_fits(epsilon, delta):
    far = far_from_rounded(2.0**24, 1 << 20)
    sigma = noise_for(epsilon, delta, far)
    assert priced(1 / sigma, delta, far)[0] <= epsilon
    assert priced(1 / (sigma * 0.9999), delta, far)[0] > epsilon


@pytest.mark.parametrize("relation", ["REPLACE_SPECIAL", "REPLACE_ONE"])
@pytest.mark.parametrize("sigma", [1.0, 7.0])
def test_both_relations_against_dp_accounting(sigma, relation):
    accountant = PLDAccountant(dp_accounting.NeighboringRelation[relation], 1e-4)
    accountant.compose(dp_accounting.GaussianDpEvent(sigma))
    ours = guarantees(sigma, 1e-5)[relation == "REPLACE_ONE"]
    theirs = accountant.get_epsilon(1e-5)
    assert theirs * 0.999 <= ours.epsilon <= theirs * 1.0001
    assert (ours.relation.adjacency is Adjacency.REPLACE_ONE) == (relation == "REPLACE_ONE")
    assert ours.publishable


@pytest.mark.parametrize("deviation", [2.0, 3.0, 10.0, 47.5, 300.0])
def test_discrete_noise_is_no_farther_from_rounded_noise_than_said(deviation):
    k = np.arange(-40 * int(deviation) - 40, 40 * int(deviation) + 41)
    discrete = np.exp(log_mass(k.astype(float), deviation))
    rounded = norm.cdf((k + 0.5) / deviation) - norm.cdf((k - 0.5) / deviation)
    truth = np.abs(discrete - rounded).sum() / 2
    assert truth <= far_from_rounded(deviation, 1) <= 2 * truth
    assert far_from_rounded(deviation, 7) == pytest.approx(7 * far_from_rounded(deviation, 1))


def test_noise_of_few_steps_is_not_taken_for_continuous():
    assert far_from_rounded(1.9, 1) == math.inf
    assert priced(0.5, 1e-5, math.inf)[0] > priced(0.5, 1e-5)[0]


@settings(deadline=None, max_examples=30)
@given(st.floats(2.5, 30), st.integers(1, 3), st.integers(1, 4), st.floats(1e-6, 1e-3))
def test_the_discrete_price_holds_for_the_exact_law(deviation, shift, coordinates, delta):
    """A shift along one coordinate, of whole steps: the loss is a function of that coordinate's noise alone."""
    epsilon, _ = priced(shift / deviation, delta, far_from_rounded(deviation, coordinates))
    k = np.arange(-60 * int(deviation) - 60, 60 * int(deviation) + 61).astype(float)
    here, there = np.exp(log_mass(k, deviation)), np.exp(log_mass(k - shift, deviation))
    for one, other in ((here, there), (there, here)):
        assert np.maximum(one - math.exp(epsilon) * other, 0).sum() <= delta * (1 + 1e-9)


def test_a_fine_grid_costs_next_to_nothing():
    far = far_from_rounded(2.0**24, 10_000)
    assert priced(0.3, 1e-5, far)[0] <= priced(0.3, 1e-5)[0] * 1.0001


def test_what_the_ledger_adds_up_is_the_gaussian_divergence():
    spent = cost(3.0, 1e-5)
    assert np.allclose(spent.rdp, np.array(ORDERS) / 18, rtol=1e-14)
    assert all(ours >= order / 18 for ours, order in zip(spent.rdp, ORDERS, strict=True))
    assert spent.epsilon == priced(1 / 3, 1e-5)[0]


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan, math.inf])
def test_an_epsilon_is_a_positive_number(epsilon):
    with pytest.raises(ValueError, match="epsilon"):
        noise_for(epsilon, 1e-5)


def test_an_epsilon_no_noise_reaches():
    with pytest.raises(ValueError, match="out of reach"):
        noise_for(1e-7, 1e-12, far=1.0)
    with pytest.raises(ValueError, match="almost no noise"):
        noise_for(1e6, 1e-5)
