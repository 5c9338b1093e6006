"""Totals of an account: each a guarantee, with all that belongs to it."""

import math

import pytest

from pate.accounting.filter import ORDERS, Cost
from pate.ledger.ledger import Budget, Ledger, Release, Spender, total
from pate.ledger.summary import summary
from pate.workspace.store import Store
from pate.workspace.typed_json import from_json, to_json

COST = Cost(tuple(0.01 * order for order in ORDERS), 2.0, 1.5, 1e-5)
FLAT = [[0.001 * order for order in ORDERS]] * 2


def reserve(ledger, plan="one", scope="release", dependent=FLAT, cost=COST, **parameters):
    release = Release("labels", "noise", parameters, "one record replaced by nothing", cost, dependent)
    spender = Spender("people", scope, f"labels/{len(ledger.entries())}", "run", plan)
    ledger.reserve(spender, release, Budget(None, 1e-5), lambda _: None)


@pytest.fixture
def ledger(tmp_path):
    return Ledger.of(Store(tmp_path))


def test_an_empty_ledger_has_no_accounts(ledger):
    assert (summary(ledger).accounts, summary(ledger).known) == ([], [])


def test_a_total_is_the_filters_and_holds_for_every_data_set(ledger):
    reserve(ledger)
    reserve(ledger, "two")
    (account,) = summary(ledger).accounts
    assert account.total.epsilon == total(ledger.releases("people"), 1e-5)[0]
    assert account.total.publishable
    assert not account.total.data_dependent
    assert account.this_data_set is None  # two plans: the second may have been chosen after the first
    assert [plan.releases for plan in account.plans] == [1, 1]


def test_one_plan_has_an_epsilon_for_this_data_set_that_is_the_owners_and_no_larger(ledger):
    reserve(ledger)
    reserve(ledger)
    (account,) = summary(ledger).accounts
    assert account.this_data_set.data_dependent
    assert account.this_data_set.epsilon < account.total.epsilon
    reserve(ledger, dependent=None)  # asked for after seeing answers
    assert summary(ledger).accounts[0].this_data_set is None


def test_what_voids_one_release_voids_the_sum(ledger):
    reserve(ledger)
    reserve(ledger, withheld="not publishable: why")
    (account,) = summary(ledger).accounts
    assert not account.total.publishable
    assert account.withheld == "not publishable: why"


def test_evaluations_and_what_the_owner_keeps_are_counted_apart_and_not_publishable(ledger):
    reserve(ledger, scope="evaluation")
    reserve(ledger, scope="owner")
    (account,) = summary(ledger).accounts
    assert (account.releases, account.evaluations, account.kept, account.total) == (0, 1, 1, None)
    assert not any(line.publishable for line in summary(ledger).entries)


def test_what_is_left_of_a_budget_is_by_the_rule_that_refuses(ledger):
    pure = Cost((math.inf,) * len(ORDERS), 2.0, 1.5, 1e-5)  # no divergence is known, so its pure epsilon counts
    reserve(ledger, cost=pure)
    reserve(ledger, cost=pure)
    (account,) = summary(ledger, "people", Budget(10.0, 1e-5, strict=True)).accounts
    assert account.budget.epsilon == 10.0
    assert account.budget.remaining == pytest.approx(10.0 - 2 * 2.0)


def test_it_is_written_with_what_follows_from_it_and_read_back(ledger):
    reserve(ledger)
    (account,) = summary(ledger).accounts
    plain = to_json(account)
    assert (plain["epsilon"], plain["publishable"], plain["relation"]) == (
        account.total.epsilon,
        True,
        "one record replaced by nothing",
    )
    assert from_json(type(account), plain) == account
