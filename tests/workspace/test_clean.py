"""clean: what no run refers to goes when it is told to; what was drawn stays, so that nothing is drawn again for it."""

import json
import os
import secrets
import shutil
import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pate as library
from pate.accounting.filter import ORDERS, Cost
from pate.errors import ConfigError, PateError
from pate.ledger.ledger import Budget, Ledger, Release, Spender
from pate.workspace.clean import clean
from pate.workspace.store import Store
from tests.workspace.left_over import Thing, left_over

FAST = ["teachers=ridge", "teachers.count=10", "student=supervised", "labels.queries=20", "dpsgd.epochs=1", "n_jobs=1"]
RELEASE = Release("test", "test noise", {}, "one record replaced by nothing", Cost((1.0,) * len(ORDERS), 1.0, 1.0, 0.0))
SPENDER = Spender("people", "release", "", "run", "plan")


def ran(workspace, *overrides, name="first"):
    folder = workspace / "runs" / name
    return library.run([*FAST, "stage=compare", f"workspace={workspace}", f"hydra.run.dir={folder}", *overrides])


def asked(workspace, *overrides):
    return library.run(["stage=clean", f"workspace={workspace}", f"hydra.run.dir={workspace}/runs/clean", *overrides])


def bytes_in(workspace):
    files = (file for side in ("private", "release", "evaluation") for file in (workspace / side).rglob("*"))
    return sum({file.stat().st_ino: file.stat().st_size for file in files if file.is_file()}.values())


def stages(found):
    return {item["path"].split("/")[1] for item in found["items"]}


@pytest.mark.parametrize("epsilon", ["pate", "2"])
def test_whatever_is_cleaned_the_same_run_draws_nothing_again(tmp_path, epsilon):
    first = ran(tmp_path, f"dpsgd.epsilon={epsilon}")
    assert asked(tmp_path)["items"] == []  # a run refers to all of it
    shutil.rmtree(tmp_path / "runs")
    listed, before = asked(tmp_path), bytes_in(tmp_path)
    drawn = {"labels", "dpsgd", "dpsgd_publishable", "consensus"}
    assert stages(listed) == {"check", "data", "features", "encode", "teachers", "votes", "queries", "account",
                              "student", "basis", "shift", "consensus_student", "nonprivate", "compare"}  # fmt: skip
    assert bytes_in(tmp_path) == before
    entries = Ledger.of(Store(tmp_path)).entries()
    gone = asked(tmp_path, "clean.yes=true")
    assert gone["items"] == listed["items"]
    assert gone["removed"]
    assert before - bytes_in(tmp_path) == gone["bytes"] == sum(item["bytes"] for item in gone["items"])
    assert asked(tmp_path)["items"] == []
    again = ran(tmp_path, f"dpsgd.epsilon={epsilon}", name="second")
    assert {name: made["key"] for name, made in again["stages"].items()} == {
        name: made["key"] for name, made in first["stages"].items()
    }
    assert all(again["stages"][name]["reused"] for name in drawn & set(again["stages"]))
    assert not again["stages"]["teachers"]["reused"]
    assert Ledger.of(Store(tmp_path)).entries() == entries


def test_seeded_draws_come_out_the_same_and_may_go(tmp_path):
    first = ran(tmp_path, "noise.seed=3")
    shutil.rmtree(tmp_path / "runs")
    assert {"labels", "dpsgd"} <= stages(asked(tmp_path, "clean.yes=true"))
    assert not list((tmp_path / "evaluation").glob("*/*"))
    again = ran(tmp_path, "noise.seed=3")
    assert again["stages"]["student"]["key"] == first["stages"]["student"]["key"]  # learnt from the same labels


KINDS = st.fixed_dictionaries(
    {
        "side": st.sampled_from(["private", "release"]),
        "drawn": st.sampled_from(["", "release", "owner", "evaluation"]),
        "referred": st.booleans(),
        "form": st.sampled_from(["artifact", "pieces", "half"]),
        "stage": st.sampled_from(["labels", "encode"]),
    }
)


