"""The law of what is released, on a toy small enough to count: against the exact curve, both directions, groups too."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest, norm

from pate.accounting.gaussian_sum import far_from_rounded, noise_for
from pate.accounting.guarantee import Adjacency
from pate.consensus.answers import (
    BOUND,
    centred_length,
    sum_of_groups,
    sum_of_records,
    sum_of_residuals,
    unit_length,
)
from pate.consensus.gaussian import CUT, MOST, GaussianPlan
from pate.consensus.kernel import KernelConsensus
from pate.consensus.noisy_sum import NoisySum
from pate.data.budgets import Budgets
from pate.noise import source

DRAWS = 200_000
PLAN = KernelConsensus().plan(1.0, 1e-3, None)
PHI = unit_length(np.array([[1.0], [1.0], [-1.0]]))
Y = np.array([0, 0, 1])


def released(total, plan):
    """Many draws of one sum, along the direction in which the first record moves it, in bounds."""
    noisy = plan.draw(np.broadcast_to(total, (DRAWS, *total.shape)), source(None))
    way = sum_of_records(PHI[:1], Y[:1], 2).astype(float)
    return np.tensordot(noisy - total, way, axes=2) / np.linalg.norm(way) / BOUND + _along(total, way)


def _along(total, way):
    return float((total * way).sum() / np.linalg.norm(way) / BOUND)


@pytest.mark.parametrize("plan", [PLAN, KernelConsensus(noise="continuous").plan(1.0, 1e-3, None)])
def test_noise_has_the_deviation_it_is_paid_for(plan):
    sample = released(sum_of_records(PHI, Y, 2), plan)
    assert np.var(sample) / plan.sigma**2 == pytest.approx(1, abs=6 * math.sqrt(2 / DRAWS))


@pytest.mark.slow
@pytest.mark.parametrize("forth", [True, False])
def test_the_worst_event_is_as_likely_as_the_curve_says(forth):
    """Without its first record the sum moves by one bound. The event in which the likelihood ratio exceeds exp(epsilon)
    is a half-line; its frequencies in both data sets give the hockey-stick divergence, which is delta."""
    whole, without = sum_of_records(PHI, Y, 2), sum_of_records(PHI[1:], Y[1:], 2)
    guarantee = PLAN.guarantees()[0]
    one, other = (released(total, PLAN) for total in ((whole, without) if forth else (without, whole)))
    gap = np.median(one) - np.median(other)
    assert abs(gap) == pytest.approx(1, abs=6 * 1.2533 * PLAN.sigma * math.sqrt(2 / DRAWS))
    epsilon = guarantee.epsilon
    exact = norm.cdf(1 / (2 * PLAN.sigma) - epsilon * PLAN.sigma) - math.exp(epsilon) * norm.cdf(
        -1 / (2 * PLAN.sigma) - epsilon * PLAN.sigma
    )
    assert exact <= guarantee.delta
    middle = (_along(whole, _way()) + _along(without, _way())) / 2
    side = 1 if gap > 0 else -1
    at = middle + side * epsilon * PLAN.sigma**2
    hits = [int((side * (sample - at) > 0).sum()) for sample in (one, other)]
    likely = [
        norm.sf(epsilon * PLAN.sigma - 1 / (2 * PLAN.sigma)),
        norm.sf(epsilon * PLAN.sigma + 1 / (2 * PLAN.sigma)),
    ]
    for found, chance in zip(hits, likely, strict=True):
        assert binomtest(found, DRAWS, chance).pvalue > 1e-6


def _way():
    return sum_of_records(PHI[:1], Y[:1], 2).astype(float)


def test_a_group_moves_the_released_sum_by_its_declared_length():
    plan = KernelConsensus(clip=2.0).plan(1.0, 1e-3, "site")
    phi, y, group = unit_length(np.ones((30, 1))), np.zeros(30, np.int64), np.repeat([0, 1, 2], 10)
    whole, without = (
        sum_of_groups(phi[rows], y[rows], group[rows], 2, plan.clip) for rows in (slice(None), slice(10, None))
    )
    assert np.linalg.norm((whole - without) / BOUND) == pytest.approx(1, abs=1e-5)
    assert plan.guarantees()[0].epsilon == PLAN.guarantees()[0].epsilon  # of noise in bounds, whatever the bound
    assert str(plan.guarantees()[0].relation) == "all records of one site replaced by nothing"
    drawn = NoisySum.of_one(whole, 30, plan, seeded=False)
    assert drawn.noise[0] == pytest.approx(plan.sigma * 2.0 * centred_length(2))
    assert np.allclose(drawn.answers[0], whole / BOUND * 2.0 * centred_length(2))


@pytest.mark.parametrize("times", [2, 3])
def test_several_releases_cost_what_one_does(times):
    """Divergences of T Gaussians add up: T (1 / s)^2 with s = sqrt(T) sigma (Mironov 2017, Propositions 1 and 7)."""
    several = PLAN.in_releases(times)
    assert several.guarantees() == PLAN.guarantees()
    assert several.cost() == PLAN.cost()
    assert times / several.each**2 == pytest.approx(1 / PLAN.sigma**2)
    each = times * far_from_rounded(several.each * BOUND, MOST)
    assert each <= far_from_rounded(noise_for(1.0, 1e-3) * BOUND, MOST)


@pytest.mark.slow
def test_two_releases_are_as_private_as_the_curve_says():
    """The second sum is of what the first, as it was drawn, leaves unsaid. The log-likelihood ratio of both together
    is then Gaussian: of mean 1/(2 sigma^2) and variance 1/sigma^2 at most, whatever was said first."""
    plan, draws = PLAN.in_releases(2), 20_000
    whole = sum_of_records(PHI, Y, 2)
    without = sum_of_records(np.where(np.arange(3)[:, None] > 0, PHI, 0.0), Y, 2)
    first = plan.draw(np.broadcast_to(whole, (draws, *whole.shape)), source(None))
    loss = _loss(first, whole, without, plan.each * BOUND)
    for number, weights in enumerate(np.tanh(first / BOUND)):  # any function of what was released
        one, other = (
            sum_of_residuals(phi, Y, 2, weights, CUT) for phi in (PHI, np.where(np.arange(3)[:, None] > 0, PHI, 0.0))
        )
        loss[number] += _loss(plan.draw(one, source(None))[None], one, other, plan.each * BOUND)[0]
    most = 1 / PLAN.sigma**2
    assert loss.mean() <= most / 2 + 6 * math.sqrt(most / draws)
    assert loss.var() <= most * (1 + 6 * math.sqrt(2 / draws))
    assert loss.mean() > 0.6 * most / 2  # the second says something too


def _loss(released, one, other, deviation):
    """The logarithm of how much likelier this is around `one` than around `other`."""
    return (((released - other) ** 2 - (released - one) ** 2) / (2 * deviation**2)).sum(axis=(1, 2))


def test_both_relations_are_told_and_kept():
    drawn = NoisySum.of_one(sum_of_records(PHI, Y, 2), 3, PLAN, seeded=False)
    again = NoisySum.join(*drawn.split())
    assert again.guarantees() == drawn.guarantees() == PLAN.guarantees()
    zero, other = again.guarantees()
    assert (zero.relation.adjacency, other.relation.adjacency) == (Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE)
    assert zero.epsilon <= 1.0 < other.epsilon
    assert zero.publishable
    assert other.publishable


def test_a_release_says_what_was_drawn():
    release = PLAN.release(12)
    assert release.parameters == {"sigma": PLAN.sigma, "clip": 1.0, "components": 12, "discrete": True, "releases": 1}
    assert release.cost.epsilon == PLAN.guarantees()[0].epsilon
    assert release.cost.pure == math.inf
    assert "discrete Gaussian noise" in release.mechanism


def test_continuous_noise_is_marked():
    plan = KernelConsensus(noise="continuous").plan(1.0, 1e-5, None)
    assert "floating-point" in plan.describe()
    assert not GaussianPlan(**vars(plan)).exact_noise
    assert not NoisySum.of_one(sum_of_records(PHI, Y, 2), 3, plan, seeded=False).exact_noise


@pytest.mark.parametrize("noise", ["discrete", "continuous"])
@pytest.mark.parametrize("allowed", [0.01, 0.1, 0.5, 0.999])
def test_who_allows_less_pays_no_more_than_that(noise, allowed):
    """Against the exact curve of the share that is given (Balle & Wang 2018, Theorem 8)."""
    whole = KernelConsensus(noise=noise).plan(1.0, 1e-4, None)
    plan = whole.keeping(Budgets("wish", {"low": allowed, "all": 1.0}))
    share, none, most = plan.shares(np.array([allowed, 0.0, 1.0]))
    assert (none, most) == (0.0, 1.0)
    mu = share / plan.sigma
    delta = norm.cdf(mu / 2 - allowed / mu) - math.exp(allowed) * norm.cdf(-mu / 2 - allowed / mu)
    assert 0.99e-4 < delta <= 1e-4
    (low, price), (high, other) = plan.levels()
    assert (low, high) == ("wish is low", "wish is all")
    assert allowed * (1 - 1e-6) < price.epsilon <= allowed
    assert other == plan.guarantees()[0]
    assert plan.cost() == whole.cost()
    assert plan.in_releases(2).levels() == plan.levels()
