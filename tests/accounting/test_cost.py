"""Costs as the ledger adds them up, against the ladder's own figures and closed forms."""

import math

import numpy as np
import pytest

from pate.accounting import conversion, cost, ladder
from pate.accounting.filter import ORDERS, composed, fixed_in_advance
from pate.aggregation.confident_gnmax import ConfidentGNMax
from pate.aggregation.gnmax import GNMax
from pate.aggregation.lnmax import LNMax
from pate.dpsgd.accountant import Accountant

ALL = [LNMax(0.2), LNMax(0.1, "continuous"), GNMax(20.0), GNMax(20.0, "continuous"), ConfidentGNMax(40.0, 30.0, 20.0)]


@pytest.mark.parametrize("aggregator", ALL, ids=lambda a: a.describe()[:40])
def test_divergences_are_those_behind_the_best_price_for_every_data_set(aggregator):
    found = cost.of_answers(aggregator, 50, 100, 1e-5)
    prices = {price.accountant: price.epsilon for price in ladder.independent(aggregator, 50, 100, 1e-5)}
    assert found.epsilon == min(prices.values())
    converted = conversion.epsilon(found.rdp, ORDERS, 1e-5)
    assert prices["argmax_independent"] <= converted <= 1.06 * prices["argmax_independent"]  # few orders
    assert composed([found], 1e-5, "renyi") > prices["argmax_independent"]


def test_divergences_never_exceed_what_the_literature_knows():
    laplace, gauss = cost.of_answers(LNMax(0.2), 7, 100, 1e-5), cost.of_answers(GNMax(20.0), 7, 100, 1e-5)
    assert all(rdp <= 7 * 0.4 for rdp in laplace.rdp)
    assert laplace.pure == pytest.approx(7 * 0.4)
    assert all(rdp <= 7 * order / 400 * (1 + 1e-9) for rdp, order in zip(gauss.rdp, ORDERS, strict=True))
    assert gauss.pure == math.inf


def test_the_threshold_test_is_paid_for():
    with_test = cost.of_answers(ConfidentGNMax(40.0, 30.0, 20.0), 3, 100, 1e-5)
    without = cost.of_answers(GNMax(20.0), 3, 100, 1e-5)
    extra = np.array(with_test.rdp) - np.array(without.rdp)
    np.testing.assert_allclose(extra, 3 * np.array(ORDERS) / (2 * 30.0**2))


def test_a_discrete_gaussian_too_wide_to_certify_costs_what_is_known():
    found = cost.of_answers(GNMax(400.0), 5, 1000, 1e-5)
    np.testing.assert_allclose(found.rdp, 5 * np.array(ORDERS) / 400.0**2)


@pytest.mark.parametrize("aggregator", ALL[:4], ids=lambda a: a.describe()[:40])
def test_costs_on_these_votes_are_the_exact_accountants(aggregator):
    rng = np.random.default_rng(0)
    top = rng.integers(60, 100, size=30)
    counts = np.stack([top, 100 - top, np.zeros_like(top)], axis=1)
    curves = cost.of_these_answers(aggregator, counts)
    own = {price.accountant: price.epsilon for price in ladder.price(aggregator, counts, 1e-5)}
    assert 0.99 * own["exact_rdp"] <= fixed_in_advance([curves], 1e-5) <= 1.1 * own["exact_rdp"]  # other orders
    everywhere = np.array(cost.of_answers(aggregator, 30, 100, 1e-5).rdp)
    assert (np.array(curves) <= everywhere * (1 + 2e-3)).all()  # no data set costs more than every data set


def test_what_cannot_be_computed_exactly_is_not_claimed():
    assert cost.of_these_answers(LNMax(5.0), np.array([[10, 0]])) is None


def test_a_training_costs_its_whole_plan_from_the_start():
    plan = Accountant(2.0, 0.05, 200, 1e-5)
    assert plan.cost() == Accountant(2.0, 0.05, 200, 1e-5, taken=120).cost()
    spent = Accountant(2.0, 0.05, 200, 1e-5, taken=200).spent(seeded=False)
    assert plan.cost().epsilon == spent.epsilon
    assert spent.epsilon_rdp <= conversion.epsilon(plan.cost().rdp, ORDERS, 1e-5) <= 1.1 * spent.epsilon_rdp


def test_components_are_part_of_it():
    with_pca = Accountant(2.0, 0.05, 200, 1e-5, pca_noise=8.0).cost()
    extra = np.array(with_pca.rdp) - np.array(Accountant(2.0, 0.05, 200, 1e-5).cost().rdp)
    np.testing.assert_allclose(extra, np.array(ORDERS) / (2 * 8.0**2))
