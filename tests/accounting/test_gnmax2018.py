"""The 2018 bound against its published form, exact laws of GNMax, and the reference votes."""

from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate
from scipy.special import log_ndtr
from scipy.stats import norm

from pate.accounting import gnmax2018
from pate.accounting.conversion import ORDERS, epsilon
from pate.accounting.gnmax2018 import (
    both_directions,
    confident,
    confident_independent,
    independent,
    log_q,
    published,
)

VOTES = np.load(Path(__file__).parent / "votes_mnistlike_250.npz")["counts"]
HALVES = np.arange(3, 400) / 2

sigmas = st.floats(0.4, 60)
some_orders = st.floats(1.01, 3) | st.floats(3, 80)


@pytest.mark.parametrize(("k", "own", "closed"), [(100, 0.818, 0.651), (500, 2.050, 1.738), (1000, 3.002, 2.601)])
def test_expected_values(k, own, closed):
    q = log_q(VOTES[:k], 40)
    assert epsilon(published(q, 40, HALVES).sum(axis=0), HALVES, 1e-5, "mironov") == pytest.approx(own, abs=6e-4)
    assert epsilon(published(q, 40, ORDERS).sum(axis=0), ORDERS, 1e-5) == pytest.approx(closed, abs=6e-4)
    both = epsilon(both_directions(q, 40, ORDERS).sum(axis=0), ORDERS, 1e-5)
    assert closed < both < 1.03 * closed  # what validity in both directions costs


def theorem_6(ln_q, sigma, a):
    """As printed: A, B, the condition on q, and Proposition 10's orders, in 60 digits."""
    with mpmath.workdps(60):
        q, sigma, a = mpmath.exp(mpmath.mpf(ln_q)), mpmath.mpf(sigma), mpmath.mpf(a)
        data_independent = a / sigma**2
        mu2 = sigma * mpmath.sqrt(mpmath.log(1 / q))
        mu1 = mu2 + 1
        eps1, eps2 = mu1 / sigma**2, mu2 / sigma**2
        if not (mu1 > a and mu2 > 1):
            return float(data_independent)
        if q > mpmath.exp((mu2 - 1) * eps2) / (mu1 / (mu1 - 1) * mu2 / (mu2 - 1)) ** mu2:
            return float(data_independent)
        big_a = (1 - q) / (1 - (q * mpmath.exp(eps2)) ** ((mu2 - 1) / mu2))
        big_b = mpmath.exp(eps1) / q ** (1 / (mu1 - 1))
        assert big_a <= big_b  # our extra condition takes nothing away
        value = mpmath.log((1 - q) * big_a ** (a - 1) + q * big_b ** (a - 1)) / (a - 1)
        return float(min(value, data_independent))


@settings(max_examples=300, deadline=None)
@given(st.floats(-60, -0.5) | st.floats(-2000, -60), sigmas, some_orders)
def test_the_short_form_is_theorem_6_with_proposition_10(ln_q, sigma, a):
    assert published([ln_q], sigma, [a])[0, 0] == pytest.approx(theorem_6(ln_q, sigma, a), rel=1e-9, abs=1e-15)


@settings(max_examples=300, deadline=None)
@given(st.floats(-400, 0.5), st.floats(0, 5), sigmas, some_orders)
@pytest.mark.parametrize("bound", [published, both_directions])
def test_a_larger_q_never_costs_less(bound, ln_q, more, sigma, a):
    """So that an upper bound on q will do, and so that the smooth sensitivity may walk along q."""
    small, large = bound([ln_q, ln_q + more], sigma, [a])[:, 0]
    assert small <= large * (1 + 1e-12) + 1e-15


def renyi(log_p, log_other, a):
    return float(np.logaddexp.reduce(a * log_p - (a - 1) * log_other)) / (a - 1)


