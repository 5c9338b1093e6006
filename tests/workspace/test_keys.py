"""What makes another result of a stage, and what leaves a draw the one it was."""

import numpy as np

from pate.settings import BudgetConfig
from pate.workspace.keys import artifact_name
from tests.workspace.flow import A, Number


def test_a_stage_depends_on_its_own_part_of_the_configuration(flow):
    flow.run()
    flow.run(y={"free": 0, "bound": 1})
    assert flow.ran == ["noisy", "last"]
    flow.run(y={"free": 7, "bound": 1})
    assert flow.ran == []


def test_earlier_results_are_found_again(flow):
    flow.run(x=1)
    flow.run(x=2)
    flow.run(x=1)
    assert flow.ran == []


def test_editing_code_does_not_draw_again(flow, monkeypatch):
    flow.run()
    monkeypatch.setattr("pate.workspace.keys.code_version", lambda *_: "another")
    flow.run()
    assert "noisy" not in flow.ran  # the stage before it ran again with the same result, and the draw stands


def test_what_a_stage_may_see_is_no_part_of_its_key(flow):
    before = flow.run().records
    object.__setattr__(flow.graph.stages[1], "sees", {"x": "it is in the bytes of its input"})
    assert {name: record.key for name, record in flow.run().records.items()} == {
        name: record.key for name, record in before.items()
    }


def test_other_code_makes_what_draws_nothing_again(flow, monkeypatch):
    flow.run()
    monkeypatch.setattr("pate.workspace.keys.code_version", lambda *_: "another")
    flow.run()
    assert flow.ran == ["first", "last"]


def test_a_draw_is_of_what_was_declared_before_it_whatever_the_data_made_of_that(flow):
    """Two settings of the first stage give one result: the draw from it is another one nevertheless."""
    object.__setattr__(flow.graph.stages[0], "function", lambda run: Number(np.array([0])))
    one, other = (flow.run(x=x, y={"bound": 1}) for x in (1, 2))
    assert flow.draw == 2
    first, second = (run.keys for run in (one, other))
    noisy = flow.graph.named("noisy")
    assert first.identity(A) == second.identity(A)
    assert first.declared(noisy).now != second.declared(noisy).now
    assert first.key(noisy) != second.key(noisy)
    assert first.source(noisy, "a", "y") != second.source(noisy, "a", "y")


def test_a_source_is_an_input_under_a_mechanism_and_an_account(flow):
    keys, noisy = flow.run(y={"bound": 1}).keys, flow.graph.named("noisy")
    before = keys.source(noisy, "a", "y")
    assert flow.run(y={"bound": 2}).keys.source(noisy, "a", "y") != before
    assert keys.source(noisy, "a", "x") != before
    keys.settings.budget = BudgetConfig(account="others")
    assert keys.source(noisy, "a", "y") != before
    keys.settings.budget = BudgetConfig(account="people")
    assert keys.source(noisy, "a", "y") == before


def test_the_ledger_calls_a_draw_by_its_stage_and_key(flow):
    runner = flow.run()
    noisy = flow.graph.named("noisy")
    assert len(runner.ledger.behind(artifact_name(noisy, runner.keys.key(noisy)))) == 1
    assert runner.records["noisy"].key == runner.keys.key(noisy)
