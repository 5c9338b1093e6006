"""How much noise DP-SGD needs for a budget, and what a noise multiplier costs: Poisson-sampled Gaussians, composed.

Both go through dp_accounting's privacy loss distributions, rounded pessimistically: an epsilon is never too small.
`once` is the noise multiplier of a release from all records that goes before the steps (principal components).
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

from pate.accounting.guarantee import given, remaining, shown
from pate.errors import ConfigError

RELATIONS = {"replaced-by-nothing": "REPLACE_SPECIAL", "replace-one": "REPLACE_ONE"}

LEAST, MOST = 0.25, 1e5  # noise multipliers that are considered: below, prices take gigabytes to compute
SMALLEST_DELTA = 1e-12  # below it the rounding of the FFT composition shows
_COARSE = 1e-4  # least grid interval beside a release of deviation 1, which reaches far
_MOST_STEPS = 10**7
_PRECISION = 1e-4  # relative, of a calibrated noise multiplier


def epsilon(
    noise_multiplier: float, sampling_rate: float, steps: int, delta: float, relation: str, once: float | None = None
) -> float:
    """What `steps` lots cost at this delta, each record in each lot with probability `sampling_rate`."""
    _refuse_impossible(sampling_rate, steps, delta, relation)
    _positive("noise_multiplier", noise_multiplier)
    _positive("once", 1.0 if once is None else once)
    return _cost(noise_multiplier, sampling_rate, steps, delta, relation, once)


def noise_multiplier(
    epsilon: float, delta: float, sampling_rate: float, steps: int, relation: str, once: float | None = None
) -> float:
    """The least noise multiplier, to a relative 1e-4, that costs at most `epsilon`."""
    from scipy.optimize import brentq

    _positive("epsilon", epsilon)
    _refuse_impossible(sampling_rate, steps, delta, relation)
    _refuse_dear(once, epsilon, delta, relation)

    def cost(sigma: float) -> float:
        return _cost(sigma, sampling_rate, steps, delta, relation, once)

    def excess(log_sigma: float) -> float:  # close to a straight line, so that few evaluations find its root
        return math.log(max(cost(math.exp(log_sigma)), 1e-12) / epsilon)

    what = f"with {steps} steps at sampling rate {sampling_rate:.3g}, delta={given(delta)}, {relation}"
    low = high = _first_guess(epsilon, sampling_rate, steps)
    while cost(high) > epsilon:
        if high == MOST:
            raise ConfigError(
                f"epsilon={given(epsilon)} is out of reach {what}: the least reachable is {shown(cost(high))}"
            )
        low, high = high, min(MOST, 1.5 * high)
    while cost(low) <= epsilon:
        if low == LEAST:
            raise ConfigError(
                f"epsilon={given(epsilon)} asks for almost no noise {what}: ask for less than {remaining(cost(low))}"
            )
        high, low = low, max(LEAST, low / 1.5)
    sigma = math.exp(brentq(excess, math.log(low), math.log(high), xtol=_PRECISION))
    while cost(sigma) > epsilon:  # the root is known to a precision: step to the safe side of it
        sigma *= 1 + _PRECISION
    return sigma


def steps_within(
    epsilon: float,
    delta: float,
    sampling_rate: float,
    noise_multiplier: float,
    relation: str,
    most: int,
    once: float | None = None,
) -> int:
    """How many steps of this noise fit the budget, at most so many."""
    _positive("epsilon", epsilon)
    _considered("noise_multiplier", noise_multiplier)
    _refuse_impossible(sampling_rate, most, delta, relation)
    _refuse_dear(once, epsilon, delta, relation)

    def fits(steps: int) -> bool:
        return _cost(noise_multiplier, sampling_rate, steps, delta, relation, once) <= epsilon

    if fits(most):
        return most
    if not fits(1):
        first = _cost(noise_multiplier, sampling_rate, 1, delta, relation, once)
        raise ConfigError(
            f"epsilon={given(epsilon)} is out of reach with noise_multiplier={noise_multiplier:g} at sampling rate "
            f"{sampling_rate:.3g}, delta={given(delta)}, {relation}: one step costs {shown(first)}"
        )
    low, high = 1, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _first_guess(epsilon: float, sampling_rate: float, steps: int) -> float:
    """Many steps are close to mu-GDP, mu = rate * sqrt(steps * (exp(1/sigma^2) - 1)) (Bu et al. 2020); epsilon ~ 3 mu.

    Starting near the answer matters: the cost of far too little noise takes seconds and gigabytes to compute.
    """
    sigma = 1 / math.sqrt(math.log1p((epsilon / (3 * sampling_rate)) ** 2 / steps))
    return min(MOST, max(LEAST, sigma))


@lru_cache(maxsize=1024)
def _cost(
    sigma: float, sampling_rate: float, steps: int, delta: float, relation: str, once: float | None = None
) -> float:
    from dp_accounting.pld.privacy_loss_distribution import identity

    interval = max(_grid_interval(sigma, sampling_rate), 0.0 if once is None else _COARSE / once)
    spent = identity(interval).compose(_one_lot(sigma, sampling_rate, relation, interval).self_compose(steps))
    if once is not None:
        spent = spent.compose(_one_lot(once, 1.0, relation, interval))
    return float(spent.get_epsilon_for_delta(delta))


@lru_cache(maxsize=2)
def _one_lot(sigma: float, sampling_rate: float, relation: str, interval: float) -> Any:
    """The privacy loss of one, as dp_accounting's accountant composes it: the same for any number of steps."""
    from dp_accounting import NeighboringRelation
    from dp_accounting.pld.privacy_loss_distribution import from_gaussian_mechanism

    return from_gaussian_mechanism(
        sigma,
        value_discretization_interval=interval,
        sampling_prob=sampling_rate,
        neighboring_relation=NeighboringRelation[RELATIONS[relation]],
    )


