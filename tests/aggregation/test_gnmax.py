"""GNMax answers by the law it claims, and Confident-GNMax where they share it."""

import numpy as np
import pytest
from scipy import stats

from pate.aggregation.confident_gnmax import ConfidentGNMax
from pate.aggregation.gnmax import GNMax
from pate.noise import source
from tests.aggregation.frequencies import N, as_often, wins


@pytest.mark.parametrize("noise", ["discrete", "continuous"])
@pytest.mark.parametrize("seed", [3, None])
@pytest.mark.parametrize(("counts", "sigma"), [([6, 4], 3.0), ([6, 6, 5], 0.6), ([20, 15, 5, 18], 6.0)])
def test_gnmax_wins_as_often_as_its_law_says(counts, sigma, seed, noise):
    answers = GNMax(sigma, noise).answer(np.tile([counts], (N, 1)), source(seed))
    for label in range(len(counts)):
        assert as_often((answers == label).sum(), wins(np.array(counts), label, sigma, noise))


@pytest.mark.parametrize("noise", ["discrete", "continuous"])
def test_ties_fall_evenly(noise):
    answers = GNMax(0.5, noise).answer(np.tile([[5, 5, 5]], (9_000, 1)), source(0))
    assert stats.chisquare(np.bincount(answers, minlength=3)).pvalue > 1e-6


@pytest.mark.parametrize("aggregator", [GNMax(20.0), ConfidentGNMax(5.0, 3.0, 20.0)])
def test_fresh_noise_every_time_and_the_same_for_the_same_seed(aggregator):
    counts = np.tile([[5, 5]], (200, 1))
    assert (aggregator.answer(counts, source(None)) != aggregator.answer(counts, source(None))).any()
    np.testing.assert_array_equal(aggregator.answer(counts, source(7)), aggregator.answer(counts, source(7)))


def test_they_say_what_they_are():
    assert GNMax(40).describe() == "GNMax, discrete Gaussian noise of standard deviation 40"
    assert GNMax(40, "continuous").describe() == "GNMax, Gaussian (floating-point) noise of standard deviation 40"
    words = ConfidentGNMax(200, 150, 40).describe()
    assert all(number in words for number in ("200", "150", "40"))
    assert words.count("discrete Gaussian") == 2
    assert ConfidentGNMax(noise="continuous").describe().count("(floating-point)") == 2


def test_noise_is_discrete_unless_said_otherwise_and_nothing_else():
    assert GNMax().noise == ConfidentGNMax().noise == "discrete"
    for kind in (GNMax, ConfidentGNMax):
        with pytest.raises(ValueError, match=r"^noise must be discrete or continuous"):
            kind(noise="gauss")
        assert kind(noise="continuous").scaled(0.1) == kind(sigma=10.0, noise="continuous")


@pytest.mark.parametrize("noise", ["discrete", "continuous"])
def test_next_to_no_noise_gives_the_plurality_and_very_much_a_guess(noise):
    counts = np.tile([[9, 8, 0]], (3_000, 1))
    assert (GNMax(1e-3, noise).answer(counts, source(None)) == 0).all()
    guesses = np.bincount(GNMax(1e5, noise).answer(counts, source(5)), minlength=3)
    assert stats.chisquare(guesses).pvalue > 1e-6


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
def test_standard_deviations_must_be_positive(value):
    with pytest.raises(ValueError, match=r"^sigma must be a positive number"):
        GNMax(value)
    with pytest.raises(ValueError, match=r"^sigma must be a positive number"):
        ConfidentGNMax(sigma=value)
    with pytest.raises(ValueError, match=r"^threshold_sigma must be a positive number"):
        ConfidentGNMax(threshold_sigma=value)
