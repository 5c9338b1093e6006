"""The certified bound against real histograms, three-outcome laws and what it must improve on."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate
from scipy.special import ndtr

from pate.accounting import argmax_independent, conversion
from pate.accounting.argmax_independent import certified_rdp, epsilon, scan
from pate.accounting.three_outcomes import DiscreteLaplace, Gaussian, Laplace, log_laws
from pate.accounting.three_outcomes_discrete import LARGEST_SIGMA, DiscreteGaussian

KINDS = [Laplace, DiscreteLaplace, Gaussian, DiscreteGaussian]
DISCRETE = (DiscreteLaplace, DiscreteGaussian)
ORDERS = [1.05, 1.5, 3.0, 8.0, 40.0, 500.0]


def noise_of(kind, scale):
    if kind is DiscreteGaussian:
        return kind(min(scale, LARGEST_SIGMA))
    return kind(scale if kind is Gaussian else 1 / scale)


def density(noise, x):
    if isinstance(noise, Gaussian):
        return np.exp(-((x / noise.sigma) ** 2) / 2) / (noise.sigma * math.sqrt(2 * math.pi))
    if isinstance(noise, DiscreteGaussian):
        k = np.arange(-20 * noise.sigma - 20, 20 * noise.sigma + 20).round()
        return np.exp(-((np.floor(x) / noise.sigma) ** 2) / 2) / np.exp(-((k / noise.sigma) ** 2) / 2).sum()
    if isinstance(noise, Laplace):
        return noise.gamma / 2 * np.exp(-noise.gamma * np.abs(x))
    return np.tanh(noise.gamma / 2) * np.exp(-noise.gamma * np.abs(np.floor(x)))


def below(noise, x):
    if isinstance(noise, Gaussian):
        return ndtr(x / noise.sigma)
    if isinstance(noise, Laplace):
        return np.where(x < 0, np.exp(noise.gamma * np.minimum(x, 0)) / 2, 1 - np.exp(-noise.gamma * np.abs(x)) / 2)
    if isinstance(noise, DiscreteGaussian):
        k = np.arange(math.floor(np.min(x)), math.floor(np.max(x)) + 2)
        reach = int(16 * noise.sigma) + 20
        up_to = np.cumsum(density(noise, np.arange(k[0] - reach, k[-1] + 1)))[reach:]  # Pr[K <= k]
        at = density(noise, k)
        place = (np.floor(x) - k[0]).astype(int)
        return up_to[place] - at[place] * (1 - x + np.floor(x))
    cell, q = np.floor(x), math.exp(-noise.gamma)
    before = np.where(cell <= 0, q ** np.maximum(1 - cell, 0), 1 + q - q ** np.maximum(cell, 0)) / (1 + q)
    return before + (x - cell) * density(noise, x)


def nodes(noise, teachers):
    """Gauss-Legendre between whole numbers over the counts, and between ever wider whole numbers in the tails."""
    reach = 9 if isinstance(noise, Gaussian | DiscreteGaussian) else 32
    steps = np.unique(np.ceil(np.arange(0, reach, 0.4) * noise.scale))
    edges = np.unique(np.concatenate([-steps, np.arange(teachers + 1), teachers + steps]))
    if isinstance(noise, DISCRETE):
        edges = np.arange(edges[0], edges[-1] + 1)
    edges = np.unique(np.concatenate([edges + part / 16 for part in range(16 if noise.scale < 2 else 1)]))
    x, w = np.polynomial.legendre.leggauss(6)
    half = np.diff(edges)[:, None] / 2
    return (edges[:-1, None] + half * (1 + x)).ravel(), (half * w).ravel()


def law_of(noise, counts, x, w):
    """Pr[class j wins] = integral of f(x - n_j) times the product of the others' F."""
    under = np.array([below(noise, x - n) for n in counts])
    others = np.array([np.prod(np.delete(under, j, axis=0), axis=0) for j in range(len(counts))])
    return np.array([density(noise, x - n) for n in counts]) * others @ w


