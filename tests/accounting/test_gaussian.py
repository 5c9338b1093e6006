"""Epsilon of Gaussian noise, discrete and continuous, against exact sums and another library."""

import math

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.signal import fftconvolve

from pate.accounting import conversion, gaussian


def exact_epsilon(sigma, n, delta):
    """n counts that move by 1: the loss is (n + 2 S) / (2 sigma^2), S the sum of n noises, by repeated convolution."""
    reach = int(12 * sigma) + 12
    one = np.exp(-((np.arange(-reach, reach + 1) / sigma) ** 2) / 2)
    one /= one.sum()
    law = np.ones(1)
    for bit in bin(n)[2:]:
        law = fftconvolve(law, law)
        law = np.maximum(fftconvolve(law, one) if bit == "1" else law, 0)
    s = np.arange(len(law)) - len(law) // 2
    loss = (n + 2 * s) / (2 * sigma**2)

    def spent(epsilon):
        above = loss > epsilon
        return law[above] @ -np.expm1(epsilon - loss[above])

    low, high = 0.0, float(loss[-1])
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if spent(middle) > delta else (low, middle)
    return high


@pytest.mark.parametrize("sigma", [0.5, 1.0, 3.0, 40.0])
@pytest.mark.parametrize("n", [1, 2, 200])
def test_epsilon_is_that_of_the_composed_lattice_of_losses(sigma, n):
    found, exact = gaussian.discrete_epsilon({sigma: n}, 1e-5), exact_epsilon(sigma, n, 1e-5)
    assert exact * (1 - 1e-7) <= found <= exact * 1.0005


@pytest.mark.parametrize("sigma", [0.7, 3.0])
def test_epsilon_against_dp_accounting(sigma):
    """Google's library rounds losses up to its grid, so it lies above, by little for a fine one."""
    from dp_accounting.pld import privacy_loss_distribution

    peer = privacy_loss_distribution.from_discrete_gaussian_mechanism(
        sigma, sensitivity=1, value_discretization_interval=1e-3
    ).self_compose(20)
    found, expected = gaussian.discrete_epsilon({sigma: 20}, 1e-6), peer.get_epsilon_for_delta(1e-6)
    assert expected * (1 - 5e-3) <= found <= expected * (1 + 1e-4)


def test_the_continuous_epsilon_is_too_small_for_discrete_noise():
    """Why Balle & Wang's theorem is not used: the two counts of one vote, sigma 0.5 and 1."""
    for sigma in (0.5, 1.0):
        assert exact_epsilon(sigma, 2, 1e-5) > gaussian.epsilon(math.sqrt(2) / sigma, 1e-5) * 1.01


def test_two_kinds_of_counts_add_up():
    both = gaussian.discrete_epsilon({40.0: 200, 150.0: 100}, 1e-5)
    assert both == pytest.approx(gaussian.epsilon(math.sqrt(200 / 40**2 + 100 / 150**2), 1e-5), rel=1e-3)
    assert both > gaussian.discrete_epsilon({40.0: 200}, 1e-5)


@pytest.mark.parametrize("sigma", [1e-3, 0.05, 1e5])
def test_epsilon_is_never_above_the_renyi_bound(sigma):
    orders = conversion.ORDERS
    bound = conversion.epsilon(200 / (2 * sigma**2) * orders, orders, 1e-5)
    assert 0 < gaussian.discrete_epsilon({sigma: 200}, 1e-5) <= bound


@pytest.mark.parametrize("mu", [0.05, 0.7, 3.0])
@pytest.mark.parametrize("delta", [1e-2, 1e-5])
def test_the_continuous_epsilon_spends_delta(mu, delta):
    """The integral of (phi(x - mu) - exp(epsilon) phi(x))+, which starts at epsilon / mu + mu / 2."""
    found = gaussian.epsilon(mu, delta)

    def spent(epsilon):
        start = epsilon / mu + mu / 2
        return integrate.quad(
            lambda x: stats.norm.pdf(x - mu) - math.exp(epsilon) * stats.norm.pdf(x), start, start + 12, epsabs=1e-14
        )[0]

    assert spent(found) == pytest.approx(delta, rel=1e-6)


def test_a_distance_that_delta_covers_costs_nothing():
    """At epsilon 0 delta is the total variation, 2 Phi(mu / 2) - 1: 0.0080 for mu = 0.02."""
    assert gaussian.epsilon(0.02, 0.0080) == 0
    assert gaussian.epsilon(0.02, 0.0079) > 0


def test_prices_hold_for_every_data_set_and_the_optimal_one_is_below():
    for noise in ("continuous", "discrete"):
        by_moments, optimal = gaussian.prices({40.0: 200}, noise, 1e-5)
        assert (by_moments.accountant, optimal.accountant) == ("moments_independent", "optimal_independent")
        assert by_moments.publishable
        assert optimal.publishable
        assert optimal.epsilon < by_moments.epsilon
