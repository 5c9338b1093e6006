"""Seeded noise, and whatever is made from it, never lies where what may leave does."""

import json
import stat
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pate.accounting.filter import ORDERS, Cost
from pate.ledger.ledger import Budget, Release
from pate.noise import SEEDED
from pate.settings import BudgetConfig, NoiseConfig
from pate.workspace.artifact import Artifact
from pate.workspace.runner import Runner
from pate.workspace.stage import Pipeline, Ref, Stage
from pate.workspace.store import Store


@dataclass(frozen=True)
class Number(Artifact):
    value: np.ndarray


RELEASE = Release("test", "test noise", {}, "one record replaced by nothing", Cost((1.0,) * len(ORDERS), 1.0, 1.0, 0.0))
ABOUT = {"seconds": 0.0, "summary": "", "notes": []}


def draw_one(run, **inputs):
    run.spending.whole(RELEASE, begun=False)
    return make_one(run, **inputs)


def make_one(run, **inputs):
    return Number(np.array([run.settings.noise.seed or 0, len(inputs)]))


def from_a_seeded_file(run, **inputs):
    run.notes += (SEEDED,)
    return make_one(run, **inputs)


@st.composite
def graphs(draw):
    """Any flow: private data comes in, and after it stages that draw, post-process, or bring in what was seeded."""
    kinds = st.sampled_from(["draws", "draws for the owner", "makes", "keeps", "reads a file"])
    sees = {"noise": "any number will do"}
    stages = [Stage("s0", make_one, writes=(Ref("private", "a0", Number),), sees=sees)]
    for number, kind in enumerate(draw(st.lists(kinds, min_size=2, max_size=6)), start=1):
        behind = [ref for one in stages for ref in one.writes]
        if kind not in ("keeps", "draws", "draws for the owner"):  # what is releasable is made of that alone
            behind = [ref for ref in behind if ref.side == "release"]
        reads = draw(st.lists(st.sampled_from(behind), unique=True, max_size=3)) if behind else []
        owners = kind in ("keeps", "draws for the owner")
        writes = (Ref("private" if owners else "release", f"a{number}", Number),)
        function = {"draws": draw_one, "reads a file": from_a_seeded_file}.get(kind, make_one)
        config = ("noise",) if kind.startswith("draws") else ()
        crosses = "test noise" if kind == "draws" else ""
        stages.append(Stage(f"s{number}", function, tuple(reads), writes, config, sees=sees, crosses=crosses))
    return Pipeline(tuple(stages))


def known_noise_in(graph, seed):
    """By the declarations alone: the stages with noise behind them that somebody can subtract."""
    found = set()
    for one in graph.stages:
        drawn = seed is not None and bool(one.config)
        if drawn or one.function is from_a_seeded_file or any(graph.maker(ref).name in found for ref in one.reads):
            found.add(one.name)
    return found


@settings(max_examples=25, deadline=None)
@given(graph=graphs(), seed=st.sampled_from([None, 0, 7]))
def test_what_lies_on_the_releasable_side_has_no_seeded_draw_behind_it(tmp_path_factory, graph, seed):
    workspace = tmp_path_factory.mktemp("w")
    plain = {"noise": {"seed": seed}}
    chosen = {"budget": BudgetConfig(account="people"), "noise": NoiseConfig(seed), "limit": Budget(None, 1e-5)}
    for _ in range(2):  # the second time all is found where it lies
        runner = Runner(SimpleNamespace(plain=plain, force=(), **chosen), graph, Store(workspace), "a run")
        runner.bring_up_to_date([one.name for one in graph.stages])
        seeded = known_noise_in(graph, seed)
        lies = {side: {file.parts[-3] for file in (workspace / side).glob("*/*/manifest.json")} for side in SIDES}
        releasable = {one.name for one in graph.stages if one.sides == ["release"]}
        assert lies["release"] == releasable - seeded
        assert lies["evaluation"] == releasable & seeded
        assert lies["private"] == {one.name for one in graph.stages} - releasable
    assert all(record.reused for record in runner.records.values())


SIDES = ("private", "release", "evaluation")


def test_the_evaluation_side_is_the_owners_alone(tmp_path):
    store = Store(tmp_path)
    store.write("release", "labels", "key", {"labels": Number(np.arange(3))}, ABOUT | {"notes": [SEEDED]})
    for path in [tmp_path / "evaluation", *(tmp_path / "evaluation").rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    assert store.read("release", "labels", "key", "labels", Number).value.tolist() == [0, 1, 2]
    (tmp_path / "evaluation").chmod(0o755)
    with pytest.raises(Exception, match="evaluation can be read by others"):
        Store(tmp_path)


def old_workspace(folder):
    """As it was before: seeded or not, in one place."""
    store = Store(folder)
    for key, notes in (("drawn", []), ("seeded", [SEEDED]), ("both", ["a note", SEEDED])):
        store.write("release", "labels", key, {"labels": Number(np.arange(3))}, ABOUT)
        file = folder / "release" / "labels" / key / "manifest.json"
        told = json.loads(file.read_text())
        told["about"]["notes"] = notes
        file.write_text(json.dumps(told))
    (folder / "evaluation").rmdir()
    return {key: store.identity("labels", key, ["release"]) for key in ("drawn", "seeded", "both")}


def keys_in(folder):
    return {path.name for path in folder.glob("labels/*")}


def test_seeded_artifacts_of_an_older_workspace_move_once_and_keep_their_identity(tmp_path, caplog):
    identities = old_workspace(tmp_path)
    caplog.set_level("INFO", "pate")
    store = Store(tmp_path)
    assert keys_in(tmp_path / "release") == {"drawn"}
    assert keys_in(tmp_path / "evaluation") == {"seeded", "both"}
    assert {key: store.identity("labels", key, ["release"]) for key in identities} == identities
    assert "2 artifacts went from release/ to evaluation/" in caplog.text
    assert stat.S_IMODE((tmp_path / "evaluation" / "labels" / "both" / "labels.npz").stat().st_mode) == 0o600
    caplog.clear()
    Store(tmp_path)
    assert not caplog.text


def test_a_move_that_was_killed_is_made_up_for(tmp_path, monkeypatch):
    identities = old_workspace(tmp_path)
    with monkeypatch.context() as patched:
        from pate.workspace.sides import shutil

        move, moved = shutil.move, []

        def killed(*places):
            if moved:
                raise KeyboardInterrupt
            moved.append(move(*places))

        patched.setattr("pate.workspace.sides.shutil.move", killed)
        with pytest.raises(KeyboardInterrupt):
            Store(tmp_path)
    store = Store(tmp_path)
    assert keys_in(tmp_path / "evaluation") == {"seeded", "both"}
    assert not (tmp_path / ".evaluation").exists()
    assert {key: store.identity("labels", key, ["release"]) for key in identities} == identities
