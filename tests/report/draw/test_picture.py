"""The picture of a sweep: its curves, its labels, and what it says of the noise."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from pate.report.draw.picture import _noise, apart, curve_of
from pate.report.sweep.jobs import groups
from tests.report.sweep.made_up import job, quality

OURS = {"_target_": "pate.aggregation.lnmax.LNMax", "gamma": 0.2}


@pytest.mark.parametrize(
    ("aggregators", "words"),
    [
        ([OURS], "Laplace noise of scale 1/gamma"),
        ([{"_target_": "pate.aggregation.gnmax.GNMax", "sigma": 4.0}], "Gaussian noise of sigma = 1/gamma"),
        ([{"_target_": "mine.Exponential", "gamma": 0.2}], "noise of scale 1/gamma"),
        ([OURS, {"_target_": "mine.Exponential", "gamma": 0.2}], "noise of scale 1/gamma"),
    ],
)
def test_noise_is_named_where_it_is_known(aggregators, words):
    jobs = [SimpleNamespace(results=SimpleNamespace(config={"aggregator": one})) for one in aggregators]
    assert _noise(jobs) == f"{words} on every count of votes"


def test_a_curve_is_the_mean_over_seeds_where_it_is_known():
    shares = np.array([[0.2, 0.8], [0.3, 0.84]])
    jobs = [job(str(seed), f"seed={seed}", quality=quality(0.5, list(shares[seed]))) for seed in range(2)]
    (group,) = groups(jobs)
    curve = curve_of(group)
    assert [point.value for point in curve.points.values()] == pytest.approx(shares.mean(axis=0))
    assert [point.error for point in curve.points.values()] == pytest.approx(stats.sem(shares, axis=0))
    (unknown,) = groups([job("0", "seed=0", quality=quality(None, [None, 0.7]))])
    assert list(curve_of(unknown).points) == [1.0]
    (none,) = groups([job("0", "seed=0", quality=quality(None, [None, None]))])
    assert curve_of(none) is None


def test_labels_are_kept_apart_in_order_and_below_the_top():
    heights = [0.97, 0.2, 0.96, 0.95]
    placed = apart(heights, 0.1)
    assert placed[1] == 0.2
    assert list(np.argsort(placed)) == list(np.argsort(heights))
    assert np.diff(sorted(placed)).min() >= 0.1 - 1e-12
    assert max(placed) <= 1
