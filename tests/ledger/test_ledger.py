"""Every release is written down before it is made, counts whatever comes of it, and cannot quietly go missing."""

from dataclasses import replace

import pytest

from pate.accounting.filter import composed
from pate.errors import BudgetExceeded, ConfigError
from pate.ledger.ledger import Budget, Ledger
from pate.workspace.store import Store
from tests.ledger.entries import SECRET, Warnings, gaussian, release, reserve, spender


def test_an_entry_is_there_before_anything_is_drawn_and_says_all(ledger):
    number = reserve(ledger)
    (entry,) = Ledger(ledger.path, SECRET).entries()
    assert (entry.id, entry.status, entry.spender, entry.release) == (number, "reserved", spender(), release())
    assert entry.time.endswith("+00:00")
    ledger.released("labels/1")
    assert ledger.entries()[0].status == "released"


def test_what_was_abandoned_stays_spent(ledger):
    reserve(ledger)
    once = ledger.spent("clinic", 1e-5)
    ledger.abandon("labels/1")
    assert ledger.entries()[0].status == "abandoned"
    assert ledger.spent("clinic", 1e-5) == once
    ledger.released("labels/1")  # too late: what was abandoned is not released by a later draw
    assert ledger.entries()[0].status == "abandoned"


def test_a_reservation_with_answers_is_not_abandoned(ledger):
    number = reserve(ledger)
    ledger.record(number, "votes", [3, 9], [1, 0])
    ledger.abandon("labels/1")
    assert ledger.entries()[0].status == "reserved"
    assert ledger.answers("votes") == {3: (1, number), 9: (0, number)}
    assert ledger.answers("other votes") == {}


def test_an_artifact_knows_the_entries_its_answers_came_from(ledger):
    first = reserve(ledger)
    second = reserve(ledger, spender(artifact="labels/2"), release())
    ledger.use("labels/2", {first})
    assert [entry.id for entry in ledger.behind("labels/2")] == [first, second]
    assert [entry.id for entry in ledger.behind("labels/1")] == [first]
    assert ledger.behind("labels/3") == []


def test_totals_are_per_account_and_leave_evaluation_and_the_owners_apart(ledger):
    reserve(ledger)
    alone = ledger.spent("clinic", 1e-5)
    assert alone == release().cost.epsilon  # a single release costs what its own accountant says
    for scope in ("evaluation", "owner"):
        reserve(ledger, spender(scope=scope), release())
    reserve(ledger, spender("bank", contents=("content 2",)), release())
    assert ledger.spent("clinic", 1e-5) == alone
    reserve(ledger)
    assert alone < ledger.spent("clinic", 1e-5) < 2.5 * alone


def test_changed_content_continues_the_account_with_a_warning(ledger):
    warnings = Warnings()
    reserve(ledger, warn=warnings)
    reserve(ledger, warn=warnings)
    assert warnings == []
    reserve(ledger, spender(contents=("content 2",)), release(), warn=warnings)
    assert len(warnings) == 1
    assert "private data of account clinic changed" in warnings[0]
    assert len(ledger.entries()) == 3


def test_one_content_under_two_accounts_is_refused(ledger):
    reserve(ledger)
    with pytest.raises(ConfigError, match=r"account clinic already.*budget.account=clinic"):
        reserve(ledger, spender("bank"), release())
    assert len(ledger.entries()) == 1


def test_strict_refuses_names_every_number_and_writes_nothing(ledger):
    budget = Budget(1.0, 1e-5, strict=True)
    reserve(ledger, budget=budget)
    for sigma in (10.0, 30.0, 30.0):
        reserve(ledger, what=release(gaussian(sigma)), budget=budget)
    with pytest.raises(BudgetExceeded) as refused:
        reserve(ledger, what=release(gaussian(3.0)), budget=budget)
    assert refused.value.exit_code == 3
    for word in ("clinic", "epsilon 1.000", "delta 1e-05", "requested", "spent", "remaining", "missing", "nothing was"):
        assert word in str(refused.value)
    assert len(ledger.entries()) == 4
    assert ledger.spent("clinic", 1e-5) <= 1.0


def test_a_refusal_says_which_of_what_was_spent_was_not_finished(ledger):
    reserve(ledger)
    ledger.abandon("labels/1")
    with pytest.raises(BudgetExceeded, match=r"spent [0-9.]+ \(1 of 1 draws were not finished, and count\), remaining"):
        reserve(ledger, spender(artifact="labels/2"), budget=Budget(0.5, 1e-5, True))


def test_research_records_and_warns(ledger):
    warnings = Warnings()
    for _ in range(30):
        reserve(ledger, what=release(), budget=Budget(1.0, 1e-5), warn=warnings)
    assert len(ledger.entries()) == 30
    assert "is missing; budget=research records it" in warnings[-1]
    assert ledger.spent("clinic", 1e-5) > 1.0


def test_a_first_release_that_uses_the_budget_up_fits_it(ledger):
    cost = gaussian(2.0)
    budget = Budget(cost.epsilon, cost.delta, strict=True)
    reserve(ledger, what=release(cost), budget=budget)
    assert ledger.entries()[0].rule == "basic"
    with pytest.raises(BudgetExceeded):
        reserve(ledger, what=release(gaussian(1000.0)), budget=budget)


