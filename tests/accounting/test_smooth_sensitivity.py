"""Smooth sensitivity against brute force over all small ensembles, and the cost of a release by integration."""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp

from pate.accounting.conversion import epsilon
from pate.accounting.gnmax2018 import both_directions, log_q, published
from pate.accounting.guarantee import worst_case
from pate.accounting.smooth_sensitivity import Sanitised, release_cost, sanitised_epsilon, smooth_sensitivity
from pate.noise import source

VOTES = np.load(Path(__file__).parent / "votes_mnistlike_250.npz")["counts"]


def histograms(teachers, classes):
    return np.array([row for row in itertools.product(range(teachers + 1), repeat=classes) if sum(row) == teachers])


def brute_force(rows, costs, beta):
    """Distances by breadth-first search over single moves; then max over d of exp(-beta d) times local sensitivity."""
    place = {tuple(row): i for i, row in enumerate(rows)}
    neighbours = []
    for row in rows:
        found = []
        for a, b in itertools.permutations(range(len(row)), 2):
            if row[a] > 0:
                moved = list(row)
                moved[a] -= 1
                moved[b] += 1
                found.append(place[tuple(moved)])
        neighbours.append(found)
    local = np.array([max(abs(costs[i] - costs[j]) for j in found) for i, found in enumerate(neighbours)])
    smooth = np.empty(len(rows))
    for start in range(len(rows)):
        distance = {start: 0}
        queue = [start]
        for i in queue:
            for j in neighbours[i]:
                if j not in distance:
                    distance[j] = distance[i] + 1
                    queue.append(j)
        smooth[start] = max(math.exp(-beta * d) * local[i] for i, d in distance.items())
    return smooth, neighbours


@pytest.mark.parametrize("bound", [published, both_directions])
@pytest.mark.parametrize(("teachers", "classes"), [(8, 2), (8, 3), (7, 3), (5, 2)])
@pytest.mark.parametrize(("sigma", "order"), [(0.5, 1.5), (0.8, 3.0), (1.3, 1.2), (2.0, 2.5), (0.7, 6.0)])
def test_never_below_brute_force_and_smooth(bound, teachers, classes, sigma, order):
    rows = histograms(teachers, classes)
    costs = bound(log_q(rows, sigma), sigma, [order])[:, 0]
    for beta in (0.02, 0.3):
        true, neighbours = brute_force(rows, costs, beta)
        found = np.array([smooth_sensitivity(row[None], sigma, order, beta, bound) for row in rows])
        assert (found >= true * (1 - 1e-9)).all()
        assert found.max() <= order / sigma**2 * (1 + 1e-9)
        for i, others in enumerate(neighbours):  # without this, noise in proportion to it would leak
            assert found[i] <= math.exp(beta) * found[others].min() * (1 + 1e-9)


def test_it_is_not_far_above_brute_force_where_noise_is_wide():
    """Two classes: the scale w is exact and only the width of a cell is lost."""
    rows = histograms(40, 2)
    costs = published(log_q(rows, 4.0), 4.0, [3.0])[:, 0]
    true, _ = brute_force(rows, costs, 0.05)
    found = np.array([smooth_sensitivity(row[None], 4.0, 3.0, 0.05, published) for row in rows])
    assert (found >= true * (1 - 1e-9)).all()
    assert (found <= 1.5 * true + 1e-12).all()


def test_queries_add_up_distance_by_distance():
    """One record moves one vote in every query: equal queries add up exactly, different ones to at most the sum."""
    rows = VOTES[:30]
    each = [smooth_sensitivity(row[None], 40, 20, 0.01) for row in rows]
    together = smooth_sensitivity(rows, 40, 20, 0.01)
    assert max(each) <= together <= sum(each) * (1 + 1e-12)
    assert smooth_sensitivity(np.repeat(rows[:1], 7, axis=0), 40, 20, 0.01) == pytest.approx(7 * each[0], rel=1e-12)


def test_permuting_classes_changes_nothing():
    shuffled = np.random.default_rng(0).permuted(VOTES[:200], axis=1)
    assert smooth_sensitivity(shuffled, 40, 20, 0.01) == smooth_sensitivity(VOTES[:200], 40, 20, 0.01)


def divergence(order, mean, width, other_mean, other_width):
    """Renyi divergence of two Gaussians by integration."""
    variance = order * other_width**2 + (1 - order) * width**2
    centre = (order * mean * other_width**2 + (1 - order) * other_mean * width**2) / variance
    spread = width * other_width / math.sqrt(variance)
    x = np.linspace(centre - 12 * spread, centre + 12 * spread, 2_001)
    log_density = stats.norm.logpdf(x, mean, width), stats.norm.logpdf(x, other_mean, other_width)
    return logsumexp(order * log_density[0] - (order - 1) * log_density[1], b=x[1] - x[0]) / (order - 1)


