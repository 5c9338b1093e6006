"""Workspaces made by the version of 17 November 2026 (commit 70c6eec), each with the files it was made from.

They open, serve the same answers and models, show the same totals, and nothing is drawn again. They were made with
`n_jobs` as it is by default, and are kept as tar files: git keeps no 0700.
"""

import hashlib
import json
import sqlite3
import tarfile
from pathlib import Path

import pytest

from pate import run
from pate.ledger import Ledger, total
from pate.store import Store

HERE = Path(__file__).parent
SMALL = ["teachers.count=10", "labels.queries=20", "n_jobs=1"]
CLINIC = ["dataset=arrays", "dataset.path=clinic", "dataset.label=y", "dataset.classes=[0,1]"]
DPSGD = ["stage=dpsgd", "dpsgd.epsilon=2", "dpsgd.epochs=5"]
MADE = {
    "digits": [["stage=release", *SMALL], [*DPSGD, *SMALL]],
    "csv": [["stage=student", *CLINIC, *SMALL], [*DPSGD, "dpsgd.lot=32", *CLINIC, *SMALL]],
    "parquet": [["stage=student", *CLINIC, *SMALL], [*DPSGD, "dpsgd.lot=32", *CLINIC, *SMALL]],
    "groups": [["stage=student", *CLINIC, "partition.group_by=who", "budget=strict", "budget.epsilon=50", *SMALL]],
    "votes": [["stage=labels", "votes.path=hospitals.npz", "labels.queries=20"]],
    "seeded": [["stage=student", "noise.seed=7", *SMALL], [*DPSGD, "noise.seed=7", *SMALL]],
    "sanitised": [["stage=sanitise", "aggregator=gnmax", "aggregator.sigma=5", "aggregator.noise=continuous", *SMALL]],
}
DRAWN = ("labels", "dpsgd", "sanitise")


def rows(folder):
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


@pytest.fixture
def made(tmp_path, monkeypatch):
    def unpack(name):
        with tarfile.open(HERE / f"{name}.tar.gz") as archive:
            archive.extractall(tmp_path, filter="tar")
        monkeypatch.chdir(tmp_path / name)
        return tmp_path / name

    return unpack


@pytest.mark.parametrize("name", MADE)
def test_what_was_made_before_is_served_and_nothing_is_drawn_again(made, name):
    folder = made(name)
    before, artifacts = rows(folder), drawn(folder)
    ledger = Ledger.of(Store("workspace"))
    account = ledger.entries()[0].spender.account
    spent = total(ledger.releases(account), 1e-5) if ledger.releases(account) else None
    for words in MADE[name]:
        found = run(words)
        assert all(found["stages"][stage]["reused"] for stage in DRAWN if stage in found["stages"])
        if spent is not None:
            assert found["ledger"]["name"] == account
    assert rows(folder) == before
    assert drawn(folder) == artifacts
    if spent is not None:
        assert total(ledger.releases(account), 1e-5) == spent


def test_more_queries_draw_only_the_new_ones(made):
    folder = made("digits")
    run(["stage=labels", "teachers.count=10", "labels.queries=23", "n_jobs=1"])
    entries, answers = rows(folder)
    assert len(entries) == 3
    assert len(answers) == 23


def test_what_may_leave_tells_nothing_of_time_and_memory(made):
    """A process that has read private records takes more memory for some of them: manifests kept it once."""
    folder = made("digits")
    Store("workspace")
    told = [
        json.loads(file.read_text())["about"] for file in (folder / "workspace" / "release").glob("*/*/manifest.json")
    ]
    assert told
    assert all(about["seconds"] == 0 and "memory" not in about for about in told)