def divergence(p, q, alpha):
    """The larger of the two directions, from the definition."""
    p, q = np.log(p), np.log(q)
    return max(np.logaddexp.reduce(alpha * a + (1 - alpha) * b) / (alpha - 1) for a, b in ((p, q), (q, p)))


def worst_neighbour(noise, counts, alphas, grid):
    """For each order the largest divergence, either direction, over every vote moved."""
    p = law_of(noise, counts, *grid)
    worst = np.zeros(len(alphas))
    for a, b in {(counts[a], counts[b]): (a, b) for a, b in itertools.permutations(range(len(counts)), 2)}.values():
        if counts[a]:
            moved = list(counts)
            moved[a], moved[b] = moved[a] - 1, moved[b] + 1
            q = law_of(noise, moved, *grid)
            worst = np.maximum(worst, [divergence(p, q, alpha) for alpha in alphas])
    return worst


def climb(noise, teachers, alphas, random, starts, steps):
    """Histograms that move single votes as long as the divergence at some order grows: the largest met per order."""
    grid, worst = nodes(noise, teachers), np.zeros(len(alphas))
    for start in range(starts):
        classes, aim = int(random.integers(2, 13)), start % len(alphas)
        counts = random.multinomial(teachers, random.dirichlet(np.full(classes, random.choice([0.2, 1, 20]))))
        met = worst_neighbour(noise, list(counts), alphas, grid)
        for _ in range(steps):
            other = counts.copy()
            source, target = random.permutation(classes)[:2]
            size = min(int(random.integers(1, 4)), other[source])
            other[source], other[target] = other[source] - size, other[target] + size
            found = worst_neighbour(noise, list(other), alphas, grid)
            worst = np.maximum(worst, np.maximum(met, found))
            if found[aim] > met[aim]:
                counts, met = other, found
    return worst


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("scale", "teachers"), [(0.4, 8), (3.0, 21), (20.0, 60)])
def test_no_histogram_found_by_climbing_exceeds_the_certificate(kind, scale, teachers):
    noise = noise_of(kind, scale)
    worst = climb(noise, teachers, ORDERS, np.random.default_rng(teachers), starts=6, steps=8)
    bound = np.array([certified_rdp(noise, alpha, teachers) for alpha in ORDERS])
    assert (worst > 0).all()
    assert (worst <= bound * (1 + 1e-9)).all()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("scale", "teachers"), [(0.4, 5), (1, 12), (5, 25), (20, 25), (20, 120)])
def test_no_histogram_found_by_a_long_climb_exceeds_the_certificate(kind, scale, teachers):
    noise = noise_of(kind, scale)
    worst = climb(noise, teachers, ORDERS, np.random.default_rng(teachers + 1), starts=6, steps=25)
    bound = np.array([certified_rdp(noise, alpha, teachers) for alpha in ORDERS])
    assert (worst > 0).all()
    assert (worst <= bound * (1 + 1e-9)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_the_histogram_laws_above_are_right(kind):
    """The independent law of these tests, itself against adaptive quadrature class by class."""
    noise, counts = noise_of(kind, 3.0), [9, 7, 4, 1]
    found = law_of(noise, counts, *nodes(noise, sum(counts)))
    assert found.sum() == pytest.approx(1, abs=1e-11)
    for j, n in enumerate(counts):
        others = counts[:j] + counts[j + 1 :]

        def integrand(x, n=n, others=others):
            return density(noise, x - n) * np.prod([below(noise, x - o) for o in others])

        mass = (
            sum(integrate.quad(integrand, a, a + 3)[0] for a in range(-60, 120, 3))
            if kind not in DISCRETE
            else (sum(integrate.quad(integrand, a, a + 1 - 1e-13)[0] for a in range(-60, 120)))
        )
        assert found[j] == pytest.approx(mass, rel=1e-7)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(KINDS),
    st.floats(0.3, 300),
    st.floats(1.05, 100),
    st.integers(1, 300),
    st.data(),
)
def test_no_three_outcome_law_exceeds_the_certificate(kind, scale, alpha, teachers, data):
    noise = noise_of(kind, round(scale, 1))
    gap = data.draw(st.integers(2 - teachers, teachers))
    m = data.draw(st.one_of(st.just(-math.inf), st.floats(-3 * scale, 3 * scale + abs(gap)), st.floats(-1, 2)))
    p, q = log_laws(noise, np.array(float(gap)), np.array(m - gap))
    p, q = (law[np.isfinite(law)] for law in (p, q))
    found = max(np.logaddexp.reduce(alpha * a + (1 - alpha) * b) / (alpha - 1) for a, b in ((p, q), (q, p)))
    assert found <= certified_rdp(noise, alpha, teachers, 0.05) * (1 + 1e-9) + 1e-15 / (alpha - 1)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(st.sampled_from(KINDS), st.floats(0.3, 1000), st.floats(1.02, 500), st.integers(0, 2**32 - 1))
