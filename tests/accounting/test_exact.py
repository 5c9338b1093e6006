"""Exact prices against the expected values, other libraries, simulation and brute force."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pate.accounting import gnmax2018, moments
from pate.accounting.exact import Ensemble, exact
from pate.accounting.exact_pld import losses
from pate.accounting.exact_rdp import divergences
from pate.accounting.law import chunks, laws
from pate.accounting.pld import Losses, compose, connect_the_dots
from pate.accounting.quadrature import discrete_gaussian, discrete_laplace, gaussian, laplace
from pate.accounting.teacher_resolved import teacher_resolved

VOTES = np.load(Path(__file__).parent / "votes_mnistlike_250.npz")["counts"].astype(int)
GRIDS = {"laplace": laplace(0.05, 250, 10), "gaussian": gaussian(40.0, 250, 10)}


@pytest.mark.parametrize(
    ("noise", "k", "rdp", "pld"),
    [
        ("laplace", 100, 0.575, 0.549),
        ("laplace", 500, 1.425, 1.458),
        ("laplace", 1000, 2.183, 2.268),
        ("gaussian", 100, 0.458, 0.454),
        ("gaussian", 500, 1.122, 1.191),
        ("gaussian", 1000, 1.646, 1.775),
    ],
)
def test_expected_values(noise, k, rdp, pld):
    found = exact(Ensemble.of(VOTES[:k]), GRIDS[noise], [1e-5])[0]
    assert max(found.rdp) == pytest.approx(rdp, abs=0.002)
    assert max(found.pld) == pytest.approx(pld, abs=0.002)


def test_discrete_noise_costs_the_same():
    found = exact(Ensemble.of(VOTES[:1000]), discrete_laplace(0.05, 250, 10), [1e-5])[0]
    assert max(found.rdp) == pytest.approx(2.1834, abs=0.0005)


def law_of(histogram, grid):
    (chunk,) = chunks(np.array([sorted(histogram, reverse=True)]), grid)
    return laws(chunk, grid)


def pairs(law):
    """The pairs of laws, as plain arrays with one entry per class."""
    for neighbour in range(law.p.shape[1]):
        weight = law.weight[0, neighbour].astype(int)
        if weight.any():
            yield np.repeat(law.p[0, neighbour], weight), np.repeat(law.other[0, neighbour], weight)


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


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 12), min_size=3, max_size=3).filter(any), st.randoms())
def test_permuting_classes_changes_nothing(counts, random):
    shuffled = counts.copy()
    random.shuffle(shuffled)
    one, two = (
        exact(Ensemble.of(np.array([c] * 3)), laplace(0.2, sum(counts), 3), [1e-5])[0] for c in (counts, shuffled)
    )
    assert one == two


def hockey_stick(p, q, epsilon):
    return np.maximum(p - math.exp(epsilon) * q, 0).sum()


@pytest.mark.parametrize("histogram", [[9, 6, 5, 0], [20, 0, 0, 0], [5, 5, 5, 5]], ids=str)
@pytest.mark.parametrize(
    "grid",
    [laplace(0.3, 20, 4), gaussian(4.0, 20, 4), discrete_gaussian(4.0, 20, 4)],
    ids=["laplace", "gaussian", "discrete gaussian"],
)
def test_a_loss_distribution_dominates_every_neighbour(histogram, grid):
    law, step, reach = law_of(histogram, grid), 0.01, 120
    for way, one in enumerate(losses(law, step, reach)):
        (composed,) = compose(one, np.array([1.0]), 1e-3)
        at_points = 0.0
        for epsilon in np.linspace(-1.0, 1.1, 211):
            worst = max(hockey_stick(*((p, q) if way == 0 else (q, p)), epsilon) for p, q in pairs(law))
            assert composed.delta(epsilon) >= worst - 1e-15
            at_points = max(at_points, composed.delta(epsilon) - worst)
        assert at_points < 1e-4  # and not much more than that


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


def votes_of(counts, rng):
    return np.stack([rng.permutation(np.repeat(np.arange(len(row)), row)) for row in counts], axis=1)


def test_teacher_resolved_lies_near_its_expected_value():
    """The reference gives counts only; for votes spread at random the price is near 0.507."""
    counts = VOTES[:100]
    predictions = votes_of(counts, np.random.default_rng(0))
    found = teacher_resolved(Ensemble.of(counts), counts, predictions, GRIDS["laplace"], [1e-5])[0]
    assert found == pytest.approx(0.507, abs=0.02)
    assert found < min(max(side) for side in (exact(Ensemble.of(counts), GRIDS["laplace"], [1e-5])[0].pld,))


def test_teacher_resolved_by_brute_force():
    """Three queries, four teachers: compose each teacher's own worst neighbours directly."""
    counts = np.array([[3, 1, 0], [2, 2, 0], [4, 0, 0]])
    predictions = np.array([[0, 0, 0], [0, 0, 0], [0, 1, 0], [1, 1, 0]])
    grid, delta = laplace(0.4, 4, 3), 1e-2
    found = teacher_resolved(Ensemble.of(counts), counts, predictions, grid, [delta])[0]
    worst = 0.0
    for votes in predictions:
        for way in (0, 1):
            per_query = []
            for row, vote in zip(counts, votes, strict=True):
                law = law_of(row.tolist(), grid)
                by_count = losses(law, 0.002, 450, by_origin=True)[way]
                place = law.distinct[0].tolist().index(row[vote])
                per_query.append((by_count.masses[place], by_count.infinite[place]))
            table = Losses(0.002, np.stack([m for m, _ in per_query]), np.array([i for _, i in per_query]))
            worst = max(worst, compose(table, np.ones(3), delta)[0].epsilon(delta))
    assert found == pytest.approx(worst, abs=0.01)


def test_a_teacher_who_always_agrees_with_a_wide_majority_costs_least():
    counts = np.array([[30, 1, 0]] * 40)
    predictions = votes_of(counts, np.random.default_rng(1))
    resolved = teacher_resolved(Ensemble.of(counts), counts, predictions, laplace(0.2, 31, 3), [1e-5])[0]
    plain = exact(Ensemble.of(counts), laplace(0.2, 31, 3), [1e-5])[0]
    assert resolved <= min(max(plain.rdp), max(plain.pld)) + 1e-9
