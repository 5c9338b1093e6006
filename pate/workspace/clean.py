"""clean: what lies in a workspace that no run refers to any more and that can be made again. Never what was drawn.

What the ledger has an entry for stays (labels, DP-SGD models, sanitised epsilons, a training under way): drawn again,
it would be another answer and spend again. Seeded draws come out the same again, and may go. The ledger, the secret,
what was published, runs and sweeps are not looked at.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pate.errors import ConfigError
from pate.ledger.ledger import Ledger
from pate.workspace.files import Unreadable, read_json
from pate.workspace.store import Store, take_away

_SIDES = ("private", "release", "evaluation")
_STORED = re.compile(r"(?P<half>\.)?(?P<key>[0-9a-f]{32})(?P<rest>\.pieces|-.*)?")


@dataclass(frozen=True)
class Left:
    """Something that may go."""

    what: str
    path: Path

    def files(self) -> list[Path]:
        return [file for file in self.path.rglob("*") if file.is_file()] if self.path.is_dir() else [self.path]


@dataclass(frozen=True)
class Item:
    """The same, as it is told: where within the workspace, and how much room it takes."""

    what: str
    path: str
    bytes: int


@dataclass(frozen=True)
class Cleaning:
    """What may go, or has gone; clean.json is this as it stands here."""

    workspace: str
    items: list[Item]
    bytes: int
    removed: bool


def clean(workspace: Path, remove: bool) -> Cleaning:
    """What would go, with how much room that makes, or has gone; refused while a run is at work."""
    store = Store(workspace)
    with store.alone():
        found = [*_artifacts(store, Ledger.of(store)), *_errors(store.root)]
        sizes = _freed(found)
        for one in found if remove else ():
            _take_away(one)
    items = [
        Item(one.what, str(one.path.relative_to(store.root)), size) for one, size in zip(found, sizes, strict=True)
    ]
    return Cleaning(str(workspace), items, sum(sizes), remove)


def _artifacts(store: Store, ledger: Ledger) -> Iterator[Left]:
    drawn, referred = ledger.drawn(), {f"{stage}/{key}" for stage, key in _referred(store.root)}
    for side in _SIDES:
        for stage in sorted((store.root / side).iterdir()):
            for entry in sorted(stage.iterdir()) if stage.is_dir() and not stage.is_symlink() else ():
                named = _STORED.fullmatch(entry.name)
                if named is None or entry.is_symlink() or not entry.is_dir():
                    continue
                name = f"{stage.name}/{named['key']}"
                if named["half"]:
                    yield Left(f"{stage.name}: a write that was killed", entry)
                elif named["rest"] == ".pieces" and name not in drawn:
                    yield Left(f"{stage.name}: pieces of a run that was killed", entry)
                elif not named["rest"] and name not in drawn | referred:
                    yield Left(stage.name, entry)


def _errors(workspace: Path) -> Iterator[Left]:
    """What errors said, if a run has finished since."""
    last = max((file.stat().st_mtime for file in _results(workspace)), default=0.0)
    for file in sorted((workspace / "private").glob("errors/*.txt")):
        if file.lstat().st_mtime < last:
            yield Left("what an error said", file)


def _referred(workspace: Path) -> Iterator[tuple[str, str]]:
    """The artifacts of all runs that are still there."""
    for file in _results(workspace):
        try:
            yield from ((str(stage), str(made["key"])) for stage, made in read_json(file)["stages"].items())
        except (Unreadable, KeyError, TypeError, AttributeError):
            raise ConfigError(f"{file} cannot be read, so what it refers to is not known: take its run away") from None


def _results(workspace: Path) -> list[Path]:
    return [file for kind in ("runs", "sweeps") for file in sorted((workspace / kind).rglob("results.json"))]


def _freed(found: list[Left]) -> list[int]:
    """Bytes each one frees: a file that others share counts with the last of those that go, and not if one stays."""
    stats = [[file.lstat() for file in one.files()] for one in found]
    names = Counter(stat.st_ino for some in stats for stat in some)
    freed, left = [], Counter(names)
    for some in stats:
        left.subtract(stat.st_ino for stat in some)
        last = {stat.st_ino: stat for stat in some if left[stat.st_ino] == 0 and names[stat.st_ino] >= stat.st_nlink}
        freed.append(sum(stat.st_size for stat in last.values()))
    return freed


def _take_away(one: Left) -> None:
    if one.path.is_file():
        one.path.unlink()
    elif one.path.name.startswith("."):
        shutil.rmtree(one.path)
    else:
        take_away(one.path)
