"""Conversions against each other, dp_accounting, brute force over pairs of coins, and the Gaussian mechanism."""

import numpy as np
import pytest
from dp_accounting.rdp import rdp_privacy_accountant as google
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_ndtr
from scipy.stats import norm

from pate.accounting.conversion import ORDERS, delta, epsilon

ALL = ("mironov", "closed_form", "lossless")
HALVES = np.arange(3, 400) / 2

orders = st.floats(1.001, 1.99) | st.floats(2, 300)
divergences = st.floats(1e-6, 20)
deltas = st.floats(-30, -0.05).map(np.exp)


@pytest.mark.parametrize(("k", "published", "closed"), [(100, 1.759, 1.478), (500, 4.106, 3.617), (1000, 5.996, 5.378)])
def test_gnmax_sigma_40_at_every_data_set(k, published, closed):
    assert epsilon(k * HALVES / 1600, HALVES, 1e-5, "mironov") == pytest.approx(published, abs=6e-4)
    assert epsilon(k * ORDERS / 1600, ORDERS, 1e-5, "closed_form") == pytest.approx(closed, abs=6e-4)
    gain = epsilon(k * ORDERS / 1600, ORDERS, 1e-5) - epsilon(k * ORDERS / 1600, ORDERS, 1e-5, "lossless")
    assert 0 <= gain < 1e-4  # the closed form leaves next to nothing here


@settings(max_examples=40, deadline=None)
@given(divergences, orders, deltas, st.floats(0, 10))
def test_each_conversion_is_at_most_the_one_before(z, a, d, e):
    by_delta = [epsilon([z], [a], d, one) for one in ALL]
    by_epsilon = [delta([z], [a], e, one) for one in ALL]
    assert by_delta[2] <= by_delta[1] <= by_delta[0]
    assert by_epsilon[2] <= by_epsilon[1] <= by_epsilon[0] <= 1
    assert min(by_delta + by_epsilon) >= 0


@settings(max_examples=40, deadline=None)
@given(divergences, orders, deltas)
@pytest.mark.parametrize("conversion", ALL)
def test_round_trips(conversion, z, a, d):
    e = epsilon([z], [a], d, conversion)
    if e > 1e-6:
        back = delta([z], [a], e, conversion)
        assert back == pytest.approx(d, rel=1e-7 * a * (1 + 1 / e))
        assert epsilon([z], [a], back, conversion) == pytest.approx(e, abs=1e-8 / (a - 1) + 1e-7)
    else:
        assert delta([z], [a], 0, conversion) <= d * (1 + 1e-6)


@pytest.mark.parametrize("sigma", [0.7, 3, 20])
def test_where_they_overlap_dp_accounting_agrees(sigma):
    grid = np.array(google.DEFAULT_RDP_ORDERS)
    rdp = grid / (2 * sigma**2)
    for d in (1e-3, 1e-6, 1e-12):
        e, _ = google.compute_epsilon(grid, rdp, d)
        assert epsilon(rdp, grid, d) == pytest.approx(e, rel=1e-12)
    for e in (1.0, 3.0):
        d, _ = google.compute_delta(grid, rdp, e)
        if d < 0.01:  # beyond, they use a bound of another kind
            assert delta(rdp, grid, e) == pytest.approx(d, rel=1e-9)


def coins(p, z, a):
    """For heads p of the one coin, the least heads of another at Renyi divergence at most z, by bisection."""
    low, high = np.zeros_like(p), p.copy()
    for _ in range(90):
        q = (low + high) / 2
        with np.errstate(divide="ignore"):
            heads, tails = a * np.log(p) - (a - 1) * np.log(q), a * np.log1p(-p) - (a - 1) * np.log1p(-q)
        near = np.logaddexp(heads, tails) <= (a - 1) * z
        low, high = np.where(near, low, q), np.where(near, q, high)
    return high


