"""The discrete Gaussian against high precision, its divergences against the theorem."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pate.accounting.discrete_gaussian import log_below, log_mass, log_overtakes, log_tail, sums_from


def masses(sigma, reach):
    """exp(-k^2 / (2 sigma^2)) for k = -reach..reach in 40 digits, and their sum."""
    terms = {k: mpmath.exp(-(mpmath.mpf(k) ** 2) / (2 * mpmath.mpf(sigma) ** 2)) for k in range(-reach, reach + 1)}
    return terms, mpmath.fsum(terms.values())


@pytest.mark.parametrize("sigma", [0.05, 0.3, 0.99, 1.0, 1.7, 6.0, 19.9, 20.1, 33.0])
def test_masses_and_tails_have_all_their_digits(sigma):
    with mpmath.workdps(40):
        reach = int(50 * sigma) + 330
        terms, total = masses(sigma, reach)
        for k in (-30, -3, -1, 0, 1, 2, 5, 17, 60, 200, int(37 * sigma) + 1):
            tail = mpmath.log(mpmath.fsum(terms[i] for i in range(k, reach + 1)) / total)
            assert log_tail(np.array(k), sigma) == pytest.approx(float(tail), rel=1e-15, abs=1e-15)
            mass = float(mpmath.log(terms[k] / total))
            assert log_mass(np.array(float(k)), sigma) == pytest.approx(mass, rel=1e-15, abs=1e-15)


def test_a_wide_table_keeps_its_digits():
    """Against the Euler-Maclaurin formula: the integral, half the first term, and two derivatives."""
    sigma = 3000.0
    for k in (1, 500, 3000, 12_000, 60_000):
        z = mpmath.mpf(k) / sigma
        density = mpmath.npdf(z) / sigma
        slope, third = -z / sigma * density, -(z**3 - 3 * z) / sigma**3 * density
        tail = mpmath.ncdf(-z) + density / 2 - slope / 12 + third / 720
        assert log_tail(np.array(k), sigma) == pytest.approx(float(mpmath.log(tail)), abs=1e-13)


@pytest.mark.parametrize("sigma", [0.4, 5.0, 25.0])
def test_with_a_uniform_part_the_law_is_linear_between_whole_numbers(sigma):
    cell, part = np.array([-9.0, -2.0, 0.0, 1.0, 6.0])[:, None], np.array([0.0, 0.25, 1.0])
    k = np.arange(-1500, 1501)
    mass = np.exp(log_mass(k.astype(float), sigma))
    expected = np.array([[mass[k < c].sum() + u * mass[k == c].sum() for u in part] for c in cell[:, 0]])
    np.testing.assert_allclose(np.exp(log_below(cell, part, sigma)), expected, rtol=1e-12)


@pytest.mark.parametrize("sigma", [0.05, 0.5, 3.0, 16.0])
@pytest.mark.parametrize("gap", [0, 1, 2, 7, 40])
def test_overtaking_is_a_sum_over_pairs(sigma, gap):
    with mpmath.workdps(40):
        reach = int(20 * sigma) + 2 * gap + 20
        terms, total = masses(sigma, reach)
        below, chance = mpmath.mpf(0), mpmath.mpf(0)
        for k in range(-reach, reach + 1 - gap):  # k is the leader's noise, k + gap what a rival ties with it at
            chance += terms[k + gap] * (below + terms[k] / 2)
            below += terms[k]
        assert log_overtakes(np.array(gap), sigma) == pytest.approx(float(mpmath.log(chance / total**2)), rel=1e-14)


def test_sums_from_each_term_on():
    terms = np.random.default_rng(0).random((3, 1001))
    expected = [[math.fsum(row[i:]) for i in range(1001)] for row in terms]
    np.testing.assert_allclose(sums_from(terms), expected, rtol=1e-14)


@settings(max_examples=200, deadline=None)
@given(st.floats(0.1, 30), st.floats(1.01, 40), st.integers(1, 3))
def test_whole_shifts_diverge_at_most_like_the_continuous_gaussian(sigma, alpha, shift):
    """Canonne, Kamath & Steinke 2020, Proposition 5; with equality at whole orders."""
    for order in (alpha, math.ceil(alpha) + 0.0):
        centre = order * shift  # where the tilted sum has its mass
        k = np.arange(int(centre - 12 * sigma) - 3, int(centre + 12 * sigma) + 4).astype(float)
        moment = np.logaddexp.reduce(order * log_mass(k - shift, sigma) + (1 - order) * log_mass(k, sigma))
        bound = order * shift**2 / (2 * sigma**2)
        rounding = 1e-12 * (1 + (order * shift / sigma) ** 2) / (order - 1)
        assert moment / (order - 1) <= bound + rounding
        if order == round(order):
            assert moment / (order - 1) == pytest.approx(bound, abs=rounding)
