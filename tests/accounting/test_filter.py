"""The filter holds for whatever is asked next: adversaries who choose by earlier answers, counted out exactly."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pate.accounting import calibrate
from pate.accounting.filter import ORDERS, Cost, composed, fixed_in_advance, suitable

CHOICES = (0.05, 0.3, 1.0, 2.0)  # epsilons of randomised response an adversary may ask for


def response(epsilon: float) -> Cost:
    """Randomised response, whose laws are (p, 1-p) and (1-p, p): its Renyi divergence is a sum of two terms."""
    p = 1 / (1 + math.exp(-epsilon))
    rdp = tuple(math.log(p**a * (1 - p) ** (1 - a) + (1 - p) ** a * p ** (1 - a)) / (a - 1) for a in ORDERS)
    return Cost(rdp, epsilon, epsilon, 0.0)


def gaussian(sigma: float, delta: float = 1e-5) -> Cost:
    own = calibrate.epsilon(sigma, 1.0, 1, delta, REL)
    return Cost(tuple(a / (2 * sigma**2) for a in ORDERS), math.inf, own, delta)


REL = "replaced-by-nothing"


def true_delta(choose, epsilon: float, delta: float, rule: str | None) -> float:
    """The exact hockey-stick divergence of all an adversary sees who asks until the filter stops it."""

    def explore(costs, said, log_p, log_q):
        wanted = choose(said)
        cost = None if wanted is None else response(wanted)
        if cost is None or (rule and composed([*costs, cost], delta, rule) > epsilon):
            return max(math.exp(log_p) - math.exp(epsilon + log_q), 0.0)
        up, down = -math.log1p(math.exp(-wanted)), -math.log1p(math.exp(wanted))
        return explore([*costs, cost], (*said, 0), log_p + up, log_q + down) + explore(
            [*costs, cost], (*said, 1), log_p + down, log_q + up
        )

    return explore([], (), 0.0, 0.0)


@settings(max_examples=40, deadline=None)
@given(
    table=st.lists(st.sampled_from(CHOICES), min_size=16, max_size=16),
    epsilon=st.sampled_from([0.5, 1.5, 4.0]),
    delta=st.sampled_from([1e-3, 1e-2, 0.1]),
    rule=st.sampled_from(["renyi", "basic"]),
)
def test_no_adaptive_adversary_gets_beyond_the_budget(table, epsilon, delta, rule):
    def choose(said):  # up to 9 questions, each depending on the last four answers
        return None if len(said) >= 9 else table[int("".join(map(str, said[-4:])) or "0", 2)]

    assert true_delta(choose, epsilon, delta, rule) <= delta


def test_an_adversary_who_turns_to_riskier_questions_when_lucky():
    def choose(said):
        return None if len(said) >= 11 else 1.0 if sum(said) == 0 else 0.05

    for epsilon in (1.0, 2.5):
        assert 0 <= true_delta(choose, epsilon, 1e-2, "renyi") <= 1e-2
        assert true_delta(choose, epsilon, 1e-2, rule=None) > 1e-2  # nobody stopping it, it does get beyond


def test_a_history_costs_more_than_the_tightest_composition_and_less_than_a_sum():
    costs = [gaussian(20.0) for _ in range(100)]
    together = composed(costs, 1e-5, "renyi")
    exact = calibrate.epsilon(2.0, 1.0, 1, 1e-5, REL)  # a hundred Gaussians of deviation 20 are one of deviation 2
    assert exact < together < 1.25 * exact
    assert together < sum(cost.epsilon for cost in costs)
    assert fixed_in_advance([[cost.rdp] * 2 for cost in costs], 1e-5) < together


def test_spending_never_lowers_the_total():
    costs, before = [], 0.0
    for sigma in (50.0, 3.0, 8.0, 200.0, 1.0):
        costs.append(gaussian(sigma))
        after = composed(costs, 1e-5, "renyi")
        assert after > before
        before = after


def test_pure_epsilons_add_up_without_delta():
    assert composed([response(0.3)] * 3, 1e-12, "renyi") == pytest.approx(0.9, rel=1e-9)
    assert composed([response(0.3)] * 3, 1e-12, "basic") == pytest.approx(0.9, rel=1e-9)
    assert composed([], 1e-5, "renyi") == 0


def test_the_basic_rule_adds_deltas_too():
    one = gaussian(2.0)
    assert composed([one], 1e-5, "basic") == pytest.approx(one.epsilon)
    assert composed([one, one], 1e-5, "basic") == math.inf
    assert composed([one, one], 2e-5, "basic") == pytest.approx(2 * one.epsilon)


def test_the_rule_is_settled_by_the_first_release_and_the_budget():
    one = gaussian(2.0)
    assert suitable([one], None, 1e-5) == "renyi"
    assert suitable([one], 2 * one.epsilon, 1e-5) == "renyi"
    assert suitable([one], one.epsilon * (1 + 1e-9), 1e-5) == "basic"  # it uses the budget up
    assert suitable([one], 0.1, 1e-5) == "renyi"
    assert suitable([one] * 5, 5.01 * one.epsilon, 1e-5) == "renyi"  # in rounds, whose deltas add up


def test_what_is_no_cost_is_refused():
    for wrong in (float("nan"), -1.0):
        with pytest.raises(ValueError):
            Cost((wrong,) * len(ORDERS), 1.0, 1.0, 1e-5)
        with pytest.raises(ValueError):
            Cost((1.0,) * len(ORDERS), wrong, 1.0, 1e-5)
    with pytest.raises(ValueError):
        Cost((1.0, 2.0), 1.0, 1.0, 1e-5)


def test_costs_fixed_in_advance_take_the_worse_direction():
    quiet, loud = [0.1] * len(ORDERS), [0.5] * len(ORDERS)
    assert fixed_in_advance([[quiet, loud]], 1e-5) == fixed_in_advance([[loud, loud]], 1e-5)
    assert fixed_in_advance([[quiet, loud], [loud, quiet]], 1e-5) < fixed_in_advance([[loud, loud]] * 2, 1e-5)


def test_orders_are_whole_because_a_sampled_gaussian_is_priced_there():
    assert all(order == int(order) and order >= 2 for order in ORDERS)
    assert (np.diff(ORDERS) > 0).all()