def _grid_interval(sigma: float, sampling_rate: float) -> float:
    """A tenth of the standard deviation of one step's privacy loss, at most 1e-3: fine enough to be within 0.2%.

    Any interval gives a valid epsilon; a coarse one overcharges (by 30% at sigma=20, rate 0.01, 10000 steps, 1e-3).
    """
    deviation = sampling_rate * math.sqrt(math.expm1(min(1 / sigma**2, 100.0)))
    return min(1e-3, max(1e-6, deviation / 10))


def _refuse_dear(once: float | None, epsilon: float, delta: float, relation: str) -> None:
    """Steps after a release that costs the whole budget cannot fit, and to search for their noise takes for ever."""
    if once is None:
        return
    _considered("pca_noise", once)
    alone = _cost(once, 1.0, 1, delta, relation)
    if alone >= epsilon:
        raise ConfigError(
            f"epsilon={given(epsilon)} is out of reach: the principal components alone cost {shown(alone)}, "
            f"delta={given(delta)}, {relation}; "
            "give them more noise (dpsgd.pca_noise)"
        )


def _positive(name: str, value: float) -> None:
    if not (math.isfinite(value) and value > 0):
        raise ConfigError(f"{name}={value}: expected a positive number")


def _considered(name: str, sigma: float) -> None:
    if not LEAST <= sigma <= MOST:
        raise ConfigError(f"{name}={sigma}: expected a number from {LEAST:g} to {MOST:g}")


def _refuse_impossible(sampling_rate: float, steps: int, delta: float, relation: str) -> None:
    if relation not in RELATIONS:
        raise ConfigError(f"relation={relation!r}: expected {' or '.join(RELATIONS)}")
    if not 0 < sampling_rate <= 1:
        raise ConfigError(f"sampling_rate={sampling_rate}: expected a probability above 0 and at most 1")
    if not 1 <= steps <= _MOST_STEPS:
        raise ConfigError(f"steps={steps}: expected at least 1 and at most {_MOST_STEPS}")
    if not SMALLEST_DELTA <= delta < 1:
        raise ConfigError(f"delta={delta}: expected at least {SMALLEST_DELTA:g} and less than 1")
