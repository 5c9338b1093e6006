"""Reuse, force, damage: what runs again, and what does not."""

import json
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from pate.artifact import Artifact
from pate.errors import PateError
from pate.runner import Runner
from pate.stage import Graph, Private, Release, stage
from pate.store import Store


@dataclass(frozen=True)
class Number(Artifact):
    value: np.ndarray


A, B, C = Private("a", Number), Release("b", Number), Release("c", Number)


class Flow:
    """Three stages that count how often they run: a -> b (draws noise) -> c."""

    def __init__(self, workspace):
        self.workspace, self.ran, self.draw = workspace, [], 0

        @stage(writes=[A], config=["x"])
        def first(run):
            self.ran.append("first")
            run.summary = "one"
            return Number(np.array([run.settings.plain["x"]]))

        @stage(reads=[A], writes=[B], config=["y"], ignores=["y.free"], crosses="test noise")
        def noisy(run, a):
            self.ran.append("noisy")
            self.draw += 1
            return Number(a.value + self.draw)

        @stage(reads=[B], writes=[C])
        def last(run, b):
            self.ran.append("last")
            return Number(b.value * 2)

        self.graph = Graph((first, noisy, last))

    def run(self, force=(), x=1, y=None):
        self.ran.clear()
        plain = {"x": x, "y": y or {"free": 0, "bound": 0}}
        runner = Runner(SimpleNamespace(plain=plain, force=force), self.graph, Store(self.workspace))
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
    with pytest.raises(ZeroDivisionError):
        broken.run(force=("noisy",))
    flow.run()
    assert flow.ran == ["noisy", "last"]


def test_editing_code_does_not_draw_again(flow, monkeypatch):
    flow.run()
    monkeypatch.setattr("pate.runner.code_version", lambda *_: "another")
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
    with pytest.raises(ZeroDivisionError):
        broken.run()
    flow.run()
    assert flow.ran == ["noisy", "last"]


def test_manifests_say_how_long_it_took(flow):
    runner = flow.run()
    manifest = runner.store.folder("release", "last", runner.records["last"].key) / "manifest.json"
    assert json.loads(manifest.read_text())["about"]["seconds"] >= 0