def two_classes(gap, sigma):
    return log_ndtr(np.array([gap, -gap]) / (sigma * np.sqrt(2)))


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 300), sigmas, some_orders)
def test_two_classes_exactly(gap, sigma, a):
    counts = np.array([[gap, 0]])
    here = two_classes(gap, sigma)
    one, both = published(log_q(counts, sigma), sigma, [a])[0, 0], both_directions(log_q(counts, sigma), sigma, [a])
    for there in (two_classes(gap - 2, sigma), two_classes(gap + 2, sigma)):
        if abs(there[0]) + abs(here[0]) > 1e-13:  # else the exact divergence is rounding
            assert renyi(here, there, a) <= one * (1 + 1e-9) + 1e-13
            assert renyi(there, here, a) <= both[0, 0] * (1 + 1e-9) + 1e-13


def discrete_mass(sigma):
    k = np.arange(-int(14 * sigma) - 330, int(14 * sigma) + 331)
    mass = np.exp(-((k / sigma) ** 2) / 2)
    return k, mass / mass.sum()


@pytest.mark.parametrize("sigma", [0.4, 1.3, 6.0, 20.0])
def test_with_discrete_noise_q_is_the_chance_of_losing_to_any_rival(sigma):
    """Summed over all pairs of whole noises, ties decided by a coin."""
    k, mass = discrete_mass(sigma)
    below = np.cumsum(mass) - mass / 2  # Pr[K < k] + Pr[K = k] / 2
    for row in ([9, 5, 2], [4, 4, 4], [12, 1, 0]):
        pairs = 0.0
        for rival in row[1:]:
            gap = row[0] - rival
            pairs += mass[gap:] @ below[: len(k) - gap]  # the leader's noise falls short of the rival's by the gap
        assert log_q(np.array([row]), sigma, "discrete")[0] == pytest.approx(np.log(pairs), abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 60), st.floats(0.4, 20), some_orders)
def test_two_classes_with_discrete_noise(gap, sigma, a):
    """The divergences of the laws themselves are below both bounds, as for continuous noise."""

    def law(lead):
        lose = log_q(np.array([[abs(lead), 0]]), sigma, "discrete")[0]
        pair = np.array([np.log1p(-np.exp(lose)), lose])
        return pair if lead >= 0 else pair[::-1]

    here = law(gap)
    one, both = (bound(here[1:], sigma, [a])[0, 0] for bound in (published, both_directions))
    for there in (law(gap - 2), law(gap + 2)):
        if abs(there[0]) + abs(here[0]) > 1e-13:  # else the exact divergence is rounding
            assert renyi(here, there, a) <= one * (1 + 1e-9) + 1e-13
            assert renyi(there, here, a) <= both * (1 + 1e-9) + 1e-13


def test_a_threshold_with_discrete_noise_counts_its_own_tail():
    k, mass = discrete_mass(5.0)
    counts, orders = np.array([[30, 10, 10]]), np.array([2.0, 6.0])
    test = published([np.log(mass[30 + k < 20.5].sum())], 5 * np.sqrt(2), orders)
    answer = published(log_q(counts, 8.0, "discrete"), 8.0, orders)
    np.testing.assert_allclose(confident(counts, 20.5, 5.0, 8.0, orders, noise="discrete"), test + answer, rtol=1e-9)


def test_theorem_6_does_not_hold_for_the_other_direction():
    """Two classes, a gap of 9: D' || D costs hundreds of times the published bound for D || D'."""
    for sigma, gap, a, times in ((1, 9, 2, 300), (5, 47, 4, 3.5)):
        here, there = two_classes(gap, sigma), two_classes(gap - 2, sigma)
        bound = published(log_q(np.array([[gap, 0]]), sigma), sigma, [a])[0, 0]
        assert renyi(here, there, a) <= bound
        assert renyi(there, here, a) > times * bound


