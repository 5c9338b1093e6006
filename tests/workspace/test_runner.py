"""Reuse, force, damage: what runs again, and what does not."""

import json
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from pate.accounting.filter import ORDERS, Cost
from pate.errors import BudgetExceeded, PateError
from pate.ledger.ledger import Budget, Ledger, Release
from pate.settings import BudgetConfig, NoiseConfig
from pate.workspace.artifact import Artifact
from pate.workspace.runner import Runner
from pate.workspace.stage import Pipeline, owned, releasable, stage
from pate.workspace.store import Store


@dataclass(frozen=True)
class Number(Artifact):
    value: np.ndarray


RELEASE = Release("test", "test noise", {}, "one record replaced by nothing", Cost((1.0,) * len(ORDERS), 1.0, 1.0, 0.0))
A, B, C = owned("a", Number), releasable("b", Number), releasable("c", Number)


@dataclass(frozen=True)
class Own:
    free: int = 0
    bound: int = 0


class Flow:
    """Three stages that count how often they run: a -> b (draws noise) -> c."""

    def __init__(self, workspace):
        self.workspace, self.ran, self.draw = workspace, [], 0

        @stage(writes=[A], config=["x"])
        def first(run):
            self.ran.append("first")
            run.summary = "one"
            return Number(np.array([run.settings.x]))

        @stage(reads=[A], writes=[B], config=["y"], ignores=["y.free"], crosses="test noise")
        def noisy(run, a):
            self.ran.append("noisy")
            run.spending.whole(RELEASE, begun=False)
            self.draw += 1
            return Number(a.value + self.draw)

        @stage(reads=[B], writes=[C])
        def last(run, b):
            self.ran.append("last")
            return Number(b.value * 2)

        self.graph = Pipeline((first, noisy, last))

    def run(self, force=(), x=1, y=None, limit=Budget(None, 1e-5)):
        self.ran.clear()
        plain = {"x": x, "y": Own(**(y or {}))}
        chosen = {"budget": BudgetConfig(account="people"), "noise": NoiseConfig(), "limit": limit}
        runner = Runner(SimpleNamespace(force=force, **plain, **chosen), self.graph, Store(self.workspace), "a run")
        runner.bring_up_to_date(["last"])
        return runner


@pytest.fixture
def flow(tmp_path):
    return Flow(tmp_path)


def test_the_second_run_does_no_work(flow):
    flow.run()
    assert flow.ran == ["first", "noisy", "last"]
    again = flow.run()
    assert flow.ran == []
    assert all(record.reused for record in again.records.values())
    assert again.records["first"].summary == "one"
    assert int(again.artifact(C).value[0]) == 4


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


def test_force_runs_a_stage_again_and_what_follows_from_its_new_draw(flow):
    flow.run()
    forced = flow.run(force=("noisy",))
    assert flow.ran == ["noisy", "last"]
    assert int(forced.artifact(C).value[0]) == 2 * (1 + 2)
    flow.run(force=("last",))
    assert flow.ran == ["last"]


def damage(runner, stage, side, name):
    file = runner.store.folder(side, stage, runner.records[stage].key) / name
    file.write_bytes(file.read_bytes()[:-10])


def test_a_damaged_artifact_is_named_and_rebuilt(flow, caplog):
    damage(flow.run(), "first", "private", "a.npz")
    flow.run()
    assert flow.ran == ["first"]  # the same content again, so nothing after it
    assert "a.npz does not match its manifest: rebuilding stage first" in caplog.text
    damage(flow.run(), "last", "release", "c.npz")
    flow.run()
    assert flow.ran == ["last"]


def test_a_damaged_draw_is_not_drawn_again_unasked(flow):
    damage(flow.run(), "noisy", "release", "b.npz")
    with pytest.raises(PateError, match=r"spends privacy again.*force=\[noisy\]"):
        flow.run()
    assert flow.ran == []
    again = flow.run(force=("noisy",))
    assert flow.ran == ["noisy", "last"]
    assert any("drawn afresh on request" in note for note in again.records["last"].notes)


def test_an_interrupted_forced_stage_needs_no_forcing_any_more(flow):
    flow.run()
    broken = Flow(flow.workspace)
    object.__setattr__(broken.graph.stages[1], "function", lambda run, a: 1 / 0)
    with pytest.raises(PateError, match="stage noisy failed with ZeroDivisionError"):
        broken.run(force=("noisy",))
    flow.run()
    assert flow.ran == ["noisy", "last"]


def test_editing_code_does_not_draw_again(flow, monkeypatch):
    flow.run()
    monkeypatch.setattr("pate.workspace.runner.code_version", lambda *_: "another")
    flow.run()
    assert "noisy" not in flow.ran  # the stage before it ran again with the same result, and the draw stands


def test_an_unreadable_manifest_means_running_again(flow):
    runner = flow.run()
    (runner.store.folder("private", "first", runner.records["first"].key) / "manifest.json").write_text("[]")
    flow.run()
    assert flow.ran == ["first"]  # the same content, so nothing after it


def test_a_stage_that_fails_leaves_nothing_and_the_next_run_goes_on(flow):
    broken = Flow(flow.workspace)
    noisy = broken.graph.stages[1]
    object.__setattr__(noisy, "function", lambda run, a: 1 / 0)
    with pytest.raises(PateError, match="stage noisy failed with ZeroDivisionError"):
        broken.run()
    flow.run()
    assert flow.ran == ["noisy", "last"]


def test_manifests_say_how_long_it_took(flow):
    runner = flow.run()
    for side, name in (("private", "first"), ("release", "last")):
        manifest = runner.store.folder(side, name, runner.records[name].key) / "manifest.json"
        about = json.loads(manifest.read_text())["about"]
        if side == "private":
            assert about["seconds"] > 0
        else:  # the process has read private records: how long it took and how much memory is the owner's
            assert about["seconds"] == 0
            assert "memory" not in about
    assert flow.run().records["last"].seconds == pytest.approx(runner.records["last"].seconds)


def statuses(runner):
    return [entry.status for entry in runner.ledger.entries()]


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


def test_a_run_killed_before_it_could_say_released_is_set_right(flow, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr("pate.ledger.ledger.Ledger.released", lambda *_: None)
        assert statuses(flow.run()) == ["reserved"]
    assert statuses(flow.run()) == ["released"]


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


def test_a_draw_without_an_entry_is_neither_stored_nor_served(flow):
    silent = Flow(flow.workspace)
    object.__setattr__(silent.graph.stages[1], "function", lambda run, a: a)
    with pytest.raises(PateError, match="the ledger holds no entry for noisy/"):
        silent.run()
    runner = flow.run()
    runner.ledger.path.unlink()
    for extra in runner.ledger.path.parent.glob("ledger.sqlite-*"):
        extra.unlink()
    with pytest.raises(PateError, match="is gone"):
        flow.run()
    for extra in runner.ledger.path.parent.glob("ledger.witness"):
        extra.unlink()
    Ledger(runner.ledger.path, Store(flow.workspace).secret)  # an empty one in its place
    with pytest.raises(PateError, match="the ledger holds no entry for noisy/"):
        flow.run()


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


def test_what_a_stage_may_see_is_no_part_of_its_key(flow):
    before = flow.run().records
    object.__setattr__(flow.graph.stages[1], "sees", {"x": "it is in the bytes of its input"})
    assert {name: record.key for name, record in flow.run().records.items()} == {
        name: record.key for name, record in before.items()
    }
