"""Damage to what the workspace keeps: the ledger's file, its rows, the secret, the folders' modes."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pate.errors import PateError
from pate.ledger.ledger import Ledger
from pate.workspace.store import Store

from . import pipeline
from .child import Child
from .hooks import Hooks
from .world import World

MORE = ("labels.queries=15",)  # asks what was not asked before: it would spend


def spoiled(folder: Path, template: Path, spoil: Callable[[World], object], *words: str, extra: str = "") -> str:
    """A run in a spoiled workspace is refused in one line, before anything is drawn; healed, it is usable."""
    world = World(folder, template)
    shutil.copytree(world.private, folder / "kept")
    spoil(world)
    drawn = world.log.read_text()
    said = world.refuses(*words, overrides=(*MORE, *([extra] if extra else [])))
    assert world.log.read_text() == drawn, "something was drawn"
    heal(world)
    world.works()
    return said


def heal(world: World) -> None:
    """Put back what was kept."""
    if world.private.is_symlink():
        world.private.unlink()
    shutil.rmtree(world.private, ignore_errors=True)
    shutil.copytree(world.folder / "kept", world.private)


def statement(text: str) -> Callable[[World], object]:
    """Somebody with a database tool."""

    def run(world: World) -> None:
        connection = sqlite3.connect(world.ledger)
        connection.executescript(text)
        connection.commit()
        connection.close()

    return run


def linked(name: str) -> Callable[[World], object]:
    """A folder, or file, of the private side moved elsewhere, a link in its place."""

    def run(world: World) -> None:
        target = world.folder / "elsewhere"
        (world.workspace / name).rename(target)
        (world.workspace / name).symlink_to(target)

    return run


def mode(name: str, bits: int) -> Callable[[World], object]:
    return lambda world: (world.workspace / name).chmod(bits)


def rolled_back(folder: Path, template: Path, back: Callable[[World], object]) -> str:
    """A second release, then the ledger of before it: the run that would spend on top must notice."""
    world = World(folder, template)
    shutil.copy(world.ledger, folder / "older")
    world.works("labels.queries=14")
    assert len(world.look().entries) == 2
    back(world)
    return world.refuses(overrides=MORE)


def log_lost(folder: Path, template: Path) -> None:
    """A run is killed when it is about to draw; then the write-ahead log goes. The reservation is elsewhere by then."""
    world = World(folder, template)
    settings = pipeline.composed(*pipeline.SMALL, "labels.queries=14")
    hooks = Hooks(world.log, at=1, where="draw ", after=True)
    assert Child(partial(pipeline.quick, settings, world.workspace, (), hooks), folder / "killed").wait().killed
    for end in ("-wal", "-shm"):
        world.ledger.with_name(f"ledger.sqlite{end}").unlink(missing_ok=True)
    assert len(world.look().entries) == 2
    world.works("labels.queries=14")


def flips(folder: Path, template: Path, count: int, seed: int) -> dict[str, int]:
    """Single bits of the ledger's file turned over: noticed, or without effect on what was spent; never a crash."""
    secret, chance = Store(template).secret, random.Random(seed)
    whole = (template / "private" / "ledger.sqlite").read_bytes()
    file = folder / "ledger.sqlite"

    def read() -> tuple[object, float]:
        for left in folder.glob("ledger.sqlite-*"):
            left.unlink()
        file.chmod(0o600)
        ledger = Ledger(file, secret)
        found = [(entry.id, entry.spender, entry.release) for entry in ledger.entries()]
        return found, ledger.spent("digits", 1e-4)

    folder.mkdir(parents=True, exist_ok=True)
    file.write_bytes(whole)
    sound, told = read(), {"noticed": 0, "harmless": 0}
    for _ in range(count):
        place, bit = chance.randrange(len(whole)), chance.randrange(8)
        spoilt = bytearray(whole)
        spoilt[place] ^= 1 << bit
        file.write_bytes(spoilt)
        try:
            same = read() == sound
        except PateError:
            told["noticed"] += 1
        except Exception as problem:
            raise AssertionError(f"byte {place}, bit {bit}: {type(problem).__name__}: {problem}") from problem
        else:
            assert same, f"byte {place}, bit {bit}: what was spent reads differently, and nobody notices"
            told["harmless"] += 1
    return told
