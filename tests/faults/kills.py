"""Kills: a run is ended by SIGKILL at some instant, perhaps several times over, then resumed to its end.

A trial is fixed by its kind, its number and the seed; only which instruction an instant hits is the clock's choice.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from . import pipeline
from .child import Child, Outcome
from .hooks import Hooks, drawn
from .invariants import Violation, look, predictions_of, results_are_whole

PROCESS = [sys.executable, "-c", "from pate.app.cli import main; main()"]


@dataclass
class Kind:
    """A kind of run to be killed. One that is `forced` starts from a finished workspace and draws afresh."""

    name: str
    overrides: tuple[str, ...] = pipeline.SMALL
    forced: tuple[str, ...] = ()
    seconds: float = 0.0  # of a run that is left alone
    operations: list[str] = field(default_factory=list)
    template: Path | None = None  # finished and undisturbed
    predictions: np.ndarray | None = None


@dataclass
class Trial:
    """What happened: the kills, and what was recorded and drawn in the end."""

    kind: str
    instants: list[str]
    kills: int = 0
    recorded: int = 0
    drawn: int = 0
    litter: list[str] = field(default_factory=list)
    seconds: float = 0.0
    violation: str = ""


def prepare(kind: Kind, folder: Path) -> Kind:
    """Run it undisturbed: in this process, whose children then find every table made, and to list its operations."""
    settings = pipeline.composed(*kind.overrides)
    kind.template, log = folder / f"{kind.name}-template", folder / f"{kind.name}.log"
    if "stage=dpsgd" in kind.overrides:  # torch stays out of this process
        _finish(Child(partial(pipeline.quick, settings, kind.template, (), Hooks(log)), folder / "output"))
    else:
        umask = os.umask(0o077)
        pipeline.quick(settings, kind.template)
        os.umask(umask)
        log.write_text(f"{look(kind.template, log, complete=True).reserved}\n")
        kind.predictions = predictions_of(kind.template)
    for attempted in ("warm", "timed"):
        workspace, log, trace = (folder / f"{kind.name}-{attempted}{end}" for end in ("", ".log", ".trace"))
        if kind.forced:
            _copy(kind, workspace, log)
        hooks, started = Hooks(log, trace=trace), time.monotonic()
        _finish(Child(partial(pipeline.quick, settings, workspace, kind.forced, hooks), folder / "output"))
        kind.seconds = time.monotonic() - started
        kind.operations = trace.read_text().splitlines()
    return kind


def points(kind: Kind, chance: random.Random) -> list[str]:
    """Every instant just before and just after a durable operation (`b17`, `a17`), shuffled."""
    found = [f"{side}{number}" for number in range(1, len(kind.operations) + 1) for side in "ba"]
    chance.shuffle(found)
    return found


def moment(kind: Kind, chance: random.Random) -> str:
    """Any instant of a run, in seconds after its start (`t0.1234`)."""
    return f"t{chance.uniform(0, kind.seconds):.4f}"


def attempt(kind: Kind, when: list[str], folder: Path) -> Trial:
    """Kill at these instants, one run after the other, checking after each; then let it finish, and run it again."""
    trial, started = Trial(kind.name, when), time.monotonic()
    workspace, log, output = folder / "workspace", folder / "drawn", folder / "output"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if kind.forced:
        _copy(kind, workspace, log)
    settings = pipeline.composed(*kind.overrides)
    try:
        for number, instant in enumerate(when):
            force = kind.forced if number == 0 else ()
            trial.kills += _killed(partial(pipeline.quick, settings, workspace, force), log, instant, output)
            look(workspace, log, kind.predictions)
        _finish(Child(partial(pipeline.quick, settings, workspace, (), Hooks(log)), output))
        done = look(workspace, log, kind.predictions, complete=True)
        _finish(Child(partial(pipeline.quick, settings, workspace, (), Hooks(log)), output))
        again = look(workspace, log, kind.predictions, complete=True)
        if (again.entries, again.answers) != (done.entries, done.answers):
            raise Violation("a run after the end spent something")
        results_are_whole(workspace)
        trial.recorded, trial.drawn, trial.litter = again.reserved, drawn(log), again.litter
    except Exception as problem:
        trial.violation = f"{type(problem).__name__}: {problem}"
    trial.seconds = time.monotonic() - started
    return trial


def attempt_process(kind: Kind, instant: float, folder: Path) -> Trial:
    """The same with a real `pate` process, killed so many seconds after its start."""
    trial, started = Trial(kind.name, [f"p{instant:.3f}"]), time.monotonic()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    workspace, log = folder / "workspace", folder / "drawn"
    settings = pipeline.composed(*kind.overrides)
    try:
        process = subprocess.Popen(
            [*PROCESS, *kind.overrides, f"workspace={workspace}"], cwd=folder, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        try:
            process.wait(instant)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            trial.kills = int(process.wait() == -signal.SIGKILL)
        look(workspace, log, kind.predictions)
        _finish(Child(partial(pipeline.quick, settings, workspace, (), Hooks(log)), folder / "output"))
        done = look(workspace, log, kind.predictions, complete=True)
        trial.recorded, trial.drawn, trial.litter = done.reserved, drawn(log), done.litter
    except Exception as problem:
        trial.violation = f"{type(problem).__name__}: {problem}"
    trial.seconds = time.monotonic() - started
    return trial


def _killed(work: partial[int], log: Path, instant: str, output: Path) -> bool:
    """Start it and kill it at this instant; False if it was over before."""
    if instant[0] == "t":
        child, deadline = Child(partial(work, Hooks(log)), output), time.monotonic() + float(instant[1:])
        while child.running() and (left := deadline - time.monotonic()) > 0:
            time.sleep(min(left, 0.02))
        child.kill()
    else:
        child = Child(partial(work, Hooks(log, at=int(instant[1:]), after=instant[0] == "a")), output)
    ended = child.wait()
    if not ended.killed and ended.code:
        raise Violation(f"a run that was to be killed failed by itself: {ended.said}")
    return ended.killed


def _copy(kind: Kind, workspace: Path, log: Path) -> None:
    assert kind.template is not None
    shutil.copytree(kind.template, workspace, symlinks=True)
    shutil.copy(kind.template.parent / f"{kind.name}.log", log)


def _finish(child: Child) -> Outcome:
    ended = child.wait()
    if ended.code:
        raise Violation(f"a run that was left alone ended with exit code {ended.code}: {ended.said}")
    return ended
