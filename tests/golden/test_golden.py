"""Workspaces made by earlier versions open, serve the same answers and models, show the same totals, resume, and draw
nothing again. `make.py` says how they were made; each folder here holds those of one version:

2026-11-17   commit 70c6eec: no evaluation side, one content digest, own notes mixed with inherited ones
2026-11-18   commit a39632b: nothing kept carries a version; a draw is known by the place of the classes behind it
"""

import hashlib
import json
import sqlite3
import tarfile
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

import pate as package
from pate.ledger.ledger import Ledger, total
from pate.workspace.store import Store
from tests.golden import make

HERE = Path(__file__).parent
SMALL = make.SMALL
FIRST = "2026-11-17"
LAST = "2026-11-18"
TRAINED = ["stage=dpsgd", "dpsgd.epsilon=2", "dpsgd.epochs=5"]
MADE = {
    FIRST: {
        "digits": [["stage=release", *SMALL], [*TRAINED, *SMALL]],
        "csv": [["stage=student", *make.WHOSE, *SMALL], [*TRAINED, "dpsgd.lot=32", *make.WHOSE, *SMALL]],
        "parquet": [["stage=student", *make.WHOSE, *SMALL], [*TRAINED, "dpsgd.lot=32", *make.WHOSE, *SMALL]],
        "groups": [["stage=student", *make.WHOSE, *make.STRICT, *SMALL]],
        "votes": [["stage=labels", "votes.path=hospitals.npz", "labels.queries=20"]],
        "seeded": [["stage=student", "noise.seed=7", *SMALL], [*TRAINED, "noise.seed=7", *SMALL]],
        "sanitised": [["stage=sanitise", *make.GNMAX, *SMALL]],
    },
    LAST: {name: runs for name, runs in make.MADE.items() if not name.startswith("killed")},
}
CHOSEN_THEN = ("features=identity", "teachers=logistic", "aggregator=lnmax", "student=self_training")
DRAWN = ("labels", "dpsgd", "sanitise")
TEACHERS = import_module("pate.pipelines.teachers")


def run(words):
    """With the choices that were the defaults when these workspaces were made."""
    said = {word.partition("=")[0] for word in words}
    defaults = [word for word in CHOSEN_THEN if word.partition("=")[0] not in said]
    defaults += ["aggregator.gamma=0.2"] * (not any(key.startswith("aggregator") for key in said))
    return package.run([*defaults, *words])


def rows(folder):
    """Every entry of the ledger as it was written, whatever its column is called; every answer."""
    file = folder / "workspace" / "private" / "ledger.sqlite"
    with sqlite3.connect(file) as connection:
        return [
            connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in ("entries", "answers")
        ]


def drawn(folder):
    """What holds noise, wherever it lies: name of the file -> digests of its contents."""
    found = {}
    for file in (folder / "workspace").rglob("*"):
        if file.parent.parent.name in DRAWN and file.name != "manifest.json" and file.is_file():
            found.setdefault(file.name, set()).add(hashlib.sha256(file.read_bytes()).hexdigest())
    return found


def models(folder, stage):
    """The trained models of a stage, by when they were made."""
    found = [*(folder / "workspace").glob(f"*/{stage}/[!.]*/{stage}.safetensors")]
    return [load_file(file) for file in sorted(found, key=lambda file: file.stat().st_mtime_ns)]


def close(one, other):
    return one.keys() == other.keys() and all(np.allclose(one[name], other[name], atol=1e-5) for name in one)


def as_then(then, train, *arguments, **options):
    """On another processor a teacher's weights differ in their last digit, and then a vote or two of a thousand; and
    what is drawn from other votes is another draw. So what is trained here must be nearly what was trained then, and
    that is what votes."""
    here = train(*arguments, **options)
    (predictions,) = then
    assert (here == predictions).mean() > 0.99
    return predictions


@pytest.fixture
def made(tmp_path, monkeypatch):
    def unpack(name, version=LAST):
        with tarfile.open(HERE / version / f"{name}.tar.gz") as archive:
            archive.extractall(tmp_path, filter="tar")
        monkeypatch.chdir(tmp_path / name)
        then = [np.load(file)["predictions"] for file in Path("workspace").glob("private/teachers/*/predictions.npz")]
        monkeypatch.setattr(TEACHERS, "train", partial(as_then, then, TEACHERS.train))
        return tmp_path / name

    return unpack


def test_every_workspace_kept_here_is_opened():
    kept = {(file.parent.name, file.name.partition(".")[0]) for file in HERE.glob("*/*.tar.gz")}
    there = {(version, name) for version, names in MADE.items() for name in names}
    assert kept == there | {(LAST, "killed"), (LAST, "killed_seeded"), (FIRST, "votes_from_file")}


