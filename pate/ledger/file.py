"""The ledger on disk: rows that survive a kill and a power cut, and cannot quietly change or go missing.

SQLite in WAL mode with synchronous=FULL. Rows carry a seal (an HMAC under the workspace's secret); entries are numbered
without gaps, and a sealed witness beside the database says how many there were at least, so that one that was edited,
cut short, emptied or replaced by an older copy is noticed.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pate.errors import ConfigError, PateError
from pate.workspace import versions
from pate.workspace.store import sync

_PATIENCE = 120.0  # seconds to wait for other processes
_TABLES = (
    """CREATE TABLE entries (
        id INTEGER PRIMARY KEY AUTOINCREMENT, line TEXT NOT NULL, seal TEXT NOT NULL, status TEXT NOT NULL
    )""",
    """CREATE TABLE answers (
        source TEXT NOT NULL, query INTEGER NOT NULL, answer INTEGER NOT NULL, entry INTEGER NOT NULL,
        seal TEXT NOT NULL, PRIMARY KEY (source, query)
    )""",
    """CREATE TABLE artifacts (
        artifact TEXT NOT NULL, entry INTEGER NOT NULL, PRIMARY KEY (artifact, entry)
    )""",
)
# The first version looked at no version, and for a column `facts`: without one it stops before it draws anything.
_FROM_FIRST = "ALTER TABLE entries RENAME COLUMN facts TO line"


class LedgerFile:
    """One database file and its witness, mode 0600."""

    def __init__(self, file: Path, secret: bytes) -> None:
        self.file, self._secret = file, secret
        if file.is_symlink():
            raise ConfigError(f"{file} is a symbolic link: the ledger stays in a real file of the workspace")
        try:
            os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
            if (mode := file.stat().st_mode & 0o777) & 0o077:
                raise ConfigError(f"{file} can be read by others (mode {mode:o}): chmod 600 it, then run again")
        except OSError as error:
            raise PateError(f"the ledger {file} cannot be opened: {error.strerror or error}") from error
        if self._version() < versions.LEDGER:
            self._bring_up_to_date()

    def _version(self) -> int:
        with self.connection() as connection:
            return self._checked_version(connection)

    def _checked_version(self, connection: sqlite3.Connection) -> int:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        try:
            return versions.not_newer(version, versions.LEDGER)
        except versions.Newer as problem:
            raise PateError(f"the ledger {self.file} {problem}") from None

    def _bring_up_to_date(self) -> None:
        """A new ledger, or one of the first version, becomes one of this; what was written stays as it was sealed."""
        with self.transaction() as connection:
            if self._checked_version(connection) == versions.LEDGER:
                return  # another process was faster
            there = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'entries'").fetchone()
            for statement in (_FROM_FIRST,) if there else _TABLES:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {versions.LEDGER}")

    # -- sealed rows --------------------------------------------------------------------------------------

    def add(self, connection: sqlite3.Connection, line: str) -> int:
        """A new entry, within a transaction."""
        (last,) = connection.execute("SELECT COALESCE(MAX(id), 0) FROM entries").fetchone()
        number = int(last) + 1
        row = (number, line, self._seal("entry", number, line), "reserved")
        connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?)", row)
        return number

    def rows(self, connection: sqlite3.Connection) -> list[tuple[int, str, str]]:
        """All entries as (number, line, status), once they are found to be all and as they were written."""
        witnessed = self._witnessed()  # before the database is read: others may be adding to both
        found = []
        for place, (number, line, seal, status) in enumerate(
            connection.execute("SELECT id, line, seal, status FROM entries ORDER BY id"), start=1
        ):
            if number != place or not _same(seal, self._seal("entry", number, line)):
                raise PateError(
                    f"{self.file}: entry {place} is missing or was changed, so what was spent is no longer known: put "
                    "the ledger back from a copy"
                )
            found.append((number, line, status))
        (counted,) = connection.execute(
            "SELECT COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'entries'), 0)"
        ).fetchone()
        if counted != len(found) or witnessed > len(found):
            raise PateError(
                f"{self.file}: entries at its end are missing, so what was spent is no longer known: it was emptied, "
                "or is an older copy; put the latest one back"
            )
        return found

    def add_answers(self, connection: sqlite3.Connection, source: str, entry: int, answers: dict[int, int]) -> None:
        rows = [(source, q, a, entry, self._seal("answer", source, q, a, entry)) for q, a in answers.items()]
        connection.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", rows)

    def answers(self, connection: sqlite3.Connection, source: str) -> dict[int, tuple[int, int]]:
        """What has been answered: query -> (answer, entry)."""
        found = {}
        rows = connection.execute("SELECT query, answer, entry, seal FROM answers WHERE source = ?", (source,))
        for query, answer, entry, seal in rows:
            if not _same(seal, self._seal("answer", source, query, answer, entry)):
                raise PateError(f"{self.file}: a recorded answer was changed: put the ledger back from a copy")
            found[query] = (answer, entry)
        return found

    def _seal(self, *parts: object) -> str:
        return hmac.new(self._secret, repr(parts).encode(), hashlib.sha256).hexdigest()[:32]

    # -- the witness --------------------------------------------------------------------------------------

    def witness(self) -> None:
        """Keep beside the database how many entries it has; under its lock, so that the number only ever grows."""
        with self.transaction() as connection:
            last = len(self.rows(connection))
            file, temporary = self._witness_file, self._witness_file.with_name(".ledger.witness")
            try:
                with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as handle:
                    handle.write(f"{last} {self._seal('entries', last)}")
                    handle.flush()
                    os.fsync(handle.fileno())
                temporary.rename(file)
                sync(file.parent)
            except OSError as error:
                raise PateError(f"{file} cannot be written: {error.strerror or error}; nothing was drawn") from error

    def _witnessed(self) -> int:
        """How many entries there were at least; a kill right after a reservation leaves it one behind."""
        try:
            number, _, seal = self._witness_file.read_text(errors="replace").partition(" ")
        except FileNotFoundError:
            return 0
        if not re.fullmatch("[0-9]{1,18}", number) or not _same(seal, self._seal("entries", int(number))):
            raise PateError(f"{self._witness_file} was changed, so what was spent is no longer known: put it back")
        return int(number)

    @property
    def _witness_file(self) -> Path:
        return self.file.with_name("ledger.witness")

    # -- SQLite -------------------------------------------------------------------------------------------

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """One writer at a time, from before it reads until it is durable."""
        with self.connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                if connection.in_transaction:  # a full disk has ended it already
                    connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """All that is read is as of one moment, whoever writes meanwhile."""
        with self.connection() as connection:
            connection.execute("BEGIN")
            yield connection

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        try:
            connection = sqlite3.connect(self.file, timeout=_PATIENCE, isolation_level=None)
            try:
                _write_ahead(connection)
                connection.execute("PRAGMA synchronous=FULL")
                yield connection
            finally:
                connection.close()
        except (sqlite3.Error, UnicodeDecodeError) as error:  # what it says of damage may be no text
            full = getattr(error, "sqlite_errorname", "").startswith("SQLITE_IOERR")
            hint = " (is the disk full?)" if full else ""
            raise PateError(f"the ledger {self.file} cannot be used: {error}{hint}; nothing more is drawn") from error


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Turn to WAL; where another process is about to, SQLite does not wait by itself."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _same(seal: object, expected: str) -> bool:
    return isinstance(seal, str) and hmac.compare_digest(seal.encode(), expected.encode())
