"""Runs in forked processes: a warm parent has imported everything, so that a run costs what the run itself costs.

Each child has a session of its own (its workers die with it), its output goes to a file, and it never returns.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

CRASHED = 70  # an exception nobody caught


@dataclass
class Outcome:
    """How a child ended: its exit code (minus the signal that ended it), and all it said."""

    code: int
    said: str

    @property
    def killed(self) -> bool:
        return self.code == -signal.SIGKILL

    def one_line(self) -> str:
        """The message of a run that failed; anything but one clear line is a violation."""
        lines = [line for line in self.said.splitlines() if line.startswith("pate: ")]
        if "Traceback" in self.said or "--- Logging error" in self.said:
            raise AssertionError(f"a traceback:\n{self.said}")
        if len(lines) != 1:
            raise AssertionError(f"not one line that says what is wrong, exit code {self.code}:\n{self.said}")
        return lines[0]


class Child:
    """One forked run."""

    def __init__(self, work: Callable[[], int | None], output: Path) -> None:
        self.output, self._status = output, None
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        self.pid = os.fork()
        if self.pid == 0:
            _become(work, output)

    def kill(self) -> None:
        """End the child and every process it started."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            if self.running():  # it had no time to make a session of its own
                os.kill(self.pid, signal.SIGKILL)

    def running(self) -> bool:
        if self._status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self._status = status if pid else None
        return self._status is None

    def wait(self, seconds: float = 600) -> Outcome:
        """Its outcome; one that hangs is killed and reported."""
        deadline, pause = time.monotonic() + seconds, 0.001
        while self.running():
            if time.monotonic() > deadline:
                self.kill()
                os.waitpid(self.pid, 0)
                raise AssertionError(f"still running after {seconds} s:\n{self.output.read_text()}")
            time.sleep(pause)
            pause = min(pause * 1.5, 0.02)
        said = self.output.read_text(errors="replace") if self.output.exists() else ""
        return Outcome(os.waitstatus_to_exitcode(self._status or 0), said)


def _become(work: Callable[[], int | None], output: Path) -> None:
    code = CRASHED
    try:
        os.setsid()
        file = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        empty = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((empty, 0), (file, 1), (file, 2)):
            os.dup2(source, target)
        sys.stdout, sys.stderr = (open(number, "w", buffering=1, closefd=False) for number in (1, 2))  # noqa: SIM115
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        code = work() or 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)
