"""Noise on quadrature nodes: the integrals it stands for, by closed forms and by slow sums."""

import numpy as np
import pytest
from scipy import optimize, stats

from pate.accounting.quadrature import discrete_gaussian, discrete_laplace, gaussian, laplace
from tests.accounting.one_answer import law_of
from tests.accounting.slow_law import slow_discrete_log


@pytest.mark.parametrize("sigma", [0.5, 2.0, 7.0, 19.0, 40.0, 100.0])
@pytest.mark.parametrize(
    "histogram", [[100, 90, 8, 2, *[0] * 6], [20] * 10, [60] * 3 + [0] * 2, [5] * 36 + [0] * 4, [200, 0]], ids=str
)
def test_discrete_gaussian_sums_may_skip_cells(histogram, sigma):
    """Every probability above 1e-280 to 13 digits, also with many classes: what the exact prices allow for."""
    if (200 + 12 * sigma) / sigma**2 > 500:
        pytest.skip("no exact price there")
    law, here = law_of(histogram, discrete_gaussian(sigma, 200, len(histogram))), slow_discrete_log(histogram, sigma)
    d = law.distinct.shape[1]
    real = np.flatnonzero(law.weight[0].any(axis=1))
    for u in {int(place) // d for place in real}:
        own = here[histogram.index(law.distinct[0, u])]
        place = next(place for place in real if place // d == u)
        if own > 1e-280:
            assert law.p[0, place, d] == pytest.approx(own, rel=1e-13)


@pytest.mark.parametrize("classes", [2, 3, 10, 80])
@pytest.mark.parametrize(
    ("kind", "scale"),
    [
        (laplace, 0.05),
        (laplace, 3.0),
        (discrete_laplace, 0.2),
        (discrete_laplace, 3.0),
        (gaussian, 1.0),
        (gaussian, 40.0),
        (discrete_gaussian, 1.0),
        (discrete_gaussian, 40.0),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_equal_counts_share_what_there_is(kind, scale, classes):
    """The integral of f F^(classes - 1) is 1/classes for any noise and any number of votes each."""
    for count in (1, 4):
        grid = kind(scale, count * classes, classes)
        ell, rate = (row.at(np.array(count)) for row in (grid.ell, grid.rate))
        found = grid.weights @ (rate * np.exp(classes * ell)) + grid.floor
        assert found == pytest.approx(1 / classes, rel=1e-12)


@pytest.mark.parametrize(
    ("grid", "law"),
    [
        (laplace(0.3, 20, 3), lambda x: stats.laplace.cdf(x, scale=1 / 0.3)),
        (gaussian(4.0, 20, 3), lambda x: stats.norm.cdf(x, scale=4.0)),
    ],
    ids=["laplace", "gaussian"],
)
def test_a_vote_more_or_less_shifts_the_distribution_by_one(grid, law):
    """Where nodes lie is the grid's own affair: F is inverted for the place that each of them has."""
    for count in (0, 7, 20):
        ell, down, up = (row.at(np.array(count)) for row in (grid.ell, grid.down, grid.up))
        usual = np.abs(ell + 1) < 0.9  # F between 0.15 and 0.9, where it can be inverted with all its digits
        places = [optimize.brentq(lambda x, f=f: law(x) - f, -60, 60, xtol=1e-13) for f in np.exp(ell[usual])]
        assert len(places) > 3
        np.testing.assert_allclose(down[usual], law(np.array(places) + 1) / law(np.array(places)), rtol=1e-10)
        np.testing.assert_allclose(up[usual], law(np.array(places) - 1) / law(np.array(places)), rtol=1e-10)