def test_a_box_is_bounded_at_every_point_of_it(kind, scale, alpha, seed):
    """The proof's points 3 to 7, box by box: single gaps, blocks of gaps, and both unbounded ends."""
    noise, random, size = noise_of(kind, scale), np.random.default_rng(seed), 30
    least = np.floor(1 + scale * 10 ** random.uniform(-2, 1, size))
    most = least + np.floor(random.integers(0, 2, size) * scale * 10 ** random.uniform(-2, 1, size))
    low = -least * random.uniform(0, 1.5, size) + 3 * scale * random.normal(size=size)
    high = low + scale * 10 ** random.uniform(-3, 1, size)
    low[:4], high[4:8] = -np.inf, np.inf
    _, upper, _ = argmax_independent._bounds(noise, alpha, argmax_independent._Boxes(least, most, low, high))
    gap = np.minimum(np.floor(least + (most - least + 1) * random.random((40, size))), most)
    bottom, top = np.where(low == -np.inf, high - 20 * scale, low), np.where(high == np.inf, low + 20 * scale, high)
    s = bottom + (top - bottom) * random.random((40, size)) ** random.choice([0.3, 1, 3], (40, size))
    s[0], s[1] = low, top
    assert (argmax_independent._divergence(*log_laws(noise, gap, s), alpha) <= upper * (1 + 1e-11)).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [2.0, 20.0, 300.0])
@pytest.mark.parametrize("alpha", ORDERS[:-1])
def test_the_certificate_is_tight_and_improves_on_what_was_known(kind, scale, alpha):
    noise = noise_of(kind, scale)
    found = certified_rdp(noise, alpha, 250)
    assert scan(noise, alpha, 250) <= found <= scan(noise, alpha, 250) * 1.002
    assert found <= noise.known_rdp(alpha) * (1 + 1e-9)


@pytest.mark.parametrize("alpha", ORDERS)
def test_what_was_known(alpha):
    """2*gamma-DP gives at most 2 gamma^2 alpha (Bun & Steinke 2016) and 2 gamma; Gaussian noise alpha/sigma^2."""
    for gamma in (0.01, 0.3, 2.0):
        heads = 1 / (1 + math.exp(-2 * gamma))
        exact = divergence(np.array([heads, 1 - heads]), np.array([1 - heads, heads]), alpha)
        for kind in (Laplace, DiscreteLaplace):
            assert kind(gamma).known_rdp(alpha) == pytest.approx(exact, rel=1e-9)
            assert kind(gamma).known_rdp(alpha) <= min(2 * gamma**2 * alpha, 2 * gamma)
    assert Gaussian(40.0).known_rdp(alpha) == DiscreteGaussian(40.0).known_rdp(alpha) == alpha / 1600


def test_small_divergences_keep_their_digits():
    """For weak noise differences D_alpha is nearly proportional to gamma^2: no rounding floor at 1e-10."""
    coarse, fine = certified_rdp(Laplace(1e-3), 1.05, 250), certified_rdp(Laplace(1e-5), 1.05, 250)
    assert fine == pytest.approx(coarse * 1e-4, rel=0.02)


