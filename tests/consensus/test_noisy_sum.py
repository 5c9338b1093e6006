"""What was released is kept with its price, and nothing else is taken for it."""

import numpy as np
import pytest

from pate.consensus.gaussian import GaussianPlan
from pate.consensus.noisy_sum import NoisySum

PLAN = GaussianPlan.least(1.0, 1e-4, None, 1.0, discrete=True)
DRAWN = NoisySum.of_one(np.arange(6).reshape(3, 2), 3, PLAN, seeded=False)


def test_its_price_comes_back_with_it():
    again = NoisySum.join(*DRAWN.split())
    assert again.guarantees() == PLAN.guarantees()
    assert again.details() == {
        "epsilon_replace_one": PLAN.guarantees()[1].epsilon, "sigma": PLAN.sigma, "clip": 1.0, "discrete": 1.0,
        "releases": 1.0, "components": 3,
    }  # fmt: skip


@pytest.mark.parametrize(
    "wrong",
    [
        {"records": 0},
        {"noise": [0.0]},
        {"unit": [-1.0]},
        {"unit": []},
        {"total": np.full((1, 3, 2), np.nan)},
        {"total": np.zeros(3)},
        {"total": np.zeros((2, 3, 2))},
        {"before": np.zeros((1, 2, 2))},
    ],
)
def test_what_is_no_sum_is_refused(wrong):
    with pytest.raises(ValueError, match="noisy sum"):
        NoisySum(**(vars(DRAWN) | wrong)).check()


def test_a_price_under_one_relation_alone_is_refused():
    with pytest.raises(ValueError, match="both relations"):
        NoisySum(**(vars(DRAWN) | {"price": DRAWN.price[::-1]})).check()
