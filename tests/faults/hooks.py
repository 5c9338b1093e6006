"""What is put into a child before it runs: a count of everything it makes durable, a kill at one of them, and a log of
draws that is no part of the ledger."""

from __future__ import annotations

import functools
import os
import signal
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_fsync, _write = os.fsync, os.write
_OPERATIONS = ("fsync", "rename", "replace", "link", "unlink", "rmdir", "mkdir")
_CHANGES = ("BEGIN", "COMMIT", "INSERT", "UPDATE", "CREATE")


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@dataclass
class Hooks:
    """Kills this process just before (or just `after`) its durable operation number `at`; 0 only counts them. Instead
    of a kill, anything may happen there."""

    log: Path  # of draws: their numbers of rows, synced before the draw returns
    at: int = 0
    after: bool = False
    where: str = ""  # count only operations on what is called so
    trace: Path | None = None  # where to list the operations
    happen: Callable[[], None] = _die
    count: int = 0

    def install(self, *draws: tuple[type, str, Callable[..., int]]) -> None:
        """Wrap what makes things durable, and the methods that draw; `rows(...)` says how much a call draws."""
        for name in _OPERATIONS:
            setattr(os, name, self._around(name, getattr(os, name)))
        sqlite3.connect = functools.partial(sqlite3.connect, factory=self._connection())
        for kind, method, rows in draws:
            setattr(kind, method, self._around("draw", self._logged(getattr(kind, method), rows)))

    def _around(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def counted(*arguments: Any, **options: Any) -> Any:
            if name == "mkdir" and os.path.lexists(arguments[0]):
                return function(*arguments, **options)  # changes nothing
            line = f"{name} {' '.join(str(arguments[0]).split()) if name != 'draw' else ''}"
            self.count += self.where in line
            mine = self.count if self.where in line else -1
            self._note(f"{mine} {line}")
            if mine == self.at and not self.after:
                self.happen()
            found = function(*arguments, **options)
            if mine == self.at and self.after:
                self.happen()
            return found

        return counted

    def _logged(self, draw: Callable[..., Any], rows: Callable[..., int]) -> Callable[..., Any]:
        @functools.wraps(draw)
        def logged(*arguments: Any, **options: Any) -> Any:
            number = rows(*arguments, **options)
            file = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            _write(file, f"{number}\n".encode())
            _fsync(file)
            os.close(file)
            return draw(*arguments, **options)

        return logged

    def _connection(self) -> type[sqlite3.Connection]:
        hooks = self

        class Connection(sqlite3.Connection):
            def execute(self, statement: str, *rest: Any) -> sqlite3.Cursor:
                return self._counted(super().execute, statement, *rest)

            def executemany(self, statement: str, *rest: Any) -> sqlite3.Cursor:
                return self._counted(super().executemany, statement, *rest)

            def executescript(self, statement: str) -> sqlite3.Cursor:
                for part in statement.split(";"):  # each is durable by itself
                    self.execute(part)
                return self.cursor()

            def _counted(self, function: Callable[..., Any], statement: str, *rest: Any) -> Any:
                word = (statement.split() or [""])[0]
                return (hooks._around(word, function) if word in _CHANGES else function)(statement, *rest)

        return Connection

    def _note(self, line: str) -> None:
        if self.trace is not None:
            with open(self.trace, "a") as file:
                file.write(f"{line}\n")


def drawn(log: Path) -> int:
    """All that was ever drawn in a workspace, whatever its ledger says."""
    return sum(int(line) for line in log.read_text().split()) if log.exists() else 0
