"""What the picture of a sweep says of the noise."""

from types import SimpleNamespace

import pytest

from pate.report.draw.picture import _noise

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
