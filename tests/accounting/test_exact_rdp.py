"""Exact divergences against their definition and the published bounds."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pate.accounting import gnmax2018, moments
from pate.accounting.exact_rdp import divergences
from pate.accounting.ladder import exactly
from pate.accounting.law import chunks, laws
from pate.accounting.quadrature import discrete_gaussian, discrete_laplace, gaussian, laplace
from pate.aggregation.gnmax import GNMax
from tests.accounting.one_answer import law_of, pairs


@pytest.mark.parametrize(
    "grid",
    [laplace(0.3, 20, 4), gaussian(4.0, 20, 4), discrete_gaussian(4.0, 20, 4)],
    ids=["laplace", "gaussian", "discrete gaussian"],
)
def test_divergences_are_the_definition(grid):
    law, orders = law_of([9, 6, 5, 0], grid), np.array([1.125, 1.25, 1.5, 2.0, 3.0, 7.3, 33.0])
    found = divergences(law, orders)[:, 0]
    for way, flip in enumerate((False, True)):
        worst = np.zeros(len(orders))
        for p, q in pairs(law):
            p, q = (q, p) if flip else (p, q)
            each = [math.log(math.fsum(p**a * q ** (1 - a))) / (a - 1) for a in orders]
            worst = np.maximum(worst, each)
        assert found[way] == pytest.approx(worst, rel=1e-9, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 60), min_size=2, max_size=6).filter(any),
    st.floats(0.02, 0.7),
    st.sampled_from(["continuous", "discrete", "gaussian", "discrete gaussian"]),
)
def test_in_direction_d_d_exact_never_exceeds_the_published_bound(counts, gamma, noise):
    counts, teachers, orders = np.array([counts]), sum(counts), np.array([1.5, 2.0, 3.0, 5.0, 9.0, 17.0])
    if noise == "gaussian":
        sigma = 1 / gamma
        grid, bound = (
            gaussian(sigma, teachers, counts.shape[1]),
            gnmax2018.published(gnmax2018.log_q(counts, sigma), sigma, orders),
        )
    elif noise == "discrete gaussian":
        sigma = 1 / gamma
        grid = discrete_gaussian(sigma, teachers, counts.shape[1])
        bound = gnmax2018.published(gnmax2018.log_q(counts, sigma, "discrete"), sigma, orders)
    else:
        grid = (laplace if noise == "continuous" else discrete_laplace)(gamma, teachers, counts.shape[1])
        q = moments.plurality_loses(counts, gamma, noise)
        bound = moments.pate2017(q, gamma, orders - 1) / (orders - 1)
    found = divergences(law_of(counts[0].tolist(), grid), orders)[0, 0]
    assert (found <= bound[0] + 1e-8).all()


def test_the_other_direction_can_cost_more_than_the_published_bound():
    """Two classes, gamma 1, gap 34: why a bound of one direction is never claimed."""
    grid, orders = laplace(1.0, 34, 2), np.array([2.0])
    here, back = divergences(law_of([34, 0], grid), orders)[:, 0, 0]
    q = moments.plurality_loses(np.array([[34, 0]]), 1.0, "continuous")
    bound = moments.pate2017(q, 1.0, orders - 1)[0, 0]
    assert here <= bound + 1e-9
    assert back > 2.5 * bound


@pytest.mark.parametrize("order", [1.5, 40.0, 900.0, 8193.0])
def test_a_divergence_is_known_where_its_moment_is_no_double(order):
    """At high orders it nears the largest loss from below: exp((a - 1) D) >= P_j exp((a - 1) loss_j) for each j."""
    counts = np.array([[3, 2]])
    grid = exactly(GNMax(0.5), counts).grid
    (chunk,) = chunks(counts, grid)
    law = laws(chunk, grid)
    loss = np.where(law.weight > 0, law.logratio, -np.inf)
    j = np.unravel_index(np.argmax(loss), loss.shape)
    found = divergences(law, np.array([order]))[0, 0, 0]
    assert loss[j] + math.log(law.p[j]) / (order - 1) <= found
    if order > 100:
        assert found <= loss[j] + 1e-11
