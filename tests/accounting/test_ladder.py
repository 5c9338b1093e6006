"""The ladder as users see it."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from pate.accounting.cost import of_answers
from pate.accounting.guarantee import shown
from pate.accounting.ladder import independent, price, prices, worst_case
from pate.accounting.plan import queries_for
from pate.aggregation.aggregator import Aggregator
from pate.aggregation.confident_gnmax import ConfidentGNMax
from pate.aggregation.gnmax import GNMax
from pate.aggregation.lnmax import LNMax
from pate.errors import ConfigError, PateError
from pate.release.statement import of_votes

COUNTS = np.array([[50, 0, 0], [40, 6, 4]])


def test_the_best_price_is_valid_and_the_publishable_one_holds_for_every_data_set():
    costs = price(LNMax(0.2), np.repeat(COUNTS, 50, axis=0), 1e-4)
    prices = {one.accountant: one for one in costs}
    assert {"basic", "advanced", "moments_independent", "optimal_independent", "argmax_independent"} < set(prices)
    assert not prices["pate2017"].valid  # one direction only: shown, never claimed
    assert costs.best.epsilon == min(one.epsilon for one in costs if one.valid)
    assert costs.publishable.holds_for == "every data set"
    assert costs.relation == "one record replaced by nothing"


def test_data_independent_prices_do_not_look_at_the_votes():
    a, b = (price(LNMax(0.2), counts, 1e-4) for counts in (COUNTS, COUNTS[:, ::-1] * 0 + [[30, 10, 10]]))
    assert [one.epsilon for one in a if one.publishable] == [one.epsilon for one in b if one.publishable]


@pytest.mark.parametrize("aggregator", [LNMax(0.2), GNMax(8.0), ConfidentGNMax(30.0, 12.0, 8.0)])
def test_prices_at_several_deltas_are_those_at_each(aggregator):
    predictions = np.repeat([0, 1, 2], [40, 6, 4])[:, None].repeat(30, axis=1)
    counts, deltas = np.repeat(COUNTS[1:], 30, axis=0), [1e-3, 1e-5, 1e-8]
    for delta, found in zip(deltas, prices(aggregator, counts, deltas, predictions), strict=True):
        alone = price(aggregator, counts, delta, predictions)
        assert found.delta == delta
        assert [one.accountant for one in found] == [one.accountant for one in alone]
        assert [one.epsilon for one in found] == pytest.approx([one.epsilon for one in alone], rel=1e-5)


@pytest.mark.parametrize("delta", [0, 1, -1e-5, float("nan")])
def test_delta_outside_is_refused(delta):
    with pytest.raises(ValueError, match="delta"):
        price(LNMax(0.2), COUNTS, delta)


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        (np.zeros((0, 3)), "at least 1 x 2"),
        (np.array([[50, 0, 0], [40, 6, 3]]), "sum to the number of teachers"),
        (np.array([[51, -1, 0]]), "negative"),
        (np.array([[49.5, 0.5, 0]]), "whole numbers"),
        (np.array([[np.nan, 1, 2]]), "NaN"),
        (np.array([["a", "b"]]), "numbers"),
        (np.zeros((1, 3)), "sum to the number of teachers"),
    ],
)
def test_counts_that_are_no_counts_are_refused(counts, words):
    with pytest.raises(ConfigError, match=words):
        price(LNMax(0.2), counts, 1e-4)


def test_an_unknown_aggregator_has_no_price():
    with pytest.raises(ValueError, match="no accountant knows"):
        price(Aggregator(), COUNTS, 1e-4)


def test_epsilons_are_rounded_up():
    assert shown(1.0001) == "1.001"
    assert shown(2.0) == "2.000"


VOTES = np.load(Path(__file__).parent / "votes_mnistlike_250.npz")["counts"].astype(int)
EXPECTED = {  # ACCOUNTING figures at delta 1e-5, first k rows: published ones to three decimals
    LNMax(0.05, "continuous"): {
        100: {"optimal_independent": 4.307, "pate2017": 2.0395, "pate2017_optimal": 1.424, "exact_rdp": 0.575},
        1000: {"optimal_independent": 17.787, "pate2017": 8.0301, "pate2017_optimal": 7.353, "exact_rdp": 2.183},
    },
    GNMax(40.0, "continuous"): {
        100: {
            "moments_independent": 1.759,
            "optimal_independent": 1.357,
            "gnmax2018": 0.818,
            "gnmax2018_optimal": 0.651,
        },
        1000: {
            "moments_independent": 5.996,
            "optimal_independent": 4.983,
            "gnmax2018": 3.002,
            "gnmax2018_optimal": 2.601,
        },
    },
}


@pytest.mark.parametrize("aggregator", EXPECTED, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("k", [100, 1000])
def test_expected_values(aggregator, k):
    found = {one.accountant: one.epsilon for one in price(aggregator, VOTES[:k], 1e-5)}
    expected = EXPECTED[aggregator][k]
    assert {name: found[name] for name in expected} == pytest.approx(expected, abs=1.1e-3)


@pytest.mark.parametrize("confident", [False, True])
def test_discrete_gaussian_noise_costs_what_continuous_noise_does(confident):
    """Nothing independent says by how much they differ; both are held against independent laws elsewhere."""
    make = (lambda noise: ConfidentGNMax(noise=noise)) if confident else (lambda noise: GNMax(40.0, noise))
    continuous, discrete = (
        {one.accountant: one for one in price(make(noise), VOTES[:100], 1e-5)} for noise in ("continuous", "discrete")
    )
    assert continuous.keys() == discrete.keys()
    for name, one in discrete.items():
        assert one.epsilon == pytest.approx(continuous[name].epsilon, rel=2e-3)
        assert one.valid == continuous[name].valid
    assert "Balle" in continuous["optimal_independent"].theorem
    assert "Canonne" in discrete["optimal_independent"].theorem


def test_prices_of_much_discrete_noise_leave_out_what_is_not_certified():
    names = {one.accountant for one in price(GNMax(2e4), COUNTS, 1e-5)}
    assert {"moments_independent", "optimal_independent"} <= names
    assert not {"argmax_independent", "exact_rdp"} & names


def test_confident_gnmax_charges_every_query():
    unanswered = ConfidentGNMax(threshold=1e6, threshold_sigma=5.0, sigma=20.0)
    counts = np.array([[30, 20, 0]] * 20)
    independent = {one.accountant: one.epsilon for one in price(unanswered, counts, 1e-5) if one.publishable}
    answered = ConfidentGNMax(threshold=-1e6, threshold_sigma=5.0, sigma=20.0)
    again = {one.accountant: one.epsilon for one in price(answered, counts, 1e-5) if one.publishable}
    assert independent == again
    plain = {one.accountant: one.epsilon for one in price(GNMax(20.0), counts, 1e-5) if one.publishable}
    assert all(again[name] > plain[name] for name in plain)


def test_without_a_threshold_confident_gnmax_is_gnmax():
    counts = VOTES[:50]
    with_test = price(ConfidentGNMax(threshold=-1e9, threshold_sigma=10.0, sigma=40.0), counts, 1e-5)
    plain = price(GNMax(40.0), counts, 1e-5)
    found, expected = ({one.accountant: one.epsilon for one in costs} for costs in (with_test, plain))
    assert found["exact_rdp"] == pytest.approx(expected["exact_rdp"], rel=1e-3)
    assert found["exact_pld"] == pytest.approx(expected["exact_pld"], rel=1e-3)


def test_every_price_says_what_it_is_worth():
    predictions = np.zeros((50, 2), dtype=int)
    predictions[40:46, 1], predictions[46:, 1] = 1, 2
    prices = {one.accountant: one for one in price(LNMax(0.2), COUNTS, 1e-4, predictions)}
    independent = {"basic", "advanced", "moments_independent", "optimal_independent", "argmax_independent"}
    assert {name for name, one in prices.items() if one.publishable} == independent
    assert {name for name, one in prices.items() if one.fixed_queries} == set(prices) - independent
    assert {name for name, one in prices.items() if not one.valid} == {"pate2017", "pate2017_optimal"}
    assert prices["teacher_resolved"].epsilon <= prices["exact_rdp"].epsilon + 1e-9


@pytest.mark.parametrize(
    ("aggregator", "row", "times"),
    [
        (GNMax(1e-3), [3, 2], 5),
        (GNMax(1e5), [3, 2], 5),
        (ConfidentGNMax(3.0, 1e5, 1e-3), [3, 2], 5),
        (GNMax(0.1, "continuous"), [6, 4], 1),
        (GNMax(0.13, "continuous"), [5, 5], 1),
        (GNMax(1.0), [800, 800, 0], 1),
        (GNMax(1.0), [800, 800, 0], 100),
        (GNMax(0.35), [124, 124, 2], 10),
        (GNMax(0.1), [6, 4], 1),
        (GNMax(0.13), [5, 5], 1),
        (GNMax(0.5), [125, 125, 0], 20),
        (ConfidentGNMax(800.0, 3.0, 1.0), [800, 800, 0], 1),
        (LNMax(100.0), [5, 5, 0], 100),
        (LNMax(50.0, "continuous"), [5, 5], 1),
        (LNMax(18.0, "continuous"), [5, 5], 1),
        (LNMax(3.0, "continuous"), [5, 5], 3),
        (LNMax(3.0), [5, 5], 3),
        (LNMax(1.9, "continuous"), [5, 5, 0], 2000),
        (LNMax(1e-5), [3, 2], 5),
    ],
    ids=str,
)
def test_where_arithmetic_ends_less_is_claimed_not_more(aggregator, row, times):
    """Extreme noise: every price offered is a number, and none lies below what two classes of a tie must cost."""
    costs = price(aggregator, np.array([row] * times), 1e-5)
    assert all(np.isfinite(one.epsilon) for one in costs)
    valid = {one.accountant: one.epsilon for one in costs if one.valid}
    assert min(valid.values()) >= one_answer_of_a_tie(aggregator, row, 1e-5) * (1 - 1e-6)


def one_answer_of_a_tie(aggregator, row, delta):
    """Epsilon of a single answer between the two leading classes, in closed form; more answers cost no less."""
    gap = row[0] - row[1]
    if isinstance(aggregator, ConfidentGNMax):
        return 0.0
    if isinstance(aggregator, GNMax):
        lose = [loses(g, aggregator) for g in (gap, gap - 2, gap + 2)]
    else:

        def tail(g):
            return (2 + aggregator.gamma * g) / 4 * np.exp(-aggregator.gamma * g) if g >= 0 else 1 - tail(-g)

        lose = [tail(g) for g in (gap, gap - 2, gap + 2)]
    if len(row) > 2 or (aggregator.noise == "discrete" and isinstance(aggregator, LNMax)):
        return 0.0  # other laws: only finiteness is checked
    worst = 0.0
    for there in lose[1:]:
        p, q = np.array([lose[0], 1 - lose[0]]), np.array([there, 1 - there])
        for x, y in ((p, q), (q, p)):
            for j in (0, 1):  # the outcome that tells most: (x_j - delta) = e^eps y_j
                if x[j] > delta and y[j] > 0:
                    worst = max(worst, float(np.log((x[j] - delta) / y[j])))
    return worst


def loses(gap, aggregator):
    """Pr[the difference of two noises exceeds the gap, or equals it and a coin falls]."""
    if aggregator.noise == "continuous" or aggregator.sigma > 30:  # there they agree to 1e-9
        return stats.norm.sf(gap / (aggregator.sigma * np.sqrt(2)))
    k = np.arange(-400, 401)
    mass = np.exp(-((k / aggregator.sigma) ** 2) / 2)
    mass /= mass.sum()
    difference = k[:, None] - k
    return float(mass @ ((difference > gap) + (difference == gap) / 2) @ mass)


def test_predictions_must_add_up_to_the_counts():
    for wrong in (np.full((50, 2), 2), np.full((50, 2), -1), np.zeros((1, 2), dtype=int), np.zeros((50, 1), dtype=int)):
        with pytest.raises(ConfigError, match="do not add up"):
            price(LNMax(0.2), COUNTS, 1e-4, wrong)


def test_an_epsilon_that_is_not_finite_can_be_shown():
    assert shown(float("inf")) == "infinite"


def test_adaptive_queries_get_prices_for_every_data_set_only():
    costs = price(LNMax(0.2), COUNTS, 1e-4, adaptive=True)
    assert {one.holds_for for one in costs} == {"every data set"}
    assert costs.best == costs.publishable


@pytest.mark.parametrize("noise", ["discrete", "continuous"])
@pytest.mark.parametrize("gamma", [0.5, 1.0, 3.0])
def test_a_thousand_teachers_pay_what_a_hundred_with_the_same_gap_pay(gamma, noise):
    """The third class is out of reach for both, so only the gap counts; exp(-1000 gamma) is no number any more."""
    many, few = (
        {one.accountant: one.epsilon for one in price(LNMax(gamma, noise), np.array([counts] * 20), 1e-5)}
        for counts in ([501, 499, 0], [61, 59, 0])
    )
    for name in ("exact_rdp", "exact_pld"):
        assert many[name] == pytest.approx(few[name], rel=1e-6)
        assert many[name] <= 20 * 2 * gamma


def test_ledger_plan_and_card_price_labels_alike():
    """One function tells what so many labels cost on every data set; the account lists it among the others."""
    mechanism, teachers, delta = GNMax(20.0), 50, 1e-5
    found = worst_case(mechanism, 30, teachers, delta)
    assert found.epsilon == min(one.epsilon for one in independent(mechanism, 30, teachers, delta))
    assert of_answers(mechanism, 30, teachers, delta).epsilon == found.epsilon
    assert of_votes(mechanism, 30, teachers, delta, data="digits").guarantee == found
    assert queries_for(mechanism, found.epsilon, delta, teachers, 100) == 30
    assert price(mechanism, np.tile([[40, 10]], (30, 1)), delta).publishable == found


def test_a_price_nobody_knows_is_no_price(monkeypatch):
    monkeypatch.setattr(GNMax, "independent", lambda self, k, teachers, delta: iter(()))
    with pytest.raises(PateError, match="no price is known without the number of teachers"):
        worst_case(GNMax(20.0), 30, None, 1e-5)
