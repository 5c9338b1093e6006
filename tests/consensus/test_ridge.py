"""How much to believe is told by the release: against true beliefs it never sees, and a posterior written by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from pate.consensus.answers import centred_length, unit_length
from pate.consensus.ridge import fit, shares

CLASSES, RECORDS = 3, 4000


def made_up(seed, noise):
    """Records whose class depends on where they stand, a public pool of their kind, and one noisy sum."""
    rng = np.random.default_rng(seed)
    axes = np.random.default_rng(0).normal(size=(12, CLASSES))
    phi = unit_length(rng.normal(size=(RECORDS, 12)) / np.arange(1, 13))
    pool = unit_length(rng.normal(size=(3000, 12)) / np.arange(1, 13))

    def truth(rows):
        raw = np.exp(4 * rows @ axes)
        return raw / raw.sum(axis=1, keepdims=True)

    y = (rng.uniform(size=(RECORDS, 1)) > np.cumsum(truth(phi), axis=1)).sum(axis=1)
    total = phi.T @ (np.eye(CLASSES)[y] - 1 / CLASSES) + rng.normal(0, noise, (12, CLASSES))
    return pool, total, truth(pool) - 1 / CLASSES


@pytest.mark.parametrize("noise", [1.0, 60.0, 400.0])
def test_it_is_as_good_as_the_best_ridge_regression(noise):
    """Of which every penalty is tried, and the best chosen by the true beliefs."""
    ours, best = [], []
    for seed in range(8):
        pool, total, truth = made_up(seed, noise)
        found = fit(pool, total, RECORDS, noise, centred_length(CLASSES))
        centred = total - total.mean(axis=1, keepdims=True)
        moments = pool.T @ pool / len(pool)
        ridges = [np.linalg.solve(moments + one * np.eye(12), centred / RECORDS) for one in np.geomspace(1e-8, 1e2, 51)]
        best.append(min(((pool @ ridge - truth) ** 2).sum(axis=1).mean() for ridge in ridges))
        ours.append(((pool @ found.weights - truth) ** 2).sum(axis=1).mean())
    assert np.mean(ours) <= 1.2 * np.mean(best)


def test_it_is_the_posterior_mean():
    """Of a Gaussian model written out class by class, at the strength it found."""
    noise = 30.0
    pool, total, _ = made_up(3, noise)
    found = fit(pool, total, RECORDS, noise, 0.0)
    moments = pool.T @ pool / len(pool)
    prior = np.linalg.inv(found.strength * moments)  # of W, a class: variance strength w_j in direction j
    precision = (noise / RECORDS) ** -2
    centred = (total - total.mean(axis=1, keepdims=True)) / RECORDS
    expected = np.linalg.solve(precision * moments @ moments + prior, precision * moments @ centred)
    assert np.allclose(found.weights, expected, rtol=1e-6, atol=1e-9)


def test_the_more_noise_the_less_is_heard():
    heard = [fit(*made_up(0, noise)[:2], RECORDS, noise, centred_length(CLASSES)).heard for noise in (1, 100, 3000)]
    assert 12 >= heard[0] > heard[1] > heard[2] >= 0


def test_noise_alone_says_nothing():
    pool, total, _ = made_up(0, 1.0)
    rng = np.random.default_rng(1)
    scores = [
        np.abs(pool @ fit(pool, rng.normal(0, 200.0, total.shape), RECORDS, 200.0, centred_length(CLASSES)).weights)
        for _ in range(10)
    ]
    assert np.mean(scores) < 0.02


@given(arrays(np.float64, (5, 4), elements=st.floats(-3, 3)))
def test_shares_are_the_nearest_point_of_the_simplex(scores):
    found = shares(scores)
    assert np.allclose(found.sum(axis=1), 1)
    assert (found >= 0).all()
    assert (found.argmax(axis=1) == scores.argmax(axis=1)).all() or np.isclose(
        np.take_along_axis(found, scores.argmax(axis=1)[:, None], 1)[:, 0], found.max(axis=1)
    ).all()
    wanted = scores[0] + 0.25
    best = minimize(
        lambda p: ((p - wanted) ** 2).sum(), np.full(4, 0.25), bounds=[(0, 1)] * 4, method="SLSQP",
        constraints={"type": "eq", "fun": lambda p: p.sum() - 1},
    )  # fmt: skip
    assert ((found[0] - wanted) ** 2).sum() <= best.fun + 1e-6
