"""What a machine does to a run: a locked ledger, a second run, a clock that goes backwards, a worker that dies."""

from __future__ import annotations

import datetime
import functools
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import hydra.core.utils

import pate.ledger.ledger

from . import pipeline
from .child import Child, Outcome
from .hooks import Hooks, drawn
from .world import World, refused

DYING = """
import os, signal, time
from dataclasses import dataclass
import numpy as np
from pate.teachers.ensemble import Teachers

@dataclass(frozen=True)
class Dying(Teachers):
    def predict_one(self, x, y, public, classes, seed):
        if os.path.exists("die"):
            os.unlink("die")
            os.kill(os.getpid(), signal.SIGKILL)
        return np.random.default_rng(seed).integers(classes, size=len(public))
"""


def _hold(file: Path, seconds: float, ready: Path) -> int:
    """In a process of its own: SQLite's locks do not survive a fork."""
    holder = sqlite3.connect(file, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    ready.touch()
    time.sleep(seconds)
    holder.execute("ROLLBACK")
    holder.close()
    return 0


def _held(world: World, seconds: float) -> Child:
    ready = world.folder / "held"
    child = Child(partial(_hold, world.ledger, seconds, ready), world.folder / "holder")
    while not ready.exists():
        time.sleep(0.01)
    return child


def locked(folder: Path, template: Path, patience: float = 0.5) -> str:
    """Another process holds the ledger for longer than a run waits."""
    world = World(folder, template)
    holder, before = _held(world, 3600), world.log.read_text()
    try:
        said = world.refuses("locked", overrides=("labels.queries=15",), first=partial(_impatient, patience))
    finally:
        holder.kill()
        holder.wait()
    assert world.log.read_text() == before, "something was drawn"
    world.works()
    return said


def locked_a_while(folder: Path, template: Path, seconds: float = 1.5) -> None:
    """One that lets go in time is waited for."""
    world = World(folder, template)
    holder = _held(world, seconds)
    outcome = world.quick("labels.queries=15")
    assert outcome.code == 0, outcome.said
    assert holder.wait().code == 0
    world.look(complete=True)


def two_at_once(folder: Path) -> None:
    """Two runs of one workspace: one draw, two results, both whole."""
    world, settings = World(folder), pipeline.composed(*pipeline.SMALL)
    work = partial(pipeline.quick, settings, world.workspace, (), Hooks(world.log))
    both = [Child(work, folder / f"both-{number}") for number in range(2)]
    outcomes = [child.wait() for child in both]
    assert [outcome.code for outcome in outcomes] == [0, 0], outcomes
    assert drawn(world.log) == 12
    assert len(list(world.workspace.glob("runs/*/results.json"))) == 2
    world.look(complete=True)


def clock(folder: Path, template: Path, *instants: Callable[[], datetime.datetime]) -> list[str]:
    """Runs that each draw afresh, each by a clock of its own; the names of their folders."""
    world = World(folder, template)
    before = {one.name for one in (world.workspace / "runs").iterdir()}
    for instant in instants:
        outcome = world.run("force=[labels]", first=partial(_clock, instant))
        assert outcome.code == 0, outcome.said
    entries = world.look(complete=True).entries
    assert [entry.id for entry in entries] == list(range(1, len(instants) + 2))
    folders = sorted({one.name for one in (world.workspace / "runs").iterdir()} - before)
    assert len(folders) == len(instants), f"{len(instants)} runs share {len(folders)} folders: {folders}"
    assert len({entry.spender.run for entry in entries}) == len(entries), "two runs have one name in the ledger"
    return folders


def worker_dies(folder: Path) -> str:
    """A worker process is killed while it trains a teacher."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mine" / "teachers").mkdir(parents=True)
    (folder / "mine" / "dying.py").write_text(DYING)
    (folder / "mine" / "teachers" / "dying.yaml").write_text("_target_: dying.Dying\ncount: 6\n")
    (folder / "die").touch()
    command = [
        sys.executable, "-c", "from pate.app.cli import main; main()", "--config-dir", "mine", "teachers=dying",
        "stage=teachers", "n_jobs=2",
    ]  # fmt: skip
    environment = os.environ | {"PYTHONPATH": f"{folder / 'mine'}:{os.environ.get('PYTHONPATH', '')}"}
    run = partial(subprocess.run, command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
    first = run()
    assert not (folder / "die").exists()
    again = run()
    assert again.returncode == 0, again.stderr
    return refused(Outcome(first.returncode, first.stderr), "Worker", "worker", codes=(1,))


def suspended(folder: Path) -> None:
    """A run that is stopped for a while, as by a laptop's lid, goes on."""
    world = World(folder)
    child = world.start()
    time.sleep(0.7)
    os.kill(child.pid, signal.SIGSTOP)
    time.sleep(1)
    os.kill(child.pid, signal.SIGCONT)
    assert child.wait().code == 0
    world.look(complete=True)


def _impatient(seconds: float) -> None:
    """Two minutes are too long for a test."""
    connect = sqlite3.connect

    @functools.wraps(connect)
    def patient(*arguments: object, timeout: float = 5, **options: object) -> sqlite3.Connection:
        return connect(*arguments, timeout=min(timeout, seconds), **options)

    sqlite3.connect = patient


def _clock(instant: Callable[[], datetime.datetime]) -> None:
    class Clock(datetime.datetime):
        @classmethod
        def now(cls, zone: datetime.tzinfo | None = None) -> datetime.datetime:
            return instant().astimezone(zone) if zone else instant()

    hydra.core.utils.datetime = pate.ledger.ledger.datetime = Clock
    time.time = lambda: instant().timestamp()
