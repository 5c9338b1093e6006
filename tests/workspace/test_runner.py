"""Reuse, force, failure: what runs again, and what does not."""

import numpy as np
import pytest

from pate.errors import BudgetExceeded, PateError
from pate.ledger.ledger import Budget
from pate.workspace.store import Store
from tests.workspace.flow import C, Flow, Number, statuses


def test_the_second_run_does_no_work(flow):
    flow.run()
    assert flow.ran == ["first", "noisy", "last"]
    again = flow.run()
    assert flow.ran == []
    assert all(record.reused for record in again.records.values())
    assert again.records["first"].summary == "one"
    assert int(again.artifact(C).value[0]) == 4


def test_force_runs_a_stage_again_and_what_follows_from_its_new_draw(flow):
    flow.run()
    forced = flow.run(force=("noisy",))
    assert flow.ran == ["noisy", "last"]
    assert int(forced.artifact(C).value[0]) == 2 * (1 + 2)
    flow.run(force=("last",))
    assert flow.ran == ["last"]


def test_an_interrupted_forced_stage_needs_no_forcing_any_more(flow):
    flow.run()
    broken = Flow(flow.workspace)
    object.__setattr__(broken.graph.stages[1], "function", lambda run, a: 1 / 0)
    with pytest.raises(PateError, match="stage noisy failed with ZeroDivisionError"):
        broken.run(force=("noisy",))
    flow.run()
    assert flow.ran == ["noisy", "last"]


def test_a_stage_that_fails_leaves_nothing_and_the_next_run_goes_on(flow):
    broken = Flow(flow.workspace)
    noisy = broken.graph.stages[1]
    object.__setattr__(noisy, "function", lambda run, a: 1 / 0)
    with pytest.raises(PateError, match="stage noisy failed with ZeroDivisionError"):
        broken.run()
    flow.run()
    assert flow.ran == ["noisy", "last"]


def test_a_draw_is_released_once_it_is_stored_and_reuse_spends_nothing(flow):
    flow.run()
    assert statuses(flow.run()) == ["released"]
    assert statuses(flow.run(force=("noisy",))) == ["released", "released"]


def test_a_crash_after_reserving_counts_as_spent(flow, monkeypatch):
    def crash(*_):
        raise KeyboardInterrupt

    write = Store.write
    with monkeypatch.context() as patched:
        patched.setattr(
            Store,
            "write",
            lambda self, side, stage, *rest: (crash if stage == "noisy" else write)(self, side, stage, *rest),
        )
        with pytest.raises(KeyboardInterrupt):
            flow.run()
    assert statuses(flow.run()) == ["abandoned", "released"]


def test_what_does_not_fit_leaves_everything_as_it_was(flow):
    first = flow.run()
    strict = Budget(1.5, 1e-5, strict=True)
    with pytest.raises(BudgetExceeded):
        flow.run(force=("noisy",), limit=strict)
    assert flow.draw == 1
    again = flow.run(limit=strict)  # not forced, and not taken for an interrupted forced run
    assert flow.ran == []
    assert int(again.artifact(C).value[0]) == int(first.artifact(C).value[0])
    assert statuses(again) == ["released"]


def test_what_an_error_in_a_private_stage_says_stays_private(flow):
    def fail(run, a):
        raise ValueError("patient 4711 has a broken record")

    object.__setattr__(flow.graph.stages[1], "function", fail)
    with pytest.raises(PateError) as told:
        flow.run()
    assert "4711" not in str(told.value)
    (file,) = (flow.workspace / "private" / "errors").iterdir()
    assert str(file) in str(told.value)
    assert "4711" in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_stage_that_reads_what_it_does_not_declare_is_told_so_in_full(flow):
    object.__setattr__(flow.graph.stages[0], "function", lambda run: Number(np.array([run.settings.y.bound])))
    with pytest.raises(PateError, match=r"stage first reads the setting y, which it does not declare.*config=\["):
        flow.run()
    object.__setattr__(flow.graph.stages[0], "sees", {"y.bound": "for this test alone"})
    flow.run()
    assert flow.ran == ["noisy", "last"]


def test_what_carries_out_an_input_is_part_of_a_key(settings, tmp_path, monkeypatch):
    """An encoder is read back by its kind, and no import leads to it: edited, it would encode public inputs anew, and
    leave private records as the code before encoded them."""
    from pate.pipelines import graph

    from pate.models.predictor import Predictor
    from pate.workspace import stage
    from pate.workspace.runner import Runner

    chosen, source, edited = settings("teachers=ridge"), stage._source, ""

    def key():
        runner = Runner(chosen, graph(chosen), Store(tmp_path / "workspace"))
        runner.bring_up_to_date(["encode"])
        return runner.records["encode"].key

    def read(module, file):
        found, imported = source(module, file)
        return ("new" if module == edited else found), imported

    before = key()
    monkeypatch.setattr(stage, "_source", read)
    assert key() == before
    edited = "pate.features.linear"
    assert key() != before
    assert {"pate.features.scattering", "pate.models.kernel_machine"} <= {*Predictor.modules()}
