"""The card of a consensus: both guarantees as they were when the sum was drawn, whichever noise it has."""

import numpy as np
import pytest

from pate.consensus.clusters import LaplacePlan
from pate.consensus.gaussian import GaussianPlan
from pate.consensus.noisy_sum import NoisySum
from pate.consensus.statement import of_sum


@pytest.mark.parametrize(
    ("plan", "exact", "words"),
    [
        (GaussianPlan.least(0.5, 1e-5, None, 8.0, discrete=True), True, "Gaussian"),
        (GaussianPlan.least(0.5, 1e-5, "clinic", 8.0, discrete=False), False, "all records of one clinic"),
        (LaplacePlan(1e-5, None, 0.5, 2), True, "Laplace"),
    ],
)
def test_it_promises_what_the_sum_paid(plan, exact, words):
    drawn = NoisySum.of_one(np.ones((4, 3)), 100, plan, seeded=False)
    told = of_sum(drawn, data="digits", account={"epsilon": "2"})
    assert (told.guarantee, told.replace_one) == plan.guarantees()
    assert told.guarantee.publishable
    assert told.exact_noise == exact
    assert words in told.mechanism
    assert ("sums released", "1, each of 4 directions x 3 classes") in told.facts