def test_more_teachers_and_higher_orders_never_cost_less():
    for kind in KINDS:
        noise = noise_of(kind, 20.0)
        over_teachers = [certified_rdp(noise, 30.0, teachers) for teachers in (1, 2, 5, 20, 250, 100_000)]
        over_orders = [certified_rdp(noise, alpha, 250) for alpha in ORDERS[:-1]]
        for found in (over_teachers, over_orders):
            assert (np.diff(found) >= -1.1e-3 * np.array(found[1:])).all()


def test_running_out_of_work_costs_tightness_not_truth(monkeypatch):
    tight = certified_rdp(Laplace(0.05), 7.0, 250)
    certified_rdp.cache_clear()
    monkeypatch.setattr(argmax_independent, "_MOST_BOXES", 500)
    loose = certified_rdp(Laplace(0.05), 7.0, 250)
    certified_rdp.cache_clear()
    assert tight < loose <= Laplace(0.05).known_rdp(7.0) * (1 + 1e-9)


# At gap 1 and M a third of a vote above n_b; by quadrature of its two integrals with gamma = 0.05 the laws are
# (a, b, rest) below and the same with a and b exchanged. Their epsilon is a floor for the certificate's.
AT_A_THIRD = np.array([0.38956136, 0.36463795, 0.24580069])


@pytest.mark.parametrize("k", [100, 500, 1000])
def test_epsilon_lies_just_above_the_worst_three_outcome_law(k):
    found, alpha = epsilon(Laplace(0.05), k, 1e-5, 250)
    floor = conversion.epsilon([k * divergence(AT_A_THIRD, AT_A_THIRD[[1, 0, 2]], alpha)], [alpha], 1e-5)
    assert floor <= found <= floor * 1.001
    pure = conversion.ORDERS
    assert found < 0.56 * conversion.epsilon([k * Laplace(0.05).known_rdp(a) for a in pure], pure, 1e-5)


@pytest.mark.parametrize(("k", "known"), [(100, 1.478), (500, 3.617), (1000, 5.378)])
def test_gaussian_noise_gains_a_fifth_on_alpha_over_sigma_squared(k, known):
    assert 0.75 * known < epsilon(Gaussian(40.0), k, 1e-5, 250)[0] < 0.8 * known


def test_discrete_noise_costs_nearly_the_same():
    for k in (100, 1000):
        continuous, discrete = (epsilon(kind(0.05), k, 1e-5, 250)[0] for kind in (Laplace, DiscreteLaplace))
        assert discrete == pytest.approx(continuous, rel=0.01)
        continuous, discrete = (epsilon(kind(40.0), k, 1e-5, 250)[0] for kind in (Gaussian, DiscreteGaussian))
        assert discrete == pytest.approx(continuous, rel=0.001)


def test_arguments_out_of_range_are_refused():
    noise = Laplace(0.1)
    for call, name in [
        (lambda: certified_rdp(noise, 1.0, 10), "alpha"),
        (lambda: certified_rdp(noise, math.nan, 10), "alpha"),
        (lambda: scan(noise, math.inf, 10), "alpha"),
        (lambda: certified_rdp(noise, 2.0, 0), "teachers"),
        (lambda: certified_rdp(noise, 2.0, 2.5), "teachers"),
        (lambda: certified_rdp(noise, 2.0, 10, 0.0), "tolerance"),
        (lambda: epsilon(noise, 0, 1e-5, 10), "k"),
        (lambda: epsilon(noise, 1.5, 1e-5, 10), "k"),
        (lambda: epsilon(noise, math.inf, 1e-5, 10), "k"),
        (lambda: certified_rdp(noise, 2.0, math.nan), "teachers"),
        (lambda: epsilon(noise, 1, 0.0, 10), "delta"),
        (lambda: epsilon(noise, 1, 1.0, 10), "delta"),
        (lambda: epsilon(noise, 1, 1e-5, -3), "teachers"),
    ]:
        with pytest.raises(ValueError, match=f"^{name} "):
            call()
