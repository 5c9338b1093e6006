"""Disks: full at one operation or another, a limit on the size of files, read-only, not ours."""

from __future__ import annotations

import os
import resource
import subprocess
from pathlib import Path

from .hooks import Hooks
from .world import World, refused, small_disk

NOBODY = 65534


def fill(disk: Path) -> None:
    """Leave not a single byte."""
    file = os.open(disk / "filler", os.O_WRONLY | os.O_CREAT)
    for size in (65536, 4096, 512, 1):
        try:
            while True:
                os.write(file, b"x" * size)
        except OSError:
            pass
    os.close(file)


# where the disk is full from: part of a durable operation's name, and what is made there
POINTS = {
    "/.hydra": "the run's folder",
    "link": "the workspace's secret",
    "CREATE": "the ledger",
    "private/data/.": "the first artifact",
    ".pieces": "a teacher",
    "INSERT INTO entries": "a reservation",
    "draw ": "answers, drawn and not recorded",
    "INSERT OR REPLACE INTO answers": "answers, being recorded",
    "release/labels/.": "the labels",
    "release/student/.": "the student",
}


def full(folder: Path, where: str, at: int = 1, clear: bool = True) -> str:
    """The disk is full from this durable operation on; once there is room again, the run goes on."""
    with small_disk(folder / "disk") as disk:
        world = World(folder, disk=disk)
        outcome = world.run(hooks=Hooks(world.log, at=at, after=True, where=where, happen=lambda: fill(disk)))
        world.look()
        (disk / "filler").unlink()
        world.works()
        return refused(outcome, "No space left", "disk is full", "disk full", codes=(1,)) if clear else ""


def limited(folder: Path, where: str, size: int = 12_000) -> str:
    """From this durable operation on no file may grow beyond so many bytes; needs no root."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    world = World(folder)
    outcome = world.run(hooks=Hooks(world.log, at=1, after=True, where=where, happen=limit))
    world.look()
    world.works()
    return refused(outcome, codes=(1,))


def read_only(folder: Path, template: Path, *overrides: str) -> str:
    with small_disk(folder / "disk") as disk:
        world = World(folder, template, disk)
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        said = world.refuses("Read-only", "read-only", "readonly", overrides=("labels.queries=15", *overrides))
        subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
        world.works()
        return said


def somebody_elses(folder: Path, template: Path, *overrides: str) -> str:
    """Root's workspace, and a user who may not write there: told whose it is."""
    world = World(folder, template)
    for one in (folder, *folder.parents):
        if not one.stat().st_mode & 0o001:
            one.chmod(one.stat().st_mode | 0o011)  # so that there is a way to it

    def drop() -> None:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)

    said = world.refuses("belongs to root", first=drop, hooks=Hooks(Path(os.devnull)), overrides=overrides)
    world.works()
    return said
