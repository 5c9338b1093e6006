"""The three-outcome laws against adaptive quadrature, direct summation and simulation."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from pate.accounting.three_outcomes import DiscreteLaplace, Gaussian, Laplace, log_laws
from pate.accounting.three_outcomes_discrete import DiscreteGaussian
from tests.accounting.whole_noise import masses, places

DISCRETE = (DiscreteLaplace, DiscreteGaussian)
NOISES = [Laplace(0.05), Laplace(1.3), DiscreteLaplace(0.05), DiscreteLaplace(1.3), Gaussian(40.0), Gaussian(0.8)]
NOISES += [DiscreteGaussian(40.0), DiscreteGaussian(0.8)]
noises = st.builds(
    lambda kind, scale: kind(scale if kind in (Gaussian, DiscreteGaussian) else 1 / scale),
    st.sampled_from([Laplace, DiscreteLaplace, Gaussian, DiscreteGaussian]),
    st.floats(0.2, 300),
)


def density(noise, x):
    if isinstance(noise, DiscreteGaussian):
        reach, _, law, _, _ = masses(noise)
        return law[math.floor(x) + reach] if abs(x) < reach else 0.0
    if isinstance(noise, Gaussian):
        return math.exp(-((x / noise.sigma) ** 2) / 2) / (noise.sigma * math.sqrt(2 * math.pi))
    if isinstance(noise, Laplace):
        return noise.gamma / 2 * math.exp(-noise.gamma * abs(x))
    return math.tanh(noise.gamma / 2) * math.exp(-noise.gamma * abs(math.floor(x)))


def below(noise, x):
    if isinstance(noise, Gaussian):
        return math.erfc(-x / (noise.sigma * math.sqrt(2))) / 2
    if isinstance(noise, Laplace):
        return math.exp(noise.gamma * x) / 2 if x < 0 else 1 - math.exp(-noise.gamma * x) / 2
    j = math.floor(x)
    if isinstance(noise, DiscreteGaussian):
        reach, _, law, up_to, _ = masses(noise)
        if abs(x) >= reach:
            return float(x > 0)
        return float((up_to[j + reach - 1] if j + reach else 0.0) + law[j + reach] * (x - j))
    return float(stats.dlaplace.cdf(j - 1, noise.gamma)) + (x - j) * density(noise, x)


def wins(noise, own, other, m):
    """Pr[the class with `own` votes beats `other` votes and m], by adaptive quadrature between kinks."""
    span = 9 if isinstance(noise, Gaussian) else 28
    top, bottom = max(own, other, m) + span * noise.scale, max(m, min(own, other) - span * noise.scale)
    kinks = np.concatenate([[own, other], max(own, other, m) + noise.scale * np.arange(-span, span, 3)])
    edges = np.unique(np.clip(np.concatenate([[bottom, top], kinks]), bottom, top))
    return sum(
        integrate.quad(lambda x: density(noise, x - own) * below(noise, x - other), a, b, epsabs=0, epsrel=1e-12)[0]
        for a, b in itertools.pairwise(edges)
    )


def discrete_wins(noise, own, other, m):
    """The same for discrete noise, summed over all pairs of whole noises, with U(0, 1) added to each and m = j + u.

    In the cell of m the class wins with a U above u that also beats the other's: 1 - u, or (1 - u^2)/2 when both are
    there.
    """
    _, whole, law, _, _ = masses(noise)
    mine, theirs, j = own + whole[:, None], other + whole, math.floor(m)
    u = m - j
    beats_m = np.where(mine > j, 1.0, np.where(mine == j, 1 - u, 0))
    tied = np.where(mine > j, 0.5, np.where(mine == j, (1 - u**2) / 2, 0))
    chance = np.where(mine > theirs, beats_m, np.where(mine == theirs, tied, 0))
    return float(law @ chance @ law)


def independently(noise, n_a, n_b, m):
    rest = below(noise, m - n_a) * below(noise, m - n_b)
    win = discrete_wins if isinstance(noise, DISCRETE) else wins
    return np.array([win(noise, n_a, n_b, m), win(noise, n_b, n_a, m), rest])


@pytest.mark.parametrize("noise", NOISES, ids=str)
@pytest.mark.parametrize(("gap", "m"), [(1, 0.35), (1, -0.5), (3, 2.25), (-4, -1.5), (7, -3.0), (12, 20.75)])
def test_the_laws_are_the_integrals(noise, gap, m):
    if noise.scale > 10:
        gap, m = gap * 8, m * 8 + 0.3
    before, after = (np.exp(law) for law in log_laws(noise, np.array(gap), np.array(m - gap)))
    np.testing.assert_allclose(before, independently(noise, gap, 0, m), rtol=1e-9)
    np.testing.assert_allclose(after, independently(noise, gap - 1, 1, m), rtol=1e-9)


@pytest.mark.parametrize("noise", NOISES, ids=str)
def test_the_laws_are_what_happens(noise):
    """Noise drawn, votes counted; discrete ties broken by a coin, M where no tie with it is possible."""
    random, size, gap, m = np.random.default_rng(5), 400_000, 2, 1.0
    if isinstance(noise, Gaussian):
        a, b = random.normal(scale=noise.sigma, size=(2, size))
    elif isinstance(noise, DiscreteGaussian):
        _, k, law, _, _ = masses(noise)
        a, b = random.choice(k, p=law, size=(2, size))
    elif isinstance(noise, Laplace):
        a, b = random.laplace(scale=1 / noise.gamma, size=(2, size))
    else:
        chance = -math.expm1(-noise.gamma)
        a, b = (random.geometric(chance, size) - random.geometric(chance, size) for _ in range(2))
    ahead = (a + gap > b) | ((a + gap == b) & (random.random(size) < 0.5))
    # with U(0, 1) added, whole noise exceeds the whole number m exactly when it is at least m
    beats = np.greater_equal if isinstance(noise, DISCRETE) else np.greater
    a_wins, b_wins = ahead & beats(a + gap, m), ~ahead & beats(b, m)
    found = np.array([a_wins.mean(), b_wins.mean(), 1 - a_wins.mean() - b_wins.mean()])
    expected = np.exp(log_laws(noise, np.array(gap), np.array(m - gap))[0])
    np.testing.assert_allclose(found, expected, atol=5 * 0.5 / math.sqrt(size))


@settings(max_examples=200, deadline=None)
@given(noises, st.integers(-300, 300), st.one_of(st.just(-math.inf), places))
def test_they_sum_to_one_in_both_worlds(noise, gap, s):
    for law in log_laws(noise, np.array(gap), np.array(s)):
        assert np.exp(law).sum() == pytest.approx(1, abs=1e-12)


@settings(max_examples=200, deadline=None)
@given(noises, st.integers(-300, 300), st.one_of(st.just(-math.inf), places))
def test_swapping_the_two_classes_reverses_the_direction(noise, gap, s):
    """Seen from b, which ends with n_b + 1 votes, the reverse move starts at gap 2 - gap and s' = M - n_b - 1."""
    before, after = log_laws(noise, np.array(gap), np.array(s))
    swapped = log_laws(noise, np.array(2 - gap), np.array(s + gap - 1))
    np.testing.assert_allclose(swapped[0], after[[1, 0, 2]], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(swapped[1], before[[1, 0, 2]], rtol=1e-12, atol=1e-12)


@settings(max_examples=200, deadline=None)
@given(noises, st.integers(1, 300), places, st.floats(0, 50), st.integers(0, 50))
def test_laws_are_monotone_in_threshold_and_gap(noise, gap, s, step, wider):
    here = np.stack(log_laws(noise, np.array(gap), np.array(s)))
    above = np.stack(log_laws(noise, np.array(gap), np.array(s + step)))
    farther = np.stack(log_laws(noise, np.array(gap + wider), np.array(s)))
    slack = 1e-12 * (1 + np.abs(here))
    assert (np.array([1, 1, -1]) * (here - above) >= -slack).all()
    assert (np.array([-1, 1, -1]) * (here - farther) >= -slack).all()


@settings(max_examples=200, deadline=None)
@given(noises, places, st.floats(0, 50))
def test_unit_ratios_are_monotone(noise, x, step):
    """What the proof asks of a noise: f(x)/f(x+1) never decreases, F(x)/F(x-1) never increases."""
    near, far = np.array(x), np.array(x + step)
    slack = 1e-12 * (1 + abs(float(noise.log_below(near - 1))))
    assert noise.drop(far) >= noise.drop(near) - slack
    assert noise.rise(far) <= noise.rise(near) + slack
    for ratio in (noise.drop(near), noise.rise(near)):
        assert np.isfinite(ratio)


@settings(max_examples=100, deadline=None)
@given(noises, st.floats(-300, 300))
def test_unit_ratios_are_those_of_the_noise(noise, x):
    x = round(x, 3)  # so that x + 1 is not rounded across a step
    if density(noise, x) > 1e-290 and density(noise, x + 1) > 1e-290:
        assert noise.drop(np.array(x)) == pytest.approx(math.log(density(noise, x) / density(noise, x + 1)), abs=1e-8)
    if below(noise, x - 1) > 1e-290:
        assert noise.rise(np.array(x)) == pytest.approx(math.log(below(noise, x) / below(noise, x - 1)), abs=1e-8)


@pytest.mark.parametrize("sigma", [0.8, 40.0])
def test_the_tilted_gaussian_tail_is_the_integral(sigma):
    for alpha, s in [(1.5, -sigma), (4.0, 2 * sigma), (20.0, 0.3)]:

        def tilted(x, alpha=alpha):
            return np.exp(
                alpha * stats.norm.logpdf(x, scale=sigma) + (1 - alpha) * stats.norm.logpdf(x + 1, scale=sigma)
            )

        centre = alpha - 1
        edges = np.unique(np.clip(centre + sigma * np.linspace(-12, 12, 25), s, None))
        mass = sum(integrate.quad(tilted, a, b)[0] for a, b in itertools.pairwise(edges))
        assert Gaussian(sigma).log_moment_above(np.array(s), alpha) == pytest.approx(math.log(mass), abs=1e-7)


def test_probabilities_far_below_floating_point_are_still_told_apart():
    """At a lead of -4000, log Pr = log((2 + gamma lead) / 4) - gamma lead for Laplace noise (difference of two)."""
    found = Laplace(0.5).log_wins(np.array(-math.inf), np.array(-4000.0))
    assert found == pytest.approx(math.log(2002 / 4) - 2000, abs=1e-9)
    assert Gaussian(2.0).log_wins(np.array(-math.inf), np.array(-400.0)) == pytest.approx(
        stats.norm.logcdf(-400 / math.sqrt(8)), abs=1e-9
    )


@pytest.mark.parametrize("value", [0, -1, math.inf, math.nan])
def test_noise_without_a_size_is_refused(value):
    kinds = ((Laplace, "gamma"), (DiscreteLaplace, "gamma"), (Gaussian, "sigma"), (DiscreteGaussian, "sigma"))
    for kind, name in kinds:
        with pytest.raises(ValueError, match=f"^{name}"):
            kind(value)
