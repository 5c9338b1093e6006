"""The ledger's file: whatever is taken out of it, changed in it or put in its place is noticed."""

import os

import pytest

from pate.errors import ConfigError, PateError
from pate.ledger.file import LedgerFile
from pate.ledger.ledger import Ledger
from pate.workspace.store import Store
from tests.ledger.entries import SECRET, edit, extras, reserve, spender


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET line = replace(line, 'clinic', 'nobody') WHERE id = 2",
        "DELETE FROM entries WHERE id = 2",
        "DELETE FROM entries WHERE id = 3",
        "UPDATE entries SET id = 7 WHERE id = 3",
        "UPDATE entries SET seal = 'x' WHERE id = 1",
        "UPDATE entries SET seal = x'00' WHERE id = 1",
        "DELETE FROM sqlite_sequence",
        "DROP TABLE entries",
    ],
)
def test_an_entry_that_was_changed_or_taken_out_is_noticed(ledger, statement):
    for _ in range(3):
        reserve(ledger)
    edit(ledger, statement)
    with pytest.raises(PateError, match=r"missing or was changed|at its end are missing|cannot be used"):
        ledger.entries()
    with pytest.raises(PateError):
        reserve(ledger)


def test_an_older_copy_and_an_emptied_one_are_noticed(ledger):
    reserve(ledger)
    reserve(ledger)
    edit(ledger, "DELETE FROM entries WHERE id = 2")
    edit(ledger, "UPDATE sqlite_sequence SET seq = 1")
    with pytest.raises(PateError, match="older copy"):
        ledger.entries()
    for extra in extras(ledger):
        extra.unlink()
    ledger.path.write_bytes(b"")
    with pytest.raises(PateError, match="emptied"):
        Ledger(ledger.path, SECRET).entries()


@pytest.mark.parametrize("scope", ["release", "evaluation", "owner"])
def test_a_ledger_that_lost_entries_is_not_gone_on_with_whatever_is_added(ledger, scope):
    reserve(ledger)
    edit(ledger, "DELETE FROM entries")
    edit(ledger, "DELETE FROM sqlite_sequence")
    with pytest.raises(PateError, match="emptied"):
        reserve(ledger, spender(scope=scope))
    with pytest.raises(PateError, match="emptied"):
        ledger._file.witness()
    assert (ledger.path.parent / "ledger.witness").read_text().startswith("1 ")


def test_what_others_add_while_it_is_read_is_no_damage(ledger, monkeypatch):
    reserve(ledger)
    real, other = LedgerFile._witnessed, Ledger(ledger.path, SECRET)

    def meanwhile(file):
        if file is ledger._file:
            reserve(other)
        return real(file)

    monkeypatch.setattr(LedgerFile, "_witnessed", meanwhile)
    assert len(ledger.behind("labels/1")) == 2


def test_a_witness_that_was_changed_is_noticed(ledger):
    reserve(ledger)
    (ledger.path.parent / "ledger.witness").write_text("0 x")
    with pytest.raises(PateError, match=r"ledger\.witness was changed"):
        ledger.entries()


def test_an_answer_that_was_changed_is_noticed(ledger):
    ledger.record(reserve(ledger), "votes", [3], [1])
    edit(ledger, "UPDATE answers SET answer = 2")
    with pytest.raises(PateError, match="a recorded answer was changed"):
        ledger.answers("votes")


def test_a_missing_ledger_is_noticed_once_something_was_run(tmp_path):
    store = Store(tmp_path / "workspace")
    file = Ledger.of(store).path
    assert file.stat().st_mode & 0o777 == 0o600
    Ledger.of(store)
    (tmp_path / "workspace" / "private" / "votes").mkdir(mode=0o700)
    file.unlink()
    with pytest.raises(ConfigError, match="is gone"):
        Ledger.of(store)


def test_files_that_are_no_ledger_are_named(tmp_path):
    garbage = tmp_path / "ledger.sqlite"
    garbage.write_bytes(b"nonsense" * 1000)
    garbage.chmod(0o600)
    with pytest.raises(PateError, match="cannot be used"):
        Ledger(garbage, SECRET)
    garbage.unlink()
    garbage.touch(mode=0o644)
    os.chmod(garbage, 0o644)
    with pytest.raises(ConfigError, match="can be read by others"):
        Ledger(garbage, SECRET)
    garbage.unlink()
    garbage.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConfigError, match="symbolic link"):
        Ledger(garbage, SECRET)
