"""A query is answered once: asked again it is served, and only what is new is reserved, drawn and paid for."""

from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest

from pate.accounting.filter import ORDERS, Cost
from pate.errors import BudgetExceeded, ConfigError
from pate.ledger.ledger import Budget, Ledger, Release, Spender
from pate.ledger.spending import Spending


class Votes:
    """Answers that tell how often they were drawn: query 7, drawn for the third time, is 307."""

    def __init__(self):
        self.drawn = []

    def draw(self, queries):
        self.drawn.append(queries.tolist())
        times = [sum(query in earlier for earlier in self.drawn) for query in queries.tolist()]
        return queries + 100 * np.array(times)


def release(queries):
    cost = Cost((0.1 * len(queries),) * len(ORDERS), 0.1 * len(queries), 0.1 * len(queries), 0.0)
    return Release("labels", "a mechanism", {"answers": len(queries)}, "one record replaced by nothing", cost)


@pytest.fixture
def votes():
    return Votes()


@pytest.fixture
def spending(tmp_path):
    spender = Spender("clinic", "release", "labels/1", "run", "run")
    ledger = Ledger(tmp_path / "ledger", b"s" * 32)
    return Spending(ledger, spender, Budget(None, 1e-5), lambda _: nullcontext())


def ask(spending, votes, *queries, artifact="labels/1", budget=Budget(None, 1e-5), **changes):
    spending = replace(spending, budget=budget, spender=replace(spending.spender, artifact=artifact, **changes))
    return spending.answers("votes", np.array(queries), release, votes.draw).tolist()


def reserved(spending):
    return [entry.release.parameters["answers"] for entry in spending.ledger.entries()]


def test_only_new_queries_are_drawn_and_paid_for(spending, votes):
    assert ask(spending, votes, 1, 2, 3) == [101, 102, 103]
    assert ask(spending, votes, 2, 3, 4, artifact="labels/2") == [102, 103, 104]
    assert ask(spending, votes, 4, 1, artifact="labels/3") == [104, 101]  # in the order asked, all served
    assert votes.drawn == [[1, 2, 3], [4]]
    assert reserved(spending) == [3, 1]
    assert [entry.id for entry in spending.ledger.behind("labels/3")] == [1, 2]


def test_another_source_is_another_answer(spending, votes):
    ask(spending, votes, 1)
    spending.answers("other votes", np.array([1]), release, votes.draw)
    assert reserved(spending) == [1, 1]


def test_fresh_noise_on_request_is_spent_and_replaces_what_is_served(spending, votes):
    ask(spending, votes, 1, 2)
    spending.ledger.released("labels/1")
    assert ask(spending, votes, 1, 2, forced="once") == [201, 202]
    assert ask(spending, votes, 1, 2, forced="once") == [201, 202]  # the same draw, resumed
    spending.ledger.released("labels/1")
    assert ask(spending, votes, 1) == [201]
    assert ask(spending, votes, 1, forced="twice") == [301]
    assert ask(spending, votes, 1, forced="thrice") == [401]  # asked for before the last one was stored
    assert reserved(spending) == [2, 2, 1, 1]


def test_rounds_are_refused_before_the_first_though_the_source_has_answered_before(spending, votes):
    ask(spending, votes, 1, artifact="labels/of others")
    rounds = [release(np.arange(2))] * 3
    tight = replace(spending, budget=Budget(0.1 + 0.5, 1e-5, strict=True))
    with pytest.raises(BudgetExceeded):
        tight.foresee("votes", rounds, 0)
    replace(spending, budget=Budget(0.1 + 0.61, 1e-5, strict=True)).foresee("votes", rounds, 0)


def test_rounds_that_were_paid_before_a_kill_are_not_asked_to_fit_again(spending, votes):
    budget = Budget(0.41, 1e-5, strict=True)
    rounds = [release(np.arange(2))] * 2
    ask(spending, votes, 1, 2, budget=budget)  # killed before its piece was kept
    replace(spending, budget=budget).foresee("votes", rounds, 0)
    with pytest.raises(BudgetExceeded):
        ask(spending, votes, 3, 4, 5, budget=budget)


