"""The curve of one answer lies above those of all its neighbours, and close."""

import numpy as np
import pytest

from pate.accounting.exact_pld import losses
from pate.accounting.pld import compose
from pate.accounting.quadrature import discrete_gaussian, gaussian, laplace
from tests.accounting.one_answer import hockey_stick, law_of, pairs


@pytest.mark.parametrize("histogram", [[9, 6, 5, 0], [20, 0, 0, 0], [5, 5, 5, 5]], ids=str)
@pytest.mark.parametrize(
    "grid",
    [laplace(0.3, 20, 4), gaussian(4.0, 20, 4), discrete_gaussian(4.0, 20, 4)],
    ids=["laplace", "gaussian", "discrete gaussian"],
)
def test_a_loss_distribution_dominates_every_neighbour(histogram, grid):
    law, step, reach = law_of(histogram, grid), 0.01, 120
    for way, one in enumerate(losses(law, step, reach)):
        (composed,) = compose(one, np.array([1.0]), 1e-3)
        at_points = 0.0
        for epsilon in np.linspace(-1.0, 1.1, 211):
            worst = max(hockey_stick(*((p, q) if way == 0 else (q, p)), epsilon) for p, q in pairs(law))
            assert composed.delta(epsilon) >= worst - 1e-15
            at_points = max(at_points, composed.delta(epsilon) - worst)
        assert at_points < 1e-4  # and not much more than that
