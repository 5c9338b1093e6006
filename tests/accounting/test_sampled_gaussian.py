"""DP-SGD's published figures and the moments behind them, by numerical integration."""

import numpy as np
import pytest
from scipy import integrate
from scipy.stats import norm

from pate.accounting import sampled_gaussian
from pate.accounting.sampled_gaussian import MOMENTS, log_moments, moments, pld, rdp, renyi

FIGURE = (0.01, 4.0, 10_000, 1e-5)  # Abadi et al. 2016, section 5.1 and figure 2


def test_the_figures_of_dp_sgd():
    assert sampled_gaussian.strong_composition_as_published(*FIGURE) == pytest.approx(9.34, abs=5e-3)
    assert moments(*FIGURE) == pytest.approx(1.258, abs=1e-3)  # published: 1.26
    closed = renyi(*FIGURE)
    assert closed == pytest.approx(1.0355, abs=5e-4)
    assert closed - 1e-4 < renyi(*FIGURE, by="lossless") <= closed
    assert pld(*FIGURE) == pytest.approx(0.947, abs=1e-3)


def mixtures(q, sigma):
    x = np.linspace(-60 * sigma, 60 * sigma + 40, 200_001)
    zero = norm.logpdf(x, 0, sigma)
    mixed = np.logaddexp(np.log1p(-q) + zero, np.log(q) + norm.logpdf(x, 1, sigma))
    return x, zero, mixed


@pytest.mark.parametrize(("q", "sigma"), [(0.01, 4.0), (0.1, 2.0), (0.5, 6.0)])
def test_moments_are_the_larger_of_the_two_integrals(q, sigma):
    x, zero, mixed = mixtures(q, sigma)
    found = log_moments(q, sigma)
    for i in (0, 1, 7, 31):
        order = MOMENTS[i]
        one = np.log(integrate.simpson(np.exp(mixed + order * (mixed - zero)), x=x))
        other = np.log(integrate.simpson(np.exp(zero + order * (zero - mixed)), x=x))
        assert found[i] == pytest.approx(max(one, other), rel=1e-6, abs=1e-12)


def test_renyi_divergences_are_the_integrals_at_real_orders():
    """dp_accounting sums a series whose rest it bounds from above: too high at small orders, never too low."""
    x, zero, mixed = mixtures(0.05, 2.0)
    orders = np.array([1.5, 2.7, 9.25])
    exact = [np.log(integrate.simpson(np.exp(a * mixed - (a - 1) * zero), x=x)) / (a - 1) for a in orders]
    ratio = rdp(0.05, 2.0, orders) / exact
    assert (ratio >= 1 - 1e-9).all()
    assert (ratio <= [1.2, 1.01, 1 + 1e-6]).all()


def test_without_sampling_it_is_the_gaussian_mechanism():
    np.testing.assert_allclose(log_moments(1.0, 3.0), MOMENTS * (MOMENTS + 1) / (2 * 9), rtol=1e-12)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ((0, 4, 1, 1e-5), "q must be a probability"),
        ((0.1, 0, 1, 1e-5), "sigma must be a positive number"),
        ((0.1, 4, 0, 1e-5), "steps must be at least 1"),
        ((0.1, 4, 1, 1), "delta must lie strictly"),
    ],
)
def test_bad_input_is_named(settings, words):
    for accountant in (moments, renyi, sampled_gaussian.strong_composition_as_published):
        with pytest.raises(ValueError, match=words):
            accountant(*settings)
