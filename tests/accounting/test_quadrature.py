"""Noise on quadrature nodes: the integrals it stands for, by closed forms and by slow sums."""

import numpy as np
import pytest

from pate.accounting.quadrature import discrete_gaussian
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
