"""Noise follows its exact law from either source; a false alarm has probability 1e-6 for each check."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from pate.noise import Noise, source

FALSE_ALARM = 1e-6
N = 40_000


@pytest.fixture(params=["system", "seeded"])
def noise(request: pytest.FixtureRequest) -> Noise:
    return source(None if request.param == "system" else 20_240)


def follows(sample: np.ndarray, cdf) -> bool:
    return stats.kstest(sample, cdf).pvalue > FALSE_ALARM


def fits(observed: np.ndarray, expected: np.ndarray) -> bool:
    return stats.chisquare(observed, expected * observed.sum() / expected.sum()).pvalue > FALSE_ALARM


def test_uniform_law(noise: Noise) -> None:
    sample = noise.uniform(N)
    assert follows(sample, stats.uniform().cdf)
    assert sample.min() >= 0
    assert sample.max() < 1


def test_uniform_uses_all_53_bits(noise: Noise) -> None:
    bits = (noise.uniform(4096) * 2**53).astype(np.uint64)
    ones = np.array([int((bits >> np.uint64(b) & np.uint64(1)).sum()) for b in range(53)])
    assert np.abs(ones - 2048).max() < 32 * 6  # six standard deviations


def test_laplace_law(noise: Noise) -> None:
    sample = noise.laplace((N // 4, 4), 20.0)
    assert sample.shape == (N // 4, 4)
    assert follows(sample.ravel(), stats.laplace(scale=20.0).cdf)


def test_gaussian_law(noise: Noise) -> None:
    sample = noise.gaussian((N // 5, 5), 3.0)
    assert sample.shape == (N // 5, 5)
    assert follows(sample.ravel(), stats.norm(scale=3.0).cdf)


def test_gaussian_draws_are_independent_of_their_partners(noise: Noise) -> None:
    """Box-Muller makes pairs: neither the values nor their sizes may correlate."""
    first, second = noise.gaussian(N, 1.0).reshape(2, -1)
    for a, b in ((first, second), (first**2, second**2)):
        assert stats.pearsonr(a, b).pvalue > FALSE_ALARM


def test_many_gaussians_have_the_same_law(noise: Noise) -> None:
    sample = noise.many_gaussians(N + 1, 3.0)
    assert sample.dtype == np.float32
    assert sample.shape == (N + 1,)
    assert follows(sample.astype(np.float64), stats.norm(scale=3.0).cdf)
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


@pytest.mark.parametrize("scale", [0.7, 5.0])
def test_discrete_laplace_law(noise: Noise, scale: float) -> None:
    sample = noise.discrete_laplace((N // 2, 2), scale)
    assert sample.dtype == np.int64
    assert sample.shape == (N // 2, 2)
    reach = int(6 * scale)
    k = np.arange(-reach, reach + 1)
    inside = np.exp(-np.abs(k) / scale)
    beyond = np.exp(-(reach + 1) / scale) / (1 - np.exp(-1 / scale))  # a geometric series, each side
    observed = np.array([(sample < -reach).sum(), *((sample == j).sum() for j in k), (sample > reach).sum()])
    assert fits(observed, np.array([beyond, *inside, beyond]))


def test_large_discrete_laplace_does_not_saturate(noise: Noise) -> None:
    assert np.abs(noise.discrete_laplace(50, 1e12)).max() > 2**32


def test_ties_are_broken_evenly(noise: Noise) -> None:
    mask = np.tile([True, False, True, True, False], (N, 1))
    assert fits(np.bincount(noise.choice_among(mask), minlength=5)[[0, 2, 3]], np.ones(3))
    assert set(noise.choice_among(mask)) == {0, 2, 3}


def test_a_single_winner_always_wins(noise: Noise) -> None:
    winners = np.arange(10) % 4
    assert (noise.choice_among(np.eye(4, dtype=bool)[winners]) == winners).all()


def test_nobody_to_choose_from_is_an_error(noise: Noise) -> None:
    with pytest.raises(ValueError, match="row 1"):
        noise.choice_among(np.array([[True, False], [False, False]]))


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), float("inf")])
@pytest.mark.parametrize("law", ["laplace", "discrete_laplace", "gaussian"])
def test_an_impossible_scale_is_refused(noise: Noise, law: str, scale: float) -> None:
    with pytest.raises(ValueError, match="positive"):
        getattr(noise, law)(3, scale)


def test_equal_seeds_agree_and_say_so() -> None:
    one, two, other = source(7), source(7), source(8)
    for law in ("laplace", "discrete_laplace", "gaussian"):
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
        draws.append(
            [noise.uniform(8), noise.laplace(8, 1.0), noise.gaussian(8, 1.0), noise.discrete_laplace(64, 50.0)]
        )
    for a, b in zip(*draws, strict=True):
        assert (a != b).any()
