"""Prices of DP-SGD against published figures, the RDP accountant and the closed-form Gaussian mechanism."""

from __future__ import annotations

import math

import dp_accounting
import pytest
from dp_accounting.rdp import RdpAccountant
from scipy.optimize import brentq
from scipy.stats import norm

from pate.accounting.calibrate import epsilon, noise_multiplier
from pate.errors import ConfigError

NOTHING, ANOTHER = "replaced-by-nothing", "replace-one"


def analytic_gaussian(sensitivity: float, sigma: float, delta: float) -> float:
    """Balle & Wang 2018, Theorem 8, solved for epsilon."""

    def excess(eps: float) -> float:
        a, b = sensitivity / (2 * sigma), eps * sigma / sensitivity
        return norm.cdf(a - b) - math.exp(eps + norm.logcdf(-a - b)) - delta

    return brentq(excess, 0, 200, xtol=1e-12)


@pytest.mark.parametrize(
    ("steps", "relation", "expected", "tolerance"),
    [
        (10_000, NOTHING, 0.947, 0.01),
        (1_000, NOTHING, 0.276, 0.02),  # the figure is from a coarser grid, which overcharges by 1.3%
        (1_000, ANOTHER, 0.563, 0.01),
    ],
)
def test_known_prices(steps: int, relation: str, expected: float, tolerance: float) -> None:
    assert epsilon(4.0, 0.01, steps, 1e-5, relation) == pytest.approx(expected, rel=tolerance)


@pytest.mark.parametrize(("sigma", "steps"), [(1.0, 1), (0.5, 2), (20.0, 100), (500.0, 10_000)])
@pytest.mark.parametrize("delta", [1e-3, 1e-5, 1e-9])
@pytest.mark.parametrize(("relation", "sensitivity"), [(NOTHING, 1.0), (ANOTHER, 2.0)])
def test_without_sampling_it_is_the_gaussian_mechanism(
    sigma: float, steps: int, delta: float, relation: str, sensitivity: float
) -> None:
    exact = analytic_gaussian(sensitivity, sigma / math.sqrt(steps), delta)
    got = epsilon(sigma, 1.0, steps, delta, relation)
    assert exact * (1 - 1e-6) <= got <= exact * 1.003 + 1e-3


@pytest.mark.parametrize("rate", [0.01, 0.2])
@pytest.mark.parametrize("sigma", [0.8, 4.0, 30.0])
@pytest.mark.parametrize("steps", [10, 2_000])
def test_never_dearer_than_renyi(rate: float, sigma: float, steps: int) -> None:
    """RDP composition is valid and loses a little: the tight accountant lies below it, and not absurdly far."""
    accountant = RdpAccountant(neighboring_relation=dp_accounting.NeighboringRelation.REPLACE_SPECIAL)
    lot = dp_accounting.PoissonSampledDpEvent(rate, dp_accounting.GaussianDpEvent(sigma))
    renyi = accountant.compose(lot, steps).get_epsilon(1e-5)
    got = epsilon(sigma, rate, steps, 1e-5, NOTHING)
    assert renyi / 3 < got <= renyi


@pytest.mark.parametrize("target", [0.2, 2.0, 8.0])
@pytest.mark.parametrize(("rate", "steps"), [(0.01, 1_000), (0.2, 100), (1.0, 1)])
@pytest.mark.parametrize("relation", [NOTHING, ANOTHER])
def test_the_calibrated_noise_fits_the_budget_and_wastes_nothing(
    target: float, rate: float, steps: int, relation: str
) -> None:
    sigma = noise_multiplier(target, 1e-5, rate, steps, relation)
    assert epsilon(sigma, rate, steps, 1e-5, relation) <= target
    assert epsilon(sigma * 0.999, rate, steps, 1e-5, relation) > target


def test_replacing_by_another_costs_more() -> None:
    assert noise_multiplier(1.0, 1e-5, 0.1, 100, ANOTHER) > 1.5 * noise_multiplier(1.0, 1e-5, 0.1, 100, NOTHING)


def test_budgets_out_of_reach_name_what_is_in_reach() -> None:
    with pytest.raises(ConfigError, match="the least reachable is"):
        noise_multiplier(1e-7, 1e-12, 1.0, 100_000, NOTHING)
    with pytest.raises(ConfigError, match="ask for less than") as error:
        noise_multiplier(1e6, 1e-5, 0.1, 10, NOTHING)
    nearest = float(str(error.value).rsplit(" ", 1)[1])
    assert noise_multiplier(nearest * 0.95, 1e-5, 0.1, 10, NOTHING) == pytest.approx(0.25, rel=0.1)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"epsilon": 0.0}, "epsilon=0"),
        ({"epsilon": -1.0}, "epsilon=-1"),
        ({"epsilon": math.nan}, "epsilon=nan"),
        ({"epsilon": math.inf}, "epsilon=inf"),
        ({"delta": 0.0}, "delta=0"),
        ({"delta": 1.0}, "delta=1"),
        ({"delta": math.nan}, "delta=nan"),
        ({"delta": 1e-15}, "delta=1e-15"),
        ({"sampling_rate": 0.0}, "sampling_rate=0"),
        ({"sampling_rate": 1.5}, "sampling_rate=1.5"),
        ({"steps": 0}, "steps=0"),
        ({"relation": "add-remove"}, "replaced-by-nothing or replace-one"),
    ],
)
def test_impossible_questions_are_refused(change: dict, says: str) -> None:
    question = {"epsilon": 1.0, "delta": 1e-5, "sampling_rate": 0.1, "steps": 10, "relation": NOTHING}
    with pytest.raises(ConfigError, match=says):
        noise_multiplier(**(question | change))


@pytest.mark.parametrize("sigma", [0.0, -1.0, math.nan, math.inf])
def test_an_impossible_noise_multiplier_is_refused(sigma: float) -> None:
    with pytest.raises(ConfigError, match="noise_multiplier"):
        epsilon(sigma, 0.1, 10, 1e-5, NOTHING)