def test_after_other_releases_it_does_not(ledger):
    cost = gaussian(2.0)
    reserve(ledger, what=release(gaussian(1000.0)))  # without a budget: the rule is settled
    assert ledger.entries()[0].rule == "renyi"
    with pytest.raises(BudgetExceeded):
        reserve(ledger, what=release(cost), budget=Budget(cost.epsilon, 1e-5, strict=True))


def test_a_check_spends_nothing(ledger):
    budget = Budget(1.0, 1e-5, strict=True)
    ledger.check("clinic", [release()], budget, Warnings())
    with pytest.raises(BudgetExceeded):
        ledger.check("clinic", [release(gaussian(0.5))], budget, Warnings())
    assert ledger.entries() == []


def test_a_total_is_by_the_rule_the_account_was_given(ledger):
    strict = Budget(2 * gaussian().epsilon, 2e-5, strict=True)
    reserve(ledger, budget=strict)
    alone = ledger.spent("clinic", 2e-5)
    assert alone == pytest.approx(gaussian().epsilon)  # of a single release: its own accountant's
    reserve(ledger, what=release(gaussian(1000)), budget=Budget(None, 2e-5, lift=True))
    assert ledger.entries()[0].rule == "renyi"
    costs = [entry.release.cost for entry in ledger.entries()]
    assert ledger.spent("clinic", 2e-5) == composed(costs, 2e-5, "renyi") > composed(costs, 2e-5, "basic")


def test_a_promise_for_people_is_not_given_up_without_a_word(ledger):
    people = replace(release(), relation="all records of one patient replaced by nothing")
    strict, warnings = Budget(50.0, 1e-5, strict=True), Warnings()
    reserve(ledger, what=people, budget=strict)
    reserve(ledger, what=people, budget=strict)
    with pytest.raises(BudgetExceeded, match=r"promised all records of one patient.*one record replaced by nothing"):
        reserve(ledger, budget=strict)
    assert len(ledger.entries()) == 2
    reserve(ledger, budget=replace(strict, lift=True), warn=warnings)
    assert "one record replaced by nothing only" in warnings[0]
    reserve(ledger, what=people, budget=strict)  # it is given up already: nothing more to say


def test_a_refusal_promises_what_holds_for_all_releases_together(ledger):
    reserve(ledger)
    people = replace(release(), relation="all records of one patient replaced by nothing")
    with pytest.raises(BudgetExceeded, match="one record replaced by nothing"):
        reserve(ledger, what=people, budget=Budget(0.1, 1e-5, strict=True))


def test_nothing_in_it_confirms_a_guess(tmp_path, ledger):
    """The content is known by the caller's keyed hash; the ledger stores what it is given and no digest of its own."""
    assert Store(tmp_path / "a").key("content", "x") != Store(tmp_path / "b").key("content", "x")


def test_a_strict_budget_outlives_the_run_that_set_it(ledger):
    reserve(ledger, budget=Budget(2.0, 1e-5, strict=True))
    for looser in (
        Budget(None, 1e-5),
        Budget(2.0, 1e-5),
        Budget(2.1, 1e-5, strict=True),
        Budget(2.0, 2e-5, strict=True),
    ):
        with pytest.raises(ConfigError, match=r"strict budget, epsilon 2.*budget\.lift=true"):
            reserve(ledger, budget=looser)
    reserve(ledger, budget=Budget(1.5, 1e-5, strict=True))
    warnings = Warnings()
    reserve(ledger, budget=Budget(None, 1e-5, lift=True), warn=warnings)
    assert "gives up" in warnings[0]
    reserve(ledger)
    assert len(ledger.entries()) == 4


def keeping(**budgets):
    return replace(release(), parameters={"answers": 5} | ({"budgets": {"wish": budgets}} if budgets else {}))


@pytest.mark.parametrize(("first", "second"), [({"low": 0.1}, {"low": 0.1}), ({"low": 0.1}, {}), ({}, {"low": 0.1})])
def test_a_second_release_beside_budgets_of_ones_own_is_warned_of_and_refused_where_strict(ledger, first, second):
    """Of a record that allows less nobody adds up what several releases come to."""
    warnings = Warnings()
    reserve(ledger, what=keeping(**first), warn=warnings)
    assert not [one for one in warnings if "budgets" in one]
    with pytest.raises(BudgetExceeded, match=r"partition\.budgets hold for one release alone"):
        reserve(ledger, spender(artifact="labels/2"), keeping(**second), Budget(100.0, 1e-5, strict=True))
    assert len(ledger.entries()) == 1
    reserve(ledger, spender(artifact="labels/2"), keeping(**second), warn=warnings)
    assert any("partition.budgets hold for one release alone" in one for one in warnings)


def test_releases_without_budgets_of_ones_own_are_not_warned_of(ledger):
    warnings = Warnings()
    for number in (1, 2):
        reserve(ledger, spender(artifact=f"labels/{number}"), keeping(), warn=warnings)
    assert not [one for one in warnings if "budgets" in one]
