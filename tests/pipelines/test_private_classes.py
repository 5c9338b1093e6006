"""A class list read from private labels voids every epsilon of the run: one record decides what can be answered."""

import json
import re

import numpy as np
import pytest

from pate.data.labels import CLASSES_FROM_PRIVATE

WHY = "not publishable: classes read from private labels"
FAST = ["teachers=ridge", "teachers.count=10", "student=supervised", "labels.queries=15", "n_jobs=1"]
TRAIN = ["dpsgd.epochs=1", "dpsgd.lot=20"]


def classified(records, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=records)
    return {"x": (rng.normal(size=(records, 2)) / 3 + np.eye(3)[y][:, :2]).astype(np.float32), "y": y}


@pytest.fixture
def own(tmp_path):
    """Private, public and test files whose classes nobody has declared."""
    (tmp_path / "own").mkdir()
    for seed, (side, records) in enumerate({"private": 200, "public": 60, "test": 40}.items()):
        np.savez(tmp_path / "own" / f"{side}.npz", **classified(records, seed))
    return ["dataset=arrays", "dataset.path=own", "dataset.delta=0.001"]


def claims(text):
    """What is called publishable without a `not`; names of stages, keys and columns aside."""
    return re.findall(r".{0,60}(?<!not )(?<![\w\"])publishable(?![\w\"]| epsilon).{0,20}", " ".join(text.split()))


def walked(value, key=""):
    """Every (key, value) in nested JSON."""
    if not isinstance(value, dict | list):
        yield key, value
        return
    for name, one in value.items() if isinstance(value, dict) else ((key, one) for one in value):
        yield from walked(one, name)


@pytest.mark.slow
def test_no_epsilon_of_the_run_is_called_publishable_anywhere(pate, own, tmp_path):
    done = pate(*own, *FAST, *TRAIN, "hydra.run.dir=one")
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "one" / "results.json").read_text())
    assert CLASSES_FROM_PRIVATE in found["notes"]
    facts = list(walked(found))
    assert {value for key, value in facts if key == "publishable"} == {False}
    assert {value for key, value in facts if key == "epsilon_publishable"} == {None}
    ledger = pate("stage=ledger", "hydra.run.dir=two")
    told = json.loads((tmp_path / "two" / "ledger.json").read_text())
    assert {value for key, value in walked(told) if key == "publishable"} == {False}
    page = (tmp_path / "one" / "report.html").read_text()
    log = (tmp_path / "one" / "pate.log").read_text()
    for text in (done.stdout, done.stderr, log, page, ledger.stdout, json.dumps(found), json.dumps(told)):
        assert WHY in " ".join(text.split())
        assert claims(text) == []
    assert "may be published as (" not in page
    assert 'class="yes"' not in page
    assert f"None may be published: {WHY}" in page
    quiet = pate(*own, *FAST, *TRAIN, "--quiet")
    assert quiet.stderr.endswith(f"warning: {WHY}\n")


def test_a_dpsgd_model_and_its_training_say_so_too(pate, own, tmp_path):
    done = pate(*own, *FAST, *TRAIN, "stage=dpsgd", "dpsgd.epsilon=3", "hydra.run.dir=one")
    assert done.returncode == 0, done.stderr
    assert claims(done.stdout + done.stderr) == []
    (manifest,) = (tmp_path / "workspace" / "release" / "dpsgd").glob("*/manifest.json")
    about = json.loads(manifest.read_text())["about"]
    assert about["summary"].count(f"({WHY})") == 2  # zero-out and replace-one
    assert CLASSES_FROM_PRIVATE in about["notes"]
    manifest.write_text(manifest.read_text().replace(WHY, "publishable"))  # as earlier versions had it
    again = pate(*own, *FAST, *TRAIN, "stage=dpsgd", "dpsgd.epsilon=3", "hydra.run.dir=two")
    assert "reused" in again.stderr
    assert claims(again.stderr + (tmp_path / "two" / "results.json").read_text()) == []


@pytest.mark.parametrize(
    "asked", [["budget=strict", "budget.epsilon=3"], ["stage=release"], ["stage=report", "report.audience=public"]]
)
def test_what_promises_an_epsilon_is_refused_before_anything_is_written(pate, own, tmp_path, asked):
    done = pate(*own, *FAST, *asked)
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.strip().splitlines()
    assert "the classes would be read from private labels" in line
    assert "declare dataset.classes=[...]" in line
    assert not (tmp_path / "workspace").exists()


def test_declared_classes_are_publishable(pate, own, tmp_path):
    done = pate(*own, *FAST, "dataset.classes=['0','1','2']", "stage=labels", "budget=strict", "budget.epsilon=100")
    assert done.returncode == 0, done.stderr
    assert "(publishable)" in done.stdout
    assert WHY not in done.stdout + done.stderr


def test_classes_read_from_public_labels_alone_are_nobodys_secret(pate, own, tmp_path):
    (tmp_path / "own" / "private.npz").unlink()
    np.savez(tmp_path / "labels.npz", index=np.arange(20), label=np.arange(20) % 3)
    done = pate(*own, "labels.path=labels.npz", "student=supervised", "stage=student", "hydra.run.dir=one")
    assert done.returncode == 0, done.stderr
    assert CLASSES_FROM_PRIVATE not in json.loads((tmp_path / "one" / "results.json").read_text())["notes"]


DECLARED = "dataset.classes=[0,1,2]"


def marks(folder):
    """The notes of what was drawn, and the ledger's mark on each entry."""
    from pate.ledger.ledger import Ledger
    from pate.workspace.store import Store

    entries = Ledger.of(Store(folder / "workspace")).entries()
    return [entry.withheld for entry in entries]


def test_what_another_run_has_made_already_does_not_hide_it(own, tmp_path, monkeypatch):
    """Votes of a run that declared the classes are the same votes: what is drawn from them is marked all the same."""
    monkeypatch.chdir(tmp_path)
    from pate import run

    run([*own, *FAST, DECLARED, "stage=votes"])
    found = run([*own, *FAST, "stage=labels"])
    assert marks(tmp_path) == [WHY]
    assert WHY in found["stages"]["account"]["summary"]
    assert found["methods"][0]["epsilon_publishable"] is None


def test_a_run_that_declares_them_is_not_marked_by_one_that_did_not(own, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    from pate import run

    run([*own, *FAST, "stage=votes"])
    found = run([*own, *FAST, DECLARED, "stage=labels"])
    assert marks(tmp_path) == [""]
    assert CLASSES_FROM_PRIVATE not in found["notes"]
    assert found["methods"][0]["epsilon_publishable"] is not None


def test_a_release_that_would_be_refused_is_refused_before_it_draws(pate, own, tmp_path):
    done = pate(*own, *FAST, "dataset.private=0", "votes.path=none.npz", "stage=release")
    assert done.returncode == 2
    assert "declare dataset.classes" in done.stderr
