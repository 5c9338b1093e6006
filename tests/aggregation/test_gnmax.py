"""GNMax and Confident-GNMax answer by the law they claim."""

import numpy as np
import pytest
from scipy import integrate, stats

from pate.aggregation.confident_gnmax import ConfidentGNMax
from pate.aggregation.gnmax import GNMax
from pate.noise import source

N = 40_000


def wins(counts, label, sigma):
    """Pr[label wins] by integration over its noisy count."""

    def density(x):
        others = np.delete(counts, label)
        return stats.norm.pdf(x, counts[label], sigma) * stats.norm.cdf(x, others, sigma).prod()

    return integrate.quad(density, counts[label] - 12 * sigma, counts[label] + 12 * sigma)[0]


def as_often(found, chance):
    return stats.binomtest(int(found), N, chance).pvalue > 1e-6


@pytest.mark.parametrize("seed", [3, None])
@pytest.mark.parametrize(("counts", "sigma"), [([6, 4], 3.0), ([20, 15, 5, 18], 6.0)])
def test_gnmax_wins_as_often_as_the_integral_says(counts, sigma, seed):
    answers = GNMax(sigma).answer(np.tile([counts], (N, 1)), source(seed))
    for label in range(len(counts)):
        assert as_often((answers == label).sum(), wins(np.array(counts), label, sigma))


@pytest.mark.parametrize("seed", [4, None])
def test_confident_gnmax_is_a_noisy_test_and_then_gnmax(seed):
    counts = np.array([30, 25, 5])
    answers = ConfidentGNMax(threshold=33, threshold_sigma=8, sigma=6).answer(np.tile([counts], (N, 1)), source(seed))
    passes = stats.norm.sf(33, 30, 8)
    assert as_often((answers == -1).sum(), 1 - passes)
    for label in range(3):  # independent noises: the chances multiply
        assert as_often((answers == label).sum(), passes * wins(counts, label, 6))


def test_a_threshold_out_of_reach_answers_nothing_and_one_far_below_everything():
    counts = np.random.default_rng(0).multinomial(100, [0.6, 0.3, 0.1], size=50)
    assert (ConfidentGNMax(1e4, 1.0, 0.01).answer(counts, source(None)) == -1).all()
    answers = ConfidentGNMax(-1e4, 1.0, 0.01).answer(counts, source(None))
    np.testing.assert_array_equal(answers, counts.argmax(axis=1))


@pytest.mark.parametrize("aggregator", [GNMax(20.0), ConfidentGNMax(5.0, 3.0, 20.0)])
def test_fresh_noise_every_time_and_the_same_for_the_same_seed(aggregator):
    counts = np.tile([[5, 5]], (200, 1))
    assert (aggregator.answer(counts, source(None)) != aggregator.answer(counts, source(None))).any()
    np.testing.assert_array_equal(aggregator.answer(counts, source(7)), aggregator.answer(counts, source(7)))


def test_they_say_what_they_are():
    assert GNMax(40).describe() == "GNMax, Gaussian (floating-point) noise of standard deviation 40"
    words = ConfidentGNMax(200, 150, 40).describe()
    assert all(number in words for number in ("200", "150", "40"))


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
def test_standard_deviations_must_be_positive(value):
    with pytest.raises(ValueError, match=r"^sigma must be a positive number"):
        GNMax(value)
    with pytest.raises(ValueError, match=r"^sigma must be a positive number"):
        ConfidentGNMax(sigma=value)
    with pytest.raises(ValueError, match=r"^threshold_sigma must be a positive number"):
        ConfidentGNMax(threshold_sigma=value)


def test_the_threshold_must_be_a_number():
    with pytest.raises(ValueError, match=r"^threshold must be a finite number"):
        ConfidentGNMax(threshold=float("nan"))
