"""GNMax and Confident-GNMax answer by the law they claim."""

import numpy as np
import pytest
from scipy import integrate, stats

from pate.aggregation.confident_gnmax import ConfidentGNMax
from pate.aggregation.gnmax import GNMax
from pate.noise import source

N = 40_000


def mass(sigma):
    """Discrete Gaussian noise: its values and their probabilities, by definition."""
    k = np.arange(-int(12 * sigma) - 12, int(12 * sigma) + 13)
    law = np.exp(-((k / sigma) ** 2) / 2)
    return k, law / law.sum()


def wins(counts, label, sigma, noise):
    """Pr[label wins]: by summing over all noises, ties shared, or by integration over its noisy count."""
    if noise == "discrete":
        k, law = mass(sigma)
        values = np.arange(k[0], k[-1] + counts.max() + 1)
        at = np.array([np.interp(values - n, k, law, left=0, right=0) for n in counts])
        below = np.cumsum(at, axis=1) - at
        ties = np.zeros((len(counts), len(values)))
        ties[0] = at[label]
        for other in np.delete(np.arange(len(counts)), label):
            ties = ties * below[other] + np.roll(ties, 1, axis=0) * at[other]
        return float((ties / np.arange(1, len(counts) + 1)[:, None]).sum())

    def density(x):
        others = np.delete(counts, label)
        return stats.norm.pdf(x, counts[label], sigma) * stats.norm.cdf(x, others, sigma).prod()

    return integrate.quad(density, counts[label] - 12 * sigma, counts[label] + 12 * sigma)[0]


def as_often(found, chance, seed):
    """Fresh noise may fail once in 1e10 runs; with a seed it fails always or never."""
    return stats.binomtest(int(found), N, chance).pvalue > (1e-10 if seed is None else 1e-6)


@pytest.mark.parametrize("noise", ["discrete", "continuous"])
@pytest.mark.parametrize("seed", [3, None])
@pytest.mark.parametrize(("counts", "sigma"), [([6, 4], 3.0), ([6, 6, 5], 0.6), ([20, 15, 5, 18], 6.0)])
def test_gnmax_wins_as_often_as_its_law_says(counts, sigma, seed, noise):
    answers = GNMax(sigma, noise).answer(np.tile([counts], (N, 1)), source(seed))
    for label in range(len(counts)):
        assert as_often((answers == label).sum(), wins(np.array(counts), label, sigma, noise), seed)


@pytest.mark.parametrize("noise", ["discrete", "continuous"])
@pytest.mark.parametrize("seed", [4, None])
@pytest.mark.parametrize(("threshold", "threshold_sigma"), [(33, 8), (30.2, 0.8)])
def test_confident_gnmax_is_a_noisy_test_and_then_gnmax(threshold, threshold_sigma, seed, noise):
    counts = np.array([30, 25, 5])
    aggregator = ConfidentGNMax(threshold, threshold_sigma, 6, noise)
    answers = aggregator.answer(np.tile([counts], (N, 1)), source(seed))
    passes = stats.norm.sf(threshold, 30, threshold_sigma)
    if noise == "discrete":
        k, law = mass(threshold_sigma)
        passes = law[30 + k >= threshold].sum()
    assert as_often((answers == -1).sum(), 1 - passes, seed)
    for label in range(3):  # independent noises: the chances multiply
        assert as_often((answers == label).sum(), passes * wins(counts, label, 6, noise), seed)


@pytest.mark.parametrize("noise", ["discrete", "continuous"])
def test_ties_fall_evenly(noise):
    answers = GNMax(0.5, noise).answer(np.tile([[5, 5, 5]], (9_000, 1)), source(0))
    assert stats.chisquare(np.bincount(answers, minlength=3)).pvalue > 1e-6


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


@pytest.mark.parametrize("value", [1e-4, 1e6])
def test_standard_deviations_have_sensible_sizes(value):
    for field in ("sigma", "threshold_sigma"):
        with pytest.raises(ValueError, match=rf"^{field} must lie between"):
            ConfidentGNMax(**{field: value})


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


def test_the_threshold_must_be_a_number():
    with pytest.raises(ValueError, match=r"^threshold must be a finite number"):
        ConfidentGNMax(threshold=float("nan"))
