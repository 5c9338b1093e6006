"""What can be asked of a consensus, and how many directions are enough."""

import numpy as np
import pytest

from pate.accounting.gaussian_sum import priced
from pate.consensus.consensus import Consensus, enough
from pate.consensus.graph import GraphConsensus
from pate.consensus.kernel import KernelConsensus
from pate.data.outline import Outline
from pate.errors import ConfigError


@pytest.mark.parametrize("kind", [KernelConsensus, GraphConsensus])
@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"epsilon": 0}, "epsilon must be a positive number or pate, got 0"),
        ({"epsilon": -1.0}, "epsilon"),
        ({"epsilon": float("nan")}, "epsilon"),
        ({"epsilon": "much"}, "epsilon must be a positive number or pate, got much"),
        ({"clip": 0.0}, "clip must be a positive number, got 0.0"),
        ({"clip": float("inf")}, "clip"),
        ({"components": 0}, "components must be at least 1"),
        ({"noise": "laplace"}, "discrete, continuous"),
        ({"student": "teacher"}, "itself, student"),
    ],
)
def test_nonsense_is_one_line(kind, wrong, says):
    with pytest.raises((ValueError, ConfigError), match=says) as told:
        kind(**wrong)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("noise", ["discrete", "continuous"])
def test_a_plan_costs_what_was_asked_for(noise):
    plan = KernelConsensus(noise=noise).plan(0.3, 1e-5, None)
    assert 0.2999 < priced(1 / plan.sigma, 1e-5, plan.far)[0] <= 0.3
    assert plan.exact_noise == (noise == "discrete")


def test_whoever_makes_no_basis_says_so():
    with pytest.raises(TypeError, match="Consensus makes no basis"):
        Consensus().basis(np.zeros((3, 2)), 2, 0.0)


def test_enough_is_the_last_that_holds_its_share():
    held = np.concatenate([np.full(50, 1.0), np.full(50, 1e-3)])
    assert enough(held, 1 / 60, 2) == 50  # a fiftieth each; the next would hold a fifty-thousandth
    assert enough(held, 1e-9, 2) == 100
    assert enough(held, 0.9, 2) == 16  # a few, however loud the noise
    assert enough(held, 0.9, 10) == 30  # and three a class
    assert enough(held[:4], 0.9, 10) == 4


def test_the_floor_is_the_noise_of_a_mean():
    plan = KernelConsensus(clip=4.0).plan(1.0, 1e-5, "site")
    assert plan.floor(1000, 3) == pytest.approx(2 * (4 * plan.sigma / 1000) ** 2)


@pytest.mark.parametrize(
    ("shape", "student"),
    [((8, 8), "student"), ((28, 28, 1), "student"), ((32, 32, 3), "itself"), ((9,), "itself"), (None, "itself")],
)  # fmt: skip
def test_of_grey_images_a_student_learns_and_elsewhere_the_sum_itself_predicts(shape, student):
    outline = Outline(shape, private=1000, public=400, classes=10)
    found, why = KernelConsensus(student="auto").suited(outline)
    assert found == KernelConsensus(student=student)
    assert ("grey images" in why) == (student == "student")
    assert KernelConsensus(student="itself").suited(outline) == (KernelConsensus(), "")
