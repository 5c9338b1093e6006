"""The law behind a noisy threshold test: the argmax's times the chance to pass, which a tail gives."""

import mpmath
import numpy as np
import pytest
from scipy import stats

from pate.accounting.confident import behind_threshold, log_passes
from pate.accounting.quadrature import discrete_gaussian, gaussian
from tests.accounting.forty_digits import log_tail
from tests.accounting.one_answer import law_of
from tests.accounting.slow_law import slow_law

SLACK = 4e-13  # what is claimed to hold


def test_the_threshold_test_adds_an_outcome():
    histogram = [12, 12, 3]
    law = behind_threshold(14.0, 3.0, "continuous")(law_of(histogram, gaussian(5.0, 27, 3)))
    argmax = slow_law(histogram, "gaussian", 5.0)
    passes = stats.norm.cdf((12 - 14) / 3)
    neighbours = {(0, 0): 13, (0, 1): 12, (1, 0): 13, (1, 1): None}  # largest count after the move
    for (u, v), top in neighbours.items():
        place = u * 2 + v
        if top is None:
            assert not law.weight[0, place].any()
            continue
        passes_there = stats.norm.cdf((top - 14) / 3)
        assert law.p[0, place, -1] == pytest.approx(1 - passes)
        assert law.other[0, place, -1] == pytest.approx(1 - passes_there)
        assert law.p[0, place, -3] == pytest.approx(argmax[histogram.index(law.distinct[0, u])] * passes)
        assert (law.weight * law.other)[0, place].sum() == pytest.approx(1)
    alone = behind_threshold(14.0, 3.0, "continuous")(law_of([13, 12, 2], gaussian(5.0, 27, 3)))
    assert alone.other[0, 0 * 3 + 2, -1] == pytest.approx(stats.norm.sf((12 - 14) / 3))  # the leader lost a vote


@pytest.mark.parametrize("threshold", [13.3, 14.0])
def test_whole_noise_reaches_a_threshold_rounded_up(threshold):
    k = np.arange(-60, 61)
    mass = np.exp(-((k / 3) ** 2) / 2)
    mass /= mass.sum()
    law = behind_threshold(threshold, 3.0, "discrete")(law_of([12, 12, 3], discrete_gaussian(5.0, 27, 3)))
    argmax = slow_law([12, 12, 3], "discrete gaussian", 5.0)
    for place, top in ((0, 13), (1, 12), (2, 13)):  # neighbours: to the other leader, to the third, from the third
        assert law.p[0, place, -1] == pytest.approx(mass[12 + k < threshold].sum(), rel=1e-12)
        assert law.other[0, place, -1] == pytest.approx(mass[top + k < threshold].sum(), rel=1e-12)
        assert (law.weight * law.other)[0, place].sum() == pytest.approx(1, abs=1e-12)
    assert law.p[0, 0, -3] == pytest.approx(argmax[0] * mass[12 + k >= threshold].sum(), rel=1e-12)


@pytest.mark.parametrize("away", [-33.0, -8.0, -1.0, 0.0, 1.0, 8.0, 33.0])
@pytest.mark.parametrize(("kind", "sigma"), [("gaussian", 1e-3), ("gaussian", 1e5), ("discrete gaussian", 0.5),
                                             ("discrete gaussian", 30.0), ("discrete gaussian", 1e5)])  # fmt: skip
def test_the_chance_to_pass_a_threshold_is_within_the_slack(kind, sigma, away):
    """From all but certain to e^-550, with the least and the most noise that is accepted."""
    noise, top = ("continuous" if kind == "gaussian" else "discrete"), 40.0
    threshold = top + (away * sigma if kind == "gaussian" else round(away * sigma))
    passes, fails = log_passes(np.array(top), threshold, sigma, noise)
    short = mpmath.mpf(threshold) - top
    assert abs(float(passes) - log_tail(kind, short, sigma)) <= SLACK
    other = log_tail(kind, -short, sigma) if kind == "gaussian" else log_tail(kind, 1 - short, sigma)
    assert abs(float(fails) - other) <= SLACK
