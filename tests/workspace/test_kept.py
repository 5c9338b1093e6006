"""What is stored is served whole and with its entry in the ledger, or not at all."""

import json

import pytest

from pate.errors import PateError
from pate.ledger.ledger import Ledger
from pate.workspace.store import Store
from tests.workspace.flow import Flow, damage, statuses


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


def test_an_unreadable_manifest_means_running_again(flow):
    runner = flow.run()
    (runner.store.folder("private", "first", runner.records["first"].key) / "manifest.json").write_text("[]")
    flow.run()
    assert flow.ran == ["first"]  # the same content, so nothing after it


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


def test_a_run_killed_before_it_could_say_released_is_set_right(flow, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr("pate.ledger.ledger.Ledger.released", lambda *_: None)
        assert statuses(flow.run()) == ["reserved"]
    assert statuses(flow.run()) == ["released"]


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