@pytest.mark.parametrize(("version", "name"), [(version, name) for version, names in MADE.items() for name in names])
def test_what_was_made_before_is_served_and_nothing_is_drawn_again(made, version, name):
    folder = made(name, version)
    before, artifacts = rows(folder), drawn(folder)
    ledger = Ledger.of(Store("workspace"))
    account = ledger.entries()[0].spender.account
    spent = total(ledger.releases(account), 1e-5) if ledger.releases(account) else None
    for words in MADE[version][name]:
        found = run(words)
        crossed = [stage for stage in DRAWN if stage in found["stages"]]
        crossed = [stage for stage in crossed if (stage, name) != ("dpsgd", "pate")]  # there it is the owner's
        assert crossed
        assert all(found["stages"][stage]["reused"] for stage in crossed)
        if spent is not None:
            assert found["ledger"]["name"] == account
    if name != "pate":  # whose DP-SGD, trained again for the owner's comparison, is noted again
        assert rows(folder) == before
        assert drawn(folder) == artifacts
    assert rows(folder)[1] == before[1]
    if spent is not None:
        assert total(ledger.releases(account), 1e-5) == spent


@pytest.mark.parametrize("name", ["pate", "images", "active", "groups", "seeded"])
def test_a_student_trained_again_agrees_within_rounding(made, name):
    folder = made(name)
    (before,) = models(folder, "student")
    for words in make.MADE[name]:
        run([*words, "force=[student]"])
    assert len(models(folder, "student")) in (1, 2)  # one, while the code that trains it is the same
    assert all(close(before, again) for again in models(folder, "student"))


@pytest.mark.slow
def test_a_training_that_was_killed_goes_on_under_its_reservation(made):
    folder = made("killed")
    (entries, _) = rows(folder)
    found = run(make.MADE["killed"][0])
    assert not found["stages"]["dpsgd"]["reused"]
    ((number, *facts, status),) = rows(folder)[0]
    assert (number, *facts) == entries[0][:-1]
    assert (entries[0][-1], status) == ("reserved", "released")
    assert not list((folder / "workspace" / "private" / "dpsgd").glob("*.pieces"))


@pytest.mark.slow
def test_a_training_that_was_killed_ends_as_if_it_had_not_been(made):
    """Its noise is seeded, so what was trained in one go, in another workspace, is known."""
    whole = models(made("seeded"), "dpsgd")
    folder = made("killed_seeded")
    run(make.MADE["killed_seeded"][0])
    assert close(*models(folder, "dpsgd"), *whole)


def test_what_was_abandoned_stays_spent(made):
    made("abandoned")
    entries = Ledger.of(Store("workspace")).entries()
    assert [entry.status for entry in entries] == ["abandoned", "released"]
    assert len(Ledger.of(Store("workspace")).releases("clinic")) == 2


def test_a_strict_account_stays_strict(made):
    from pate.errors import ConfigError

    made("groups")
    words = [word for word in make.MADE["groups"][0] if not word.startswith("budget")]
    with pytest.raises(ConfigError, match="has a strict budget, epsilon 50"):
        run([*words, "labels.queries=21"])


def test_earlier_results_are_compared_with_new_ones(made):
    folder = made("pate")
    earlier = next(file.parent for file in (folder / "workspace" / "runs").glob("*/results.json"))
    run(make.MADE["pate"][0])
    later = max((folder / "workspace" / "runs").glob("*/results.json"), key=lambda file: file.stat().st_mtime).parent
    found = run(["stage=compare", f"compare.runs=[{earlier},{later}]"])
    assert found["notes"] == [] or "took every stage" in found["notes"][0]


def test_an_earlier_release_still_answers(made):
    folder = made("images")
    (release,) = [one for one in (folder / "workspace" / "published").iterdir() if one.is_dir()]
    np.save("inputs.npy", np.zeros((3, 8, 8), np.float32))
    found = run(["stage=predict", f"student_path={release}", "input=inputs.npy"])
    assert found["inputs"] == 3
    assert not found["owners"]


@pytest.mark.parametrize(("version", "name"), [(FIRST, "digits"), (LAST, "images")])
def test_more_queries_draw_only_the_new_ones(made, version, name):
    folder = made(name, version)
    words = [word for word in MADE[version][name][0] if not word.startswith(("stage=", "labels.queries="))]
    entries, answers = rows(folder)
    run(["stage=labels", "labels.queries=23", *words])
    assert [len(now) - len(then) for now, then in zip(rows(folder), (entries, answers), strict=True)] == [1, 3]


def test_what_may_leave_tells_nothing_of_time_and_memory(made):
    """A process that has read private records takes more memory for some of them: manifests kept it once."""
    folder = made("digits", FIRST)
    Store("workspace")
    told = [
        json.loads(file.read_text())["about"] for file in (folder / "workspace" / "release").glob("*/*/manifest.json")
    ]
    assert told
    assert all(about["seconds"] == 0 and "memory" not in about for about in told)
