"""The published moments against the papers' figures, numerical integration and simulation."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from pate.accounting.composition import advanced, basic
from pate.accounting.moments import ORDERS, epsilon_from_moments, independent, pate2017, plurality_loses

VOTES = np.load(Path(__file__).parent / "votes_mnistlike_250.npz")["counts"]
EXPECTED = {  # delta 1e-5, gamma 0.05, the first k rows; 2.04 and 8.03 are Papernot et al. 2017, table 1
    100: (10, 5.850, 5.303, 2.0395),
    500: (50, 15.988, 13.257, 5.0293),
    1000: (100, 25.691, 20.757, 8.0301),
}


@pytest.mark.parametrize("k", EXPECTED)
def test_expected_values(k):
    q = plurality_loses(VOTES[:k], 0.05, "continuous")
    found = (
        basic(0.1, k),
        advanced(0.1, k, 1e-5),
        epsilon_from_moments(k * independent(0.05), ORDERS, 1e-5),
        epsilon_from_moments(pate2017(q, 0.05).sum(axis=0), ORDERS, 1e-5),
    )
    assert found == pytest.approx(EXPECTED[k], abs=6e-4)


@pytest.mark.parametrize("gap", [0, 1, 7, 40])
@pytest.mark.parametrize("gamma", [0.05, 0.7])
def test_the_laplace_tail_is_the_integral(gap, gamma):
    law = stats.laplace(scale=1 / gamma)
    edges = [-gap, 0, 20 / gamma + gap]
    mass = sum(
        integrate.quad(lambda x: law.pdf(x) * law.sf(x + gap), a, b)[0]
        for a, b in [(-40 / gamma, edges[0]), (edges[0], edges[1]), (edges[1], 40 / gamma)]
    )
    counts = np.array([[gap, 0]])
    assert plurality_loses(counts, gamma, "continuous")[0] == pytest.approx(mass, rel=1e-6)


@pytest.mark.parametrize("gap", [0, 1, 7, 40])
@pytest.mark.parametrize("gamma", [0.05, 0.7])
def test_the_discrete_tail_is_the_sum(gap, gamma):
    k = np.arange(-4000, 4001)
    law = np.tanh(gamma / 2) * np.exp(-gamma * np.abs(k))
    difference = np.convolve(law, law[::-1])
    offset = np.arange(-8000, 8001)
    mass = difference[offset > gap].sum() + difference[offset == gap].sum() / 2
    assert plurality_loses(np.array([[gap, 0]]), gamma, "discrete")[0] == pytest.approx(mass, rel=1e-9)


def two_class_moment(counts, gamma, order):
    """The exact moment of two-class LNMax in the direction D || D', over both neighbours, by integration."""

    def wins(gap):
        return 1 - plurality_loses(np.array([[gap, 0]]), gamma, "continuous")[0] if gap >= 0 else 1 - wins(-gap)

    gap = counts[0] - counts[1]
    p = np.array([wins(gap), 1 - wins(gap)])
    worst = 0.0
    for moved in (gap - 2, gap + 2):
        other = np.array([wins(moved), 1 - wins(moved)])
        worst = max(worst, float(np.log((p ** (1 + order) * other**-order).sum())))
    return worst


@settings(max_examples=200, deadline=None)
@given(
    st.integers(min_value=2, max_value=60),
    st.data(),
    st.floats(min_value=0.01, max_value=0.5),
    st.sampled_from(list(ORDERS)),
)
def test_in_its_direction_the_published_bound_holds(teachers, data, gamma, order):
    ahead = data.draw(st.integers(min_value=(teachers + 1) // 2, max_value=teachers))
    counts = np.array([[ahead, teachers - ahead]])
    bound = pate2017(plurality_loses(counts, gamma, "continuous"), gamma, np.array([order]))[0, 0]
    assert two_class_moment(counts[0], gamma, order) <= bound + 1e-9


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 200), min_size=2, max_size=8), st.randoms(), st.sampled_from(["continuous", "discrete"]))
def test_permuting_classes_changes_nothing(row, random, noise):
    shuffled = list(row)
    random.shuffle(shuffled)
    both = plurality_loses(np.array([row, shuffled]), 0.1, noise)
    assert both[0] == both[1]


def test_where_theorem_3_does_not_apply_theorem_2_holds():
    gamma = 0.5  # here 1/(1+e) = 0.27 is below 0.5, where published code would still apply it
    q = np.array([0.3, 0.45])
    np.testing.assert_array_equal(pate2017(q, gamma), np.tile(independent(gamma), (2, 1)))


def test_a_certain_answer_costs_nothing():
    assert pate2017(np.array([0.0]), 0.05).max() == pytest.approx(0, abs=1e-15)


def test_independent_moments_cover_randomised_response():
    """The worst 2*gamma-DP mechanism: its exact moment stays below the bound."""
    for gamma in (0.01, 0.2, 1.0):
        p = 1 / (1 + np.exp(-2 * gamma))
        exact = np.log(p * np.exp(2 * gamma * ORDERS) + (1 - p) * np.exp(-2 * gamma * ORDERS))
        assert (exact <= independent(gamma) + 1e-12).all()
