"""LNMax answers by the law it claims."""

import numpy as np
import pytest
from scipy import stats

from pate.accounting.moments import plurality_loses
from pate.aggregation.lnmax import LNMax
from pate.noise import source


@pytest.mark.parametrize("noise", ["discrete", "continuous"])
@pytest.mark.parametrize("seed", [3, None])
def test_two_classes_win_as_often_as_the_closed_form_says(noise, seed):
    n = 20_000
    answers = LNMax(0.3, noise).answer(np.tile([[6, 4]], (n, 1)), source(seed))
    lost = plurality_loses(np.array([[6, 4]]), 0.3, noise)[0]
    assert stats.binomtest(int((answers == 1).sum()), n, lost).pvalue > 1e-6


@pytest.mark.parametrize("noise", ["discrete", "continuous"])
def test_ties_fall_evenly(noise):
    answers = LNMax(3.0, noise).answer(np.tile([[5, 5, 5]], (9_000, 1)), source(0))
    assert stats.chisquare(np.bincount(answers, minlength=3)).pvalue > 1e-6


def test_hardly_any_noise_gives_the_plurality():
    counts = np.random.default_rng(0).multinomial(100, [0.6, 0.3, 0.1], size=50)
    np.testing.assert_array_equal(LNMax(50.0).answer(counts, source(None)), counts.argmax(axis=1))


def test_fresh_noise_every_time_and_the_same_for_the_same_seed():
    counts = np.tile([[5, 5]], (200, 1))
    draw = LNMax(0.1).answer
    assert (draw(counts, source(None)) != draw(counts, source(None))).any()
    np.testing.assert_array_equal(draw(counts, source(7)), draw(counts, source(7)))


@pytest.mark.parametrize("gamma", [0, -1, float("nan"), float("inf")])
def test_gamma_must_be_positive(gamma):
    with pytest.raises(ValueError, match="gamma must be a positive number"):
        LNMax(gamma)


def test_the_noise_is_one_of_two():
    with pytest.raises(ValueError, match="discrete or continuous"):
        LNMax(0.1, "gauss")
