"""Noise follows its exact law from either source.

Every sampler goes through one chi-square test of goodness of fit, on bins cut at quantiles of the law it should have.
A right sampler fails with probability 1e-6 for each test; a scale wrong by 2% is found, which is tested as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from pate.noise import Noise, source

FALSE_ALARM = 1e-6
N = 250_000  # a scale wrong by 2% then adds about 100 (Laplace) or 200 (Gaussian) to a chi-square of 20 +- 6
CUTS = np.array([0.001, 0.01, *np.arange(1, 16) / 16, 0.99, 0.999])


def discrete_gaussian(sigma: float) -> Any:
    k = np.arange(-int(12 * sigma) - 12, int(12 * sigma) + 13)
    mass = np.exp(-((k / sigma) ** 2) / 2)
    return stats.rv_discrete(values=(k, mass / mass.sum()))


# How each sampler is called, and the law it should have.
SAMPLERS: dict[str, tuple[Callable[[Noise, float], np.ndarray], Callable[[float], Any]]] = {
    "uniform": (lambda noise, _: noise.uniform(N), lambda _: stats.uniform()),
    "laplace": (lambda noise, scale: noise.laplace((N // 4, 4), scale), lambda scale: stats.laplace(scale=scale)),
    "discrete_laplace": (
        lambda noise, scale: noise.discrete_laplace((N // 2, 2), scale),
        lambda scale: stats.dlaplace(1 / scale),
    ),
    "gaussian": (lambda noise, sigma: noise.gaussian((N // 5, 5), sigma), lambda sigma: stats.norm(scale=sigma)),
    "many_gaussians": (
        lambda noise, sigma: noise.many_gaussians(N, sigma).astype(np.float64),
        lambda sigma: stats.norm(scale=sigma),
    ),
    "discrete_gaussian": (lambda noise, sigma: noise.discrete_gaussian((N // 2, 2), sigma), discrete_gaussian),
    "choice_among": (
        lambda noise, _: noise.choice_among(np.tile([True, False, True, True, False], (N, 1))),
        lambda _: stats.rv_discrete(values=([0, 2, 3], [1 / 3] * 3)),
    ),
}
SCALED = ["laplace", "discrete_laplace", "gaussian", "many_gaussians", "discrete_gaussian"]


def fits(sample: np.ndarray, law: Any) -> bool:
    """The chi-square test: is this how often values fall between the law's quantiles?"""
    edges = np.unique(law.ppf(CUTS))
    edges = edges[law.cdf(edges) < 1]
    expected = np.diff([0.0, *law.cdf(edges), 1.0])
    observed = np.bincount(np.searchsorted(edges, sample.ravel(), side="left"), minlength=len(expected))
    keep = expected > 0
    assert observed[~keep].sum() == 0
    return bool(stats.chisquare(observed[keep], expected[keep] * sample.size).pvalue > FALSE_ALARM)


@pytest.fixture(params=["system", "seeded"])
def noise(request: pytest.FixtureRequest) -> Noise:
    return source(None if request.param == "system" else 20_240)


@pytest.mark.parametrize("scale", [0.7, 20.0])
@pytest.mark.parametrize("name", SCALED)
def test_the_law_of_noise(noise: Noise, name: str, scale: float) -> None:
    draw, law = SAMPLERS[name]
    assert fits(draw(noise, scale), law(scale))


@pytest.mark.parametrize("scale", [0.25, 1.0, 3.0, 137.5])
@pytest.mark.parametrize("name", SCALED)
def test_the_law_at_more_scales(name: str, scale: float) -> None:
    draw, law = SAMPLERS[name]
    assert fits(draw(source(11), scale), law(scale))


@pytest.mark.parametrize("name", ["uniform", "choice_among"])
def test_laws_without_a_scale(noise: Noise, name: str) -> None:
    draw, law = SAMPLERS[name]
    assert fits(draw(noise, 1.0), law(1.0))


@pytest.mark.parametrize("factor", [0.98, 1.02])
@pytest.mark.parametrize("scale", [0.7, 20.0])
@pytest.mark.parametrize("name", SCALED)
def test_the_test_finds_a_scale_that_is_wrong_by_two_percent(name: str, scale: float, factor: float) -> None:
    draw, law = SAMPLERS[name]
    assert not fits(draw(source(12), factor * scale), law(scale))


def test_the_test_finds_other_flaws() -> None:
    """A continuous law rounded, a discrete one off by one, an uneven choice, a tail cut short."""
    noise = source(13)
    assert not fits(np.round(noise.gaussian(N, 0.7)), discrete_gaussian(0.7))
    assert not fits(noise.discrete_gaussian(N, 20.0) + 1, discrete_gaussian(20.0))
    assert not fits(np.array([0, 2, 3])[(noise.uniform(N) * 3.04).astype(int) % 3], SAMPLERS["choice_among"][1](1.0))
    assert not fits(np.clip(noise.gaussian(N, 1.0), -3, 3), stats.norm())


def test_uniform_stays_below_one(noise: Noise) -> None:
    sample = noise.uniform(N)
    assert sample.min() >= 0
    assert sample.max() < 1


