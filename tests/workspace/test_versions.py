"""What is kept names its version; what a newer program wrote is refused in one line, and nothing is made again."""

import json
import sqlite3
from dataclasses import dataclass

import numpy as np
import pytest

from pate.accounting.filter import ORDERS, Cost
from pate.errors import ConfigError, PateError
from pate.ledger.ledger import Budget, Ledger, Release, Spender
from pate.report.sweep.jobs import read_results
from pate.workspace.artifact import Artifact
from pate.workspace.files import Unreadable
from pate.workspace.store import Store
from pate.workspace.versions import LEDGER, MANIFEST, RESULTS, Newer, version_of

COST = Cost(tuple(0.1 * order for order in ORDERS), 1.0, 0.5, 1e-5)
RELEASE = Release("test", "noise", {}, "one record replaced by nothing", COST, [[0.2] * len(ORDERS)] * 2)
SPENDER = Spender("people", "release", "labels/1", "a run", "a plan")


@dataclass(frozen=True)
class Number(Artifact):
    value: np.ndarray


def test_what_names_no_version_is_of_the_first():
    assert version_of({"methods": []}, 2) == 1


@pytest.mark.parametrize("version", [0, -1, "2", 2.0, True, None])
def test_a_version_is_a_whole_number(version):
    with pytest.raises(Unreadable, match="names a version that is none"):
        version_of({"version": version}, 2)


def test_a_newer_version_is_refused_by_name():
    with pytest.raises(Newer, match="in version 3, and this one reads up to 2"):
        version_of({"version": 3}, 2)


def test_a_stored_artifact_of_a_newer_version_is_neither_read_nor_damaged(tmp_path):
    store = Store(tmp_path)
    store.write("release", "labels", "a" * 32, {"x": Number(np.ones(1))}, {"notes": [], "seconds": 0.0})
    file = tmp_path / "release" / "labels" / ("a" * 32) / "manifest.json"
    told = json.loads(file.read_text())
    assert told["version"] == MANIFEST
    file.write_text(json.dumps(told | {"version": MANIFEST + 1}))
    with pytest.raises(PateError, match="was written by a newer version") as refused:
        store.read("release", "labels", "a" * 32, "x", Number)
    assert type(refused.value) is PateError  # a DamagedArtifact would be made again
    assert "\n" not in str(refused.value)


def test_results_of_a_newer_version_are_refused(tmp_path):
    file = tmp_path / "results.json"
    file.write_text(json.dumps({"version": RESULTS + 1, "methods": []}))
    with pytest.raises(Newer):
        read_results(file)


# -- the ledger ---------------------------------------------------------------------------------------


def ledger_with_an_entry(folder):
    ledger = Ledger.of(Store(folder))
    ledger.reserve(SPENDER, RELEASE, Budget(None, 1e-5), lambda _: None)
    return ledger


def statement(folder, sql):
    with sqlite3.connect(folder / "private" / "ledger.sqlite") as connection:
        return connection.execute(sql).fetchall()


def test_a_ledger_of_a_newer_version_is_refused(tmp_path):
    ledger_with_an_entry(tmp_path)
    statement(tmp_path, f"PRAGMA user_version = {LEDGER + 1}")
    with pytest.raises(PateError, match=r"the ledger .* was written by a newer version"):
        Ledger.of(Store(tmp_path))


def test_the_first_version_cannot_open_a_ledger_of_this_one(tmp_path):
    """What it would do first, word for word: it stops there, and draws nothing."""
    ledger_with_an_entry(tmp_path)
    statement(tmp_path, "CREATE TABLE IF NOT EXISTS entries (id INTEGER PRIMARY KEY AUTOINCREMENT, facts TEXT)")
    with pytest.raises(sqlite3.OperationalError, match="no such column: facts"):
        statement(tmp_path, "SELECT id, facts, seal, status FROM entries ORDER BY id")


def test_nor_an_empty_one(tmp_path):
    Ledger.of(Store(tmp_path))
    with pytest.raises(sqlite3.OperationalError, match="no such column: facts"):
        statement(tmp_path, "SELECT id, facts, seal, status FROM entries ORDER BY id")


def test_a_ledger_of_the_first_version_is_read_and_goes_on(tmp_path):
    before = ledger_with_an_entry(tmp_path).entries()
    for sql in ("ALTER TABLE entries RENAME COLUMN line TO facts", "PRAGMA user_version = 0"):
        statement(tmp_path, sql)
    ledger = Ledger.of(Store(tmp_path))
    assert ledger.entries() == before
    assert statement(tmp_path, "PRAGMA user_version") == [(LEDGER,)]
    ledger.reserve(SPENDER, RELEASE, Budget(None, 1e-5), lambda _: None)
    assert [entry.id for entry in Ledger.of(Store(tmp_path)).entries()] == [1, 2]


def test_an_entry_names_the_orders_of_its_divergences(tmp_path):
    ledger_with_an_entry(tmp_path)
    ((line,),) = statement(tmp_path, "SELECT line FROM entries")
    assert json.loads(line)["orders"] == list(ORDERS)
    assert json.loads(line)["version"] == LEDGER


def test_an_entry_of_other_orders_is_read_against_ourselves(tmp_path, monkeypatch):
    ledger_with_an_entry(tmp_path)
    monkeypatch.setattr("pate.accounting.filter.ORDERS", (2.5, 256, 300))
    (entry,) = Ledger.of(Store(tmp_path)).entries()
    assert entry.release.cost.rdp == (pytest.approx(0.3), pytest.approx(25.6), np.inf)  # at order 3, 256, none
    assert entry.release.dependent == [[0.2, 0.2, np.inf]] * 2


def test_a_student_of_a_newer_version_is_refused(tmp_path):
    from pate.release.predict import published

    (tmp_path / "model.safetensors").write_bytes(b"")
    (tmp_path / "model.json").write_text("{}")
    told = {"version": 99, "about": {"stage": "release", "notes": []}, "files": {}}
    (tmp_path / "manifest.json").write_text(json.dumps(told))
    with pytest.raises(ConfigError, match="was written by a newer version"):
        published(tmp_path)