@pytest.mark.parametrize(("order", "fraction"), [(1.5, 0.3), (4, 0.1), (10, 0.45), (25, 0.49)])
@pytest.mark.parametrize("sigma_ss", [3.0, 12.0])
@pytest.mark.parametrize("shift", [0.0, 8.0])
def test_the_release_costs_at_most_what_it_says_and_may_cost_it(order, fraction, sigma_ss, shift):
    beta = fraction / order
    bound = release_cost(order, beta, sigma_ss, shift)
    worst = 0.0
    for log_ratio in np.linspace(-beta, beta, 21):
        here, there = 1.0, math.exp(log_ratio)
        for moved in (-min(here, there), 0, min(here, there)):
            other = moved + shift * there
            found = divergence(order, shift * here, sigma_ss * here, other, sigma_ss * there)
            worst = max(worst, found)
    assert worst == pytest.approx(bound, rel=1e-6)


def test_the_published_cost_of_a_release_is_too_low():
    """Theorem 23 as in the authors' code, order * beta = 0.49: their own choice."""
    order, sigma_ss = 25, 10.0
    beta = 0.49 / order
    claimed = order * math.exp(2 * beta) / sigma_ss**2 + (beta * order - math.log(1 - 2 * order * beta) / 2) / (
        order - 1
    )
    there = math.exp(-beta)
    assert divergence(order, 0, sigma_ss, there, sigma_ss * there) > 5 * claimed


def test_the_sanitised_value_covers_the_true_one_and_is_charged():
    counts = np.repeat([[290, 6, 4], [240, 30, 30]], 5, axis=0)
    sigma, order, beta, sigma_ss, most = 20.0, 8.0, 0.02, 4.0, 10 * 8 / 20**2
    true = both_directions(log_q(counts, sigma), sigma, [order]).sum()
    draws = np.array(
        [
            (one.divergence, one.epsilon)
            for one in (
                sanitised_epsilon(counts, sigma, order, beta, sigma_ss, 1e-6, source(s), miss=0.1) for s in range(60)
            )
        ]
    )
    assert draws[:, 0].min() >= 0
    assert np.median(draws[:, 0]) < draws[:, 0].max() <= most
    assert stats.binomtest(int((draws[:, 0] < true).sum()), 60, 0.1).pvalue > 1e-6
    shift = -stats.norm.ppf(0.1) * sigma_ss
    for value, total in draws[:5]:
        charged = value + release_cost(order, beta, sigma_ss, shift)
        assert total == epsilon([charged], [order], 1e-6)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: smooth_sensitivity(VOTES[:2], 40, 20, 0), "beta must be a positive number"),
        (lambda: smooth_sensitivity(VOTES[:2], 0, 20, 0.01), "sigma must be a positive number"),
        (lambda: release_cost(20, 0.03, 10), "beta must be positive and below"),
        (lambda: release_cost(1, 0.03, 10), "order must be finite and greater than 1"),
        (lambda: release_cost(20, 0.01, 0), "sigma_ss must be a positive number"),
        (lambda: sanitised_epsilon(VOTES[:2], 40, 20, 0.01, 5, 1e-5, source(0), miss=0), "miss must lie strictly"),
        (lambda: sanitised_epsilon(VOTES[:2], 40, 20, 0.01, 5, 0, source(0)), "delta must lie strictly"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_a_sanitised_price_says_what_it_is_worth():
    seeded, private = (sanitised_epsilon(VOTES[:20], 40, 20, 0.01, 5, 1e-5, source(seed)) for seed in (0, None))
    assert private.publishable
    assert not seeded.publishable
    assert private.assumes_fixed_queries
    assert (private.delta, private.guarantee) == (1e-5, "this data set")
    assert private.relation == "one record replaced by nothing"
    group = "all records of one patient replaced by nothing"
    assert sanitised_epsilon(VOTES[:20], 40, 20, 0.01, 5, 1e-5, source(0), relation=group).relation == group


def test_a_sanitised_price_of_an_earlier_version_can_be_read():
    """As it was written before groups were told: with a relation that says less, and without any."""
    stored = {"divergence": 0.2, "epsilon": 1.5, "delta": 1e-5, "publishable": True, "guarantee": "this data set",
              "relation": "one record replaced by nothing", "assumes_fixed_queries": True}  # fmt: skip
    assert Sanitised.join({}, stored).relation == "one record replaced by nothing"
    del stored["relation"]
    assert Sanitised.join({}, stored).relation == "one record replaced by nothing"


@pytest.mark.parametrize("leaves", [True, False])
def test_a_sanitised_price_is_of_this_data_set_and_leaves_where_its_noise_allows(leaves) -> None:
    """As a guarantee it is data-dependent: nothing that rests on every data set may take it for one that is not."""
    found = Sanitised(0.5, 1.2344, 1e-5, leaves, relation="all records of one person replaced by nothing").priced()
    assert (found.shown, found.holds_for, found.publishable) == ("1.235", "this data set", leaves)
    assert worst_case([found]) is None
    assert found.promise == "delta 1e-05, all records of one person replaced by nothing"
