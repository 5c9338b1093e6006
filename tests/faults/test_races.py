"""Races that a crowd meets now and then, made to happen every time."""

import sqlite3
import threading
from pathlib import Path

from pate.ledger.file import LedgerFile
from pate.ledger.ledger import Budget, Ledger, Release, Spender
from pate.workspace.store import Store

from .crowd import cost

SPENDER = Spender("crowd", "release", "labels/1", "run", "plan")
FREE = Budget(None, 1e-5)
RELEASE = Release("labels", "Gaussian", {"answers": 1}, "one record", cost(0.01))


def beaten_to(monkeypatch, name: str, other) -> None:
    """Whoever looks for this file first sees that it is not there, and the next moment it is."""
    exists, raced = Path.exists, []

    def look(path: Path) -> bool:
        if path.name != name or raced:
            return exists(path)
        raced.append(path)
        assert not exists(path)
        other()
        return False

    monkeypatch.setattr(Path, "exists", look)


def test_another_process_makes_the_secret_first(tmp_path, monkeypatch):
    beaten_to(monkeypatch, "secret", lambda: Store(tmp_path))
    assert Store(tmp_path).secret == (tmp_path / "private" / "secret").read_bytes()


def test_another_process_makes_the_ledger_first(tmp_path, monkeypatch):
    store = Store(tmp_path)

    def other() -> None:
        Ledger(tmp_path / "private" / "ledger.sqlite", store.secret).reserve(SPENDER, RELEASE, FREE, print)
        (tmp_path / "private" / "data").mkdir(mode=0o700)

    beaten_to(monkeypatch, "ledger.sqlite", other)
    assert len(Ledger.of(store).entries()) in (0, 1)  # 0: it did not look


def test_another_process_is_making_the_tables(tmp_path):
    file = tmp_path / "ledger.sqlite"
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    file.chmod(0o600)
    other.execute("BEGIN IMMEDIATE")
    other.execute("CREATE TABLE others (name TEXT PRIMARY KEY)")
    later = threading.Timer(0.5, lambda: other.execute("COMMIT"))
    later.start()
    try:
        assert Ledger(file, bytes(32)).entries() == []
    finally:
        later.join()
        other.close()


def test_another_process_reserves_between_reading_and_counting(tmp_path, monkeypatch):
    file, secret = tmp_path / "ledger.sqlite", bytes(32)
    Ledger(file, secret).reserve(SPENDER, RELEASE, FREE, print)

    seal, beaten = LedgerFile._seal, []

    def slow(self, *parts: object) -> str:
        if parts[0] == "entry" and not beaten:
            beaten.append(parts)
            Ledger(file, secret).reserve(SPENDER, RELEASE, FREE, print)
        return seal(self, *parts)

    monkeypatch.setattr(LedgerFile, "_seal", slow)
    assert len(Ledger(file, secret).entries()) in (1, 2)
    assert beaten