@settings(max_examples=25, deadline=None)
@given(st.lists(KINDS, max_size=6))
def test_what_goes_is_exactly_what_is_neither_drawn_nor_referred_to(tmp_path_factory, kinds):
    workspace = tmp_path_factory.mktemp("w")
    store = Store(workspace)
    ledger, referred, stays, goes = Ledger.of(store), {}, set(), set()
    for number, kind in enumerate(kinds):
        key, stage = f"{number:032x}", f"{kind['stage']}{number}"
        if kind["drawn"]:
            spender = replace(SPENDER, scope=kind["drawn"], artifact=f"{stage}/{key}")
            ledger.reserve(spender, RELEASE, Budget(None, 1e-5), print)
        if kind["referred"]:
            referred[stage] = {"key": key}
        folder = store.folder(kind["side"], stage, key)
        if kind["form"] == "artifact":
            about = {"seconds": 0.0, "summary": "", "notes": []}
            store.write(kind["side"], stage, key, {"thing": Thing(np.arange(9))}, about)
        elif kind["form"] == "pieces":
            store.pieces(stage, key).save(0, np.arange(9))
            folder = workspace / "private" / stage / f"{key}.pieces"
        else:
            folder = folder.with_name(f".{key}-abc")
            folder.mkdir(parents=True, mode=0o700)
            folder.parent.chmod(0o700)
        final = kind["drawn"] in ("release", "owner")
        keep = {"artifact": final or kind["referred"], "pieces": final, "half": False}[kind["form"]]
        (stays if keep else goes).add(folder)
    (workspace / "runs" / "one").mkdir(parents=True)
    (workspace / "runs" / "one" / "results.json").write_text(json.dumps({"stages": referred}))
    secret, before = store.secret, ledger.entries()
    assert {workspace / item.path for item in clean(workspace, remove=False).items} == goes
    assert all(path.exists() for path in stays | goes)
    clean(workspace, remove=True)
    assert all(path.exists() for path in stays)
    assert not any(path.exists() for path in goes)
    assert Store(workspace).secret == secret
    assert Ledger.of(Store(workspace)).entries() == before


def test_nothing_is_cleaned_while_a_run_is_at_work(tmp_path):
    store = left_over(tmp_path)
    with store.at_work(), Store(tmp_path).at_work():  # any number of runs
        for remove in (False, True):
            with pytest.raises(PateError, match=r"a run is at work in .*: clean once it has ended"):
                clean(tmp_path, remove)
    assert len(clean(tmp_path, remove=True).items) == 1


def test_a_run_begins_when_cleaning_has_ended(tmp_path):
    store, begun = left_over(tmp_path), []

    def run():
        with Store(tmp_path).at_work():
            begun.append(True)

    with store.alone():
        other = threading.Thread(target=run)
        other.start()
        other.join(timeout=0.2)
        assert not begun
    other.join(timeout=120)
    assert begun


def test_a_shared_file_frees_its_room_with_the_last_of_its_names(tmp_path):
    for key in ("0" * 32, "1" * 32):
        left_over(tmp_path, key, values=100_000)
    sizes = [item.bytes for item in clean(tmp_path, remove=False).items]
    assert sizes[0] < 2000
    assert 800_000 < sizes[1] < 802_000
    (tmp_path / "runs" / "one").mkdir(parents=True)
    (tmp_path / "runs" / "one" / "results.json").write_text(json.dumps({"stages": {"encode": {"key": "1" * 32}}}))
    (item,) = clean(tmp_path, remove=True).items
    assert item.bytes < 2000
    Store(tmp_path).verify("private", "encode", "1" * 32)


def test_what_errors_said_goes_once_a_run_has_finished_since(tmp_path):
    store = left_over(tmp_path)
    early, late = store.keep_error("teachers", "private words"), store.keep_error("teachers", "private words")
    (tmp_path / "sweeps" / "one" / "0").mkdir(parents=True)
    results = tmp_path / "sweeps" / "one" / "0" / "results.json"
    results.write_text(json.dumps({"stages": {"encode": {"key": "0" * 32}}}))
    for seconds, file in enumerate((early, results, late)):
        os.utime(file, (seconds, seconds))
    (item,) = clean(tmp_path, remove=True).items
    assert item.path == f"private/errors/{early.name}"
    assert late.exists()
    assert not early.exists()


@pytest.mark.parametrize("text", ["", "[]", '{"stages": [1]}', '{"stages": {"encode": 3}}'])
def test_a_run_that_cannot_be_read_may_refer_to_anything(tmp_path, text):
    left_over(tmp_path)
    (tmp_path / "runs" / "one").mkdir(parents=True)
    (tmp_path / "runs" / "one" / "results.json").write_text(text)
    with pytest.raises(ConfigError, match=r"results\.json cannot be read, so what it refers to is not known"):
        clean(tmp_path, remove=True)
    Store(tmp_path).verify("private", "encode", "0" * 32)


def test_links_and_other_names_are_left_alone(tmp_path):
    store = left_over(tmp_path / "w")
    (tmp_path / "precious" / ("2" * 32)).mkdir(parents=True)
    (store.root / "release" / "linked").symlink_to(tmp_path / "precious")
    (store.root / "private" / "encode" / ("3" * 32)).symlink_to(tmp_path / "precious")
    (store.root / "private" / "encode" / "notes").mkdir()
    (store.root / "published" / secrets.token_hex(16)).mkdir(parents=True)
    assert [item.path for item in clean(tmp_path / "w", remove=True).items] == [f"private/encode/{'0' * 32}"]
    assert (tmp_path / "precious" / ("2" * 32)).is_dir()
    assert len(list((store.root / "published").iterdir())) == 1
