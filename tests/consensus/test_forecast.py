"""The forecast: prices by a closed form, what public inputs tell, and a stand-in that hears less in more noise."""

import numpy as np
import pytest
from scipy.stats import norm

from pate.consensus.forecast import Forecast, forecast, pseudo_classes
from pate.consensus.kernel import KernelConsensus

RNG = np.random.default_rng(0)
CENTRES = 4 * np.eye(4, 8)
POOL = (CENTRES[np.arange(400) % 4] + RNG.normal(size=(400, 8))).astype(np.float32)


@pytest.fixture(scope="module")
def found() -> Forecast:
    return forecast(KernelConsensus(noise="continuous"), POOL, 4, 2000, 1e-5, None, 0.3)


def test_noise_is_that_of_the_exact_curve(found):
    """delta(e) of Balle & Wang 2018, Theorem 8, at the noise that is told, is the delta that was asked for."""
    for epsilon, replaced, sigma in zip(found.epsilons, found.replaced, found.sigma, strict=True):
        for e, mu in ((epsilon, 1 / sigma), (replaced, 2 / sigma)):
            delta = norm.cdf(mu / 2 - e / mu) - np.exp(e) * norm.cdf(-mu / 2 - e / mu)
            assert delta == pytest.approx(1e-5, rel=1e-4)


def test_an_entry_has_its_share_of_the_bound():
    """In every sum that would be released: two of them have the root of two times the noise each."""
    once = forecast(KernelConsensus(releases=1), POOL, 4, 2000, 1e-5, None, 0.3)
    twice = forecast(KernelConsensus(releases=2), POOL, 4, 2000, 1e-5, None, 0.3)
    assert once.noise == pytest.approx([one * np.sqrt(3 / 4) for one in once.sigma])
    assert twice.noise == pytest.approx([np.sqrt(2) * one for one in once.noise])
    assert twice.mechanism.startswith("2 sums of bounded answers")
    assert twice.sigma == once.sigma


def test_what_was_asked_for_is_among_them(found):
    out, other = found.guarantees()
    assert found.epsilons[found.own] == 0.3 == pytest.approx(out.epsilon)
    assert other.epsilon == pytest.approx(found.replaced[found.own])
    assert found.details()["components"] == found.components[found.own]
    assert "directions" in found.describe()


def test_less_noise_leaves_more(found):
    assert found.heard == sorted(found.heard)
    assert found.recovered[0] < 0.9 < 0.95 < found.recovered[-1]  # four clusters that are told apart


def test_nothing_to_hear_is_not_recovered():
    """At an epsilon of next to nothing what comes back is chance."""
    lost = forecast(KernelConsensus(), POOL, 4, 20, 1e-5, None, 0.02)
    assert lost.recovered[lost.own] < 0.5
    assert lost.heard[lost.own] == 0


def test_a_group_has_the_noise_of_its_clip():
    alone = forecast(KernelConsensus(releases=1), POOL, 4, 2000, 1e-5, None, 1.0)
    groups = forecast(KernelConsensus(clip=8.0, releases=1), POOL, 4, 2000, 1e-5, "person", 1.0)
    assert groups.noise == pytest.approx([8 * one for one in alone.noise])
    assert groups.recovered[0] < alone.recovered[0] + 0.05
    assert groups.guarantees()[0].relation.group == "person"


def test_too_few_public_inputs_have_no_forecast():
    assert pseudo_classes(POOL[:10], 4) is None
    assert pseudo_classes(np.ones((400, 2)), 4) is None  # columns that say nothing
    assert forecast(KernelConsensus(components=2), POOL[:10], 4, 100, 1e-5, None, 1.0).recovered == [None] * 8


def test_clusters_are_found():
    found, y = pseudo_classes(POOL, 4), np.arange(400) % 4
    assert sum(np.bincount(y[found == one]).max() for one in range(4)) / 400 > 0.95


def test_its_table_has_a_row_an_epsilon(found):
    table = found.table()
    assert [row[0] for row in table.cells()] == ["0.02", "0.05", "0.1", "0.2", "0.3", "0.5", "1", "2", "4"]
    assert "no promise" in table.words