def law(counts, sigma):
    x = np.linspace(min(counts) - 12 * sigma, max(counts) + 12 * sigma, 4001)
    cdf = np.stack([norm.cdf(x, n, sigma) for n in counts])
    return np.array(
        [
            integrate.trapezoid(norm.pdf(x, n, sigma) * np.delete(cdf, j, axis=0).prod(axis=0), x)
            for j, n in enumerate(counts)
        ]
    )


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 30), min_size=3, max_size=4).filter(any), st.floats(1, 12), st.floats(1.1, 12))
def test_more_classes_by_integration(row, sigma, a):
    here = law(row, sigma)
    ln_q = log_q(np.array([row]), sigma)
    assert 1 - here[np.argmax(row)] <= np.exp(ln_q[0]) * (1 + 1e-6) + 1e-9
    one, both = published(ln_q, sigma, [a])[0, 0], both_directions(ln_q, sigma, [a])[0, 0]
    for i in np.flatnonzero(row):
        for j in set(range(len(row))) - {i}:
            moved = np.array(row)
            moved[i] -= 1
            moved[j] += 1
            there = law(moved, sigma)
            if min(here.min(), there.min()) > 1e-9:
                assert renyi(np.log(here), np.log(there), a) <= one + 1e-7
                assert renyi(np.log(there), np.log(here), a) <= both + 1e-7


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 200), min_size=2, max_size=8), st.randoms())
def test_permuting_classes_changes_nothing(row, random):
    shuffled = list(row)
    random.shuffle(shuffled)
    both = log_q(np.array([row, shuffled]), 7.0)
    assert both[0] == both[1]


def test_wide_gaps_underflow_to_nothing():
    counts = np.array([[gap, 0, 0] for gap in (2_000, 3_000, 10_000, 1_000_000)])
    q = log_q(counts, 40)
    assert (q < -300).all()
    assert np.isfinite(q).all()
    for bound in (published, both_directions):
        cost = bound(q, 40, [1.5, 8, 64])
        assert (np.diff(cost, axis=0) <= 0).all()
        assert cost[-1].max() == 0


def confident_law(counts, threshold, threshold_sigma, sigma):
    """ln of no answer, the first class, the second class."""
    above = (max(counts) - threshold) / threshold_sigma
    return np.concatenate([[log_ndtr(-above)], log_ndtr(above) + two_classes(counts[0] - counts[1], sigma)])


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 100), st.integers(0, 100), st.floats(0, 150), st.floats(0.5, 60), sigmas, st.floats(1.01, 30))
def test_confident_gnmax_exactly_with_two_classes(first, second, threshold, threshold_sigma, sigma, a):
    counts = np.array([[first, second]])
    here = confident_law([first, second], threshold, threshold_sigma, sigma)
    one = confident(counts, threshold, threshold_sigma, sigma, [a])[0, 0]
    both = confident(counts, threshold, threshold_sigma, sigma, [a], both_directions)[0, 0]
    assert one <= both <= confident_independent(threshold_sigma, sigma, [a])[0] * (1 + 1e-12)
    for moved in ([first - 1, second + 1], [first + 1, second - 1]):
        if min(moved) >= 0:
            there = confident_law(moved, threshold, threshold_sigma, sigma)
            if min(here.min(), there.min()) > -600:
                assert renyi(here, there, a) <= one * (1 + 1e-9) + 1e-12
                assert renyi(there, here, a) <= both * (1 + 1e-9) + 1e-12


def test_the_data_independent_costs_are_the_gaussian_mechanisms():
    """Mironov 2017, Proposition 7: a d^2 / (2 sigma^2) at distance d, sqrt(2) for the counts, 1 for the largest."""
    np.testing.assert_allclose(independent(40, [2, 8]), [2 / 1600, 8 / 1600])
    np.testing.assert_allclose(confident_independent(150, 40, [2]), [2 / (2 * 150**2) + 2 / 1600])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: log_q(np.array([[3, 1]]), 0), "sigma must be a positive number"),
        (lambda: published([-3.0], float("nan"), [2]), "sigma must be a positive number"),
        (lambda: gnmax2018.independent(1, [1]), "orders must be finite and greater than 1"),
        (lambda: confident(np.array([[3, 1]]), float("nan"), 1, 1, [2]), "threshold must be a finite number"),
        (lambda: confident(np.array([[3, 1]]), 2, -1, 1, [2]), "threshold_sigma must be a positive number"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