def test_uniform_uses_all_53_bits(noise: Noise) -> None:
    bits = (noise.uniform(4096) * 2**53).astype(np.uint64)
    ones = np.array([int((bits >> np.uint64(b) & np.uint64(1)).sum()) for b in range(53)])
    assert np.abs(ones - 2048).max() < 32 * 6  # six standard deviations


def test_gaussian_draws_are_independent_of_their_partners(noise: Noise) -> None:
    """Box-Muller makes pairs: neither the values nor their sizes may correlate."""
    first, second = noise.gaussian(N, 1.0).reshape(2, -1)
    for a, b in ((first, second), (first**2, second**2)):
        assert stats.pearsonr(a, b).pvalue > FALSE_ALARM


def test_many_gaussians_are_in_single_precision_and_independent(noise: Noise) -> None:
    sample = noise.many_gaussians(N + 1, 3.0)
    assert sample.dtype == np.float32
    assert sample.shape == (N + 1,)
    first, second = sample[:N].astype(np.float64).reshape(2, -1)
    for a, b in ((first, second), (first**2, second**2)):
        assert stats.pearsonr(a, b).pvalue > FALSE_ALARM


def test_many_gaussians_reach_far_into_the_tail() -> None:
    """The largest of 4 million is beyond 4.5 deviations but for a chance of 1e-11, and beyond 6 with one of 1%."""
    assert 4.5 < np.abs(source(None).many_gaussians(4_000_000, 1.0)).max() < 8.6


@pytest.mark.parametrize("word", [0, 2**64 - 1])
def test_many_gaussians_are_finite_whatever_the_bits(word: int) -> None:
    stuck = Noise(None, lambda n: np.full(n, word, dtype=np.uint64))
    assert np.isfinite(stuck.many_gaussians(5, 2.0)).all()


def test_the_noise_of_a_step_does_not_depend_on_the_steps_before_it() -> None:
    first, second = source(3), source(3)
    first.at(0).gaussian(7, 1.0)
    assert (first.at(1).gaussian(5, 1.0) == second.at(1).gaussian(5, 1.0)).all()
    assert (first.at(1).gaussian(5, 1.0) != second.at(2).gaussian(5, 1.0)).any()
    assert (source(None).at(1).gaussian(5, 1.0) != source(None).at(1).gaussian(5, 1.0)).any()
    assert first.at(1).seeded
    assert not source(None).at(1).seeded


def test_an_odd_number_of_gaussians(noise: Noise) -> None:
    assert noise.gaussian(7, 1.0).shape == (7,)


@pytest.mark.parametrize("law", ["discrete_laplace", "discrete_gaussian"])
def test_discrete_noise_is_whole_and_as_many_as_asked_for(noise: Noise, law: str) -> None:
    for size in ((3, 5), 7, 0, (0, 4)):
        sample = getattr(noise, law)(size, 2.5)
        assert sample.dtype == np.int64
        assert sample.shape == (size if isinstance(size, tuple) else (size,))
    assert (getattr(noise, law)(1000, 1e-3) == 0).all()  # next to no noise
    assert np.abs(getattr(noise, law)(50, 1e12)).max() > 2**32  # and very much of it


def test_discrete_gaussians_next_to_each_other_are_independent(noise: Noise) -> None:
    """What a rejection sampler keeps comes in the order of its proposals: neither values nor sizes may correlate."""
    sample = noise.discrete_gaussian(40_000, 3.0).astype(float)
    for a, b in ((sample[:-1], sample[1:]), (sample[:-1] ** 2, sample[1:] ** 2)):
        assert stats.pearsonr(a, b).pvalue > FALSE_ALARM


def test_a_single_winner_always_wins(noise: Noise) -> None:
    winners = np.arange(10) % 4
    assert (noise.choice_among(np.eye(4, dtype=bool)[winners]) == winners).all()


def test_nobody_to_choose_from_is_an_error(noise: Noise) -> None:
    with pytest.raises(ValueError, match="row 1"):
        noise.choice_among(np.array([[True, False], [False, False]]))


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), float("inf")])
@pytest.mark.parametrize("law", ["laplace", "discrete_laplace", "gaussian", "discrete_gaussian"])
def test_an_impossible_scale_is_refused(noise: Noise, law: str, scale: float) -> None:
    with pytest.raises(ValueError, match="positive"):
        getattr(noise, law)(3, scale)


def test_equal_seeds_agree_and_say_so() -> None:
    one, two, other = source(7), source(7), source(8)
    for law in ("laplace", "discrete_laplace", "gaussian", "discrete_gaussian"):
        a, b, c = (getattr(noise, law)(100, 9.0) for noise in (one, two, other))
        assert (a == b).all()
        assert (a != c).any()
    assert one.seeded


def test_two_unseeded_sources_differ_and_numpy_cannot_steer_them() -> None:
    draws = []
    for _ in range(2):
        np.random.seed(0)
        noise = source(None)
        assert not noise.seeded
        whole = [noise.discrete_laplace(64, 50.0), noise.discrete_gaussian(64, 50.0)]
        draws.append([noise.uniform(8), noise.laplace(8, 1.0), noise.gaussian(8, 1.0), *whole])
    for a, b in zip(*draws, strict=True):
        assert (a != b).any()
