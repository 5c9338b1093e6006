"""Composed privacy losses against another library, simulation and what is known of rare losses."""

import math

import numpy as np
import pytest

from pate.accounting.exact_pld import losses
from pate.accounting.pld import Losses, compose, connect_the_dots
from pate.accounting.quadrature import laplace
from tests.accounting.one_answer import hockey_stick, law_of, pairs


def test_composition_is_what_dp_accounting_computes():
    """The same masses, composed by Google's library."""
    from dp_accounting.pld import pld_pmf

    law, step, reach = law_of([9, 6, 5, 0], laplace(0.3, 20, 4)), 0.01, 61
    one = losses(law, step, reach)[0]
    peer = pld_pmf.DensePLDPmf(step, -reach, one.masses[0] / one.masses[0].sum(), 0.0, True).self_compose(40)
    (ours,) = compose(one, np.array([40.0]), 1e-5)
    for delta in (1e-3, 1e-5, 1e-7):
        assert ours.epsilon(delta) == pytest.approx(peer.get_epsilon_for_delta(delta), abs=1e-3)
    for epsilon in (0.5, 2.0, 4.0):
        assert ours.delta(epsilon) == pytest.approx(peer.get_delta_for_epsilon(epsilon), rel=1e-4, abs=1e-10)


def test_composed_delta_by_simulation():
    """Delta of 25 answers for one fixed neighbour each, from draws of the privacy loss; ours is for the worst."""
    rng, grid, k, epsilon, n = np.random.default_rng(5), laplace(0.2, 20, 2), 25, 1.0, 200_000
    law = law_of([12, 8], grid)
    (p, q) = next((p, q) for p, q in pairs(law) if p[0] > q[0])  # two classes: both directions have one neighbour each
    total = np.zeros(n)
    for _ in range(k):
        total += np.log(p / q)[(rng.random(n) > p[0]).astype(int)]
    excess = np.maximum(-np.expm1(epsilon - total), 0)
    mean, error = excess.mean(), excess.std() / math.sqrt(n)
    chosen = Losses(0.002, *_single(p, q, 0.002))
    (composed,) = compose(chosen, np.array([float(k)]), 1e-4)
    assert composed.delta(epsilon) == pytest.approx(mean, abs=5 * error)
    (worst,) = compose(losses(law, 0.002, 250)[0], np.array([float(k)]), 1e-4)
    assert worst.delta(epsilon) >= mean - 5 * error


def _single(p, q, step):
    """The loss distribution of one pair, through the polygon of its own curve."""
    reach = int(np.ceil(np.abs(np.log(p / q)).max() / step)) + 1
    points = step * np.arange(-reach, reach + 1)
    curve = np.array([hockey_stick(p, q, e) for e in points])
    made = connect_the_dots(curve[None, reach + 1 :], (curve + np.expm1(points))[None, : reach + 1], step)
    return made.masses, made.infinite


def test_the_window_bounds_what_an_fft_would_hide():
    """A rare huge loss: a window sized by mean and variance alone would wrap it around."""
    masses = np.zeros((1, 2001))
    masses[0, 1000], masses[0, 2000], masses[0, 999] = 0.999 - 0.0005, 0.001, 0.0005
    one = Losses(0.01, masses, np.zeros(1))
    (composed,) = compose(one, np.array([30.0]), 1e-6)
    lost = 1 - (1 - 0.001) ** 30  # at least one loss of 10
    assert composed.delta(5.0) >= lost * 0.98
    assert composed.epsilon(1e-6) > 20


def test_infinite_losses_are_paid_by_delta():
    one = Losses(0.01, np.array([[0.0, 1 - 1e-6, 0.0]]), np.array([1e-6]))
    (composed,) = compose(one, np.array([5.0]), 1e-5)
    assert composed.delta(0.0) >= 5e-6
    assert composed.epsilon(1e-6) == math.inf


def test_mass_at_infinity_alone_leaves_no_finite_epsilon():
    (composed,) = compose(Losses(0.01, np.zeros((1, 3)), np.ones(1)), np.array([2.0]), 1e-5)
    assert composed.epsilon(1e-5) == math.inf
