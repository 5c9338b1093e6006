"""Confident-GNMax answers by the law it claims."""

import numpy as np
import pytest
from scipy import stats

from pate.aggregation.confident_gnmax import ConfidentGNMax
from pate.noise import source
from tests.aggregation.frequencies import N, as_often, mass, wins


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
    assert as_often((answers == -1).sum(), 1 - passes)
    for label in range(3):  # independent noises: the chances multiply
        assert as_often((answers == label).sum(), passes * wins(counts, label, 6, noise))


def test_a_threshold_out_of_reach_answers_nothing_and_one_far_below_everything():
    counts = np.random.default_rng(0).multinomial(100, [0.6, 0.3, 0.1], size=50)
    assert (ConfidentGNMax(1e4, 1.0, 0.01).answer(counts, source(None)) == -1).all()
    answers = ConfidentGNMax(-1e4, 1.0, 0.01).answer(counts, source(None))
    np.testing.assert_array_equal(answers, counts.argmax(axis=1))


@pytest.mark.parametrize("value", [1e-4, 1e6])
def test_standard_deviations_have_sensible_sizes(value):
    for field in ("sigma", "threshold_sigma"):
        with pytest.raises(ValueError, match=rf"^{field} must lie between"):
            ConfidentGNMax(**{field: value})


def test_the_threshold_must_be_a_number():
    with pytest.raises(ValueError, match=r"^threshold must be a finite number"):
        ConfidentGNMax(threshold=float("nan"))