def test_what_seeded_noise_made_for_the_owner_is_an_evaluation(spending):
    replace(spending, spender=replace(spending.spender, scope="evaluation")).owners(release(np.arange(2)))
    spending.owners(release(np.arange(2)))
    assert [entry.spender.scope for entry in spending.ledger.entries()] == ["evaluation", "owner"]


def test_a_draw_that_fails_is_spent_and_drawn_again(spending, votes):
    def fail(_):
        raise OSError("no entropy")

    with pytest.raises(OSError, match="entropy"):
        spending.answers("votes", np.array([1, 2]), release, fail)
    assert ask(spending, votes, 1, 2) == [101, 102]
    assert [entry.status for entry in spending.ledger.entries()] == ["abandoned", "reserved"]
    assert reserved(spending) == [2, 2]


def test_nothing_is_drawn_that_does_not_fit(spending, votes):
    budget = Budget(0.55, 1e-5, strict=True)
    ask(spending, votes, 1, 2, 3, budget=budget)
    with pytest.raises(BudgetExceeded, match="nothing was drawn"):
        ask(spending, votes, 1, 2, 3, 4, 5, 6, budget=budget)
    assert votes.drawn == [[1, 2, 3]]
    assert ask(spending, votes, 3, 4, 5, budget=budget) == [103, 104, 105]  # two new ones do fit


def test_seeded_noise_is_evaluation_drawn_whole_and_never_served(spending, votes):
    ask(spending, votes, 1, 2, scope="evaluation")
    ask(spending, votes, 1, 2, scope="evaluation")
    ask(spending, votes, 1, 2)
    assert votes.drawn == [[1, 2]] * 3
    assert [entry.spender.scope for entry in spending.ledger.entries()] == ["evaluation", "evaluation", "release"]
    assert spending.ledger.spent("clinic", 1e-5) == pytest.approx(0.2)


def test_a_training_goes_on_under_its_reservation_if_it_had_begun(spending):
    whole = release(np.arange(5))
    spending.whole(whole, begun=False)
    spending.whole(whole, begun=True)
    assert [entry.status for entry in spending.ledger.entries()] == ["reserved"]
    spending.whole(whole, begun=False)  # killed before its first checkpoint: reserved is spent
    assert [entry.status for entry in spending.ledger.entries()] == ["abandoned", "reserved"]


def test_what_is_reserved_pays_for_this_very_release_and_no_other(spending):
    whole = release(np.arange(5))
    assert not spending.paid(whole)
    spending.whole(whole, begun=False)
    assert spending.paid(whole)
    assert not spending.paid(release(np.arange(6)))
    assert not spending.paid(replace(whole, parameters=whole.parameters | {"releases": 2}))


def test_a_checkpoint_without_a_reservation_buys_nothing(spending):
    spending.whole(release(np.arange(5)), begun=True)
    assert len(spending.ledger.entries()) == 1


def test_what_the_owner_keeps_is_noted_and_not_spent(spending):
    spending.owners(release(np.arange(5)))
    (entry,) = spending.ledger.entries()
    assert entry.spender.scope == "owner"
    assert spending.ledger.spent("clinic", 1e-5) == 0


def test_a_release_in_rounds_is_refused_at_once(spending, votes):
    strict, two = replace(spending, budget=Budget(0.5, 1e-5, strict=True)), release(np.arange(2))
    strict.foresee("votes", [two, two], done=0)
    with pytest.raises(BudgetExceeded):
        strict.foresee("votes", [two] * 3, done=0)
    strict.foresee("votes", [two] * 3, done=1)
    assert spending.ledger.entries() == []
    ask(spending, votes, 1)
    with pytest.raises(BudgetExceeded):  # these votes have answered before, but may not serve all of it
        strict.foresee("votes", [two] * 3, done=0)


def test_what_no_epsilon_covers_is_marked_and_refused_by_a_strict_budget(spending, votes):
    void = replace(spending, withheld="not publishable: a reason")
    with pytest.raises(ConfigError, match="budget=strict: not publishable: a reason"):
        ask(void, votes, 1, budget=Budget(9.0, 1e-5, strict=True))
    assert votes.drawn == spending.ledger.entries() == []
    ask(void, votes, 1)
    assert spending.ledger.entries()[0].release.parameters["withheld"] == "not publishable: a reason"