@pytest.mark.parametrize(
    ("z", "a", "d"),
    [(0.3, 2.0, 1e-3), (0.01, 1.3, 1e-3), (1.0, 20.0, 1e-5), (3.0, 5.5, 0.05), (0.2, 40.0, 1e-6), (2.0, 4.0, 0.4)],
)
def test_lossless_is_valid_and_tight_among_all_pairs_of_coins(z, a, d):
    """Harremoes & Vajda 2011: the worst pair of laws for given divergence and epsilon is a pair of coins."""
    e = epsilon([z], [a], d, "lossless")
    odds = np.linspace(-40, 40, 40_001)
    p = 1 / (1 + np.exp(-odds))
    p = p[(p > 1e-12) & (p < 1 - 1e-12)]
    worst = np.max(p - np.exp(e) * coins(p, z, a))
    if a * d >= 1:  # the worst coin is a constant, heads 1 against exp(-z)
        worst = max(worst, 1 - np.exp(e - z))
    assert worst <= d * (1 + 1e-6)
    assert worst >= d * (1 - 1e-4)
    # and the theorem's own expression, minimised on the grid, allows just this divergence
    q = p[p > d]
    first = a * np.log(q) + (1 - a) * np.log(q - d)
    second = a * np.log1p(-q) + (1 - a) * np.log(np.exp(e) - q + d)
    assert e + np.logaddexp(first, second).min() / (a - 1) == pytest.approx(z, abs=1e-6)


@settings(max_examples=25, deadline=None)
@given(st.floats(0.3, 50), st.floats(0.01, 8))
@pytest.mark.parametrize("conversion", ALL)
def test_the_gaussian_mechanism_is_never_undercharged(conversion, sigma, e):
    """Balle & Wang 2018, Theorem 8: its exact delta."""
    first, second = log_ndtr(0.5 / sigma - e * sigma), e + log_ndtr(-0.5 / sigma - e * sigma)
    true = np.exp(first) * -np.expm1(second - first)
    grid = ORDERS[::8]
    charged = delta(grid / (2 * sigma**2), grid, e, conversion)
    assert true <= charged * (1 + 1e-9)
    if 1e-200 < true < 0.5:
        exact = norm.cdf(0.5 / sigma - e * sigma) - np.exp(e) * norm.cdf(-0.5 / sigma - e * sigma)
        if exact > 1e-10:
            assert epsilon(grid / (2 * sigma**2), grid, exact, conversion) >= e * (1 - 1e-6)


def test_no_divergence_costs_nothing_and_an_infinite_one_says_nothing():
    for conversion in ALL[1:]:
        assert epsilon([0.0], [2.0], 1e-5, conversion) == 0
        assert delta([0.0], [2.0], 0.0, conversion) == 0
    assert epsilon([np.inf, 0.1], [30, 2], 1e-5) == epsilon([0.1], [2], 1e-5)
    assert epsilon([np.inf], [2], 1e-5) == np.inf
    assert delta([np.inf], [2], 1.0) == 1


def test_huge_divergences_do_not_overflow():
    for conversion in ALL:
        assert epsilon([500.0], [100.0], 1e-5, conversion) == pytest.approx(500, abs=0.2)
        assert delta([500.0], [100.0], 1.0, conversion) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: epsilon([1], [2], 0), "delta must lie strictly"),
        (lambda: epsilon([1], [2], float("nan")), "delta must lie strictly"),
        (lambda: delta([1], [2], -1), "epsilon must be zero or more"),
        (lambda: epsilon([1], [1], 1e-5), "orders must be finite and greater than 1"),
        (lambda: epsilon([-1], [2], 1e-5), "rdp must be zero or more"),
        (lambda: epsilon([np.nan], [2], 1e-5), "rdp must be zero or more"),
        (lambda: epsilon([1, 2], [2], 1e-5), "rdp must hold one value per order"),
        (lambda: epsilon([1], [2], 1e-5, "best"), "conversion must be one of"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
