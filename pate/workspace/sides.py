"""The sides of a workspace: on which one an artifact lies, and who may read it.

workspace/private/      the owner's
workspace/release/      made from public data and through a mechanism: may leave
workspace/evaluation/   declared releasable, and seeded noise is behind it: hides nothing, so it is the owner's too
"""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Collection
from pathlib import Path
from typing import Literal

from pate.noise import SEEDED
from pate.workspace.files import Unreadable, read_json
from pate.workspace.owner import owned_folder

Side = Literal["private", "release", "evaluation"]
log = logging.getLogger("pate")


def placed(side: Side, notes: Collection[str]) -> Side:
    """Where an artifact declared for a side goes: whoever knows a seed can subtract the noise, in whatever was made
    from it."""
    return "evaluation" if side == "release" and SEEDED in notes else side


def modes(side: Side) -> tuple[int, int]:
    """Of a folder and of a file."""
    return (0o755, 0o644) if side == "release" else (0o700, 0o600)


def move_seeded(workspace: Path) -> None:
    """Workspaces of before there was an evaluation side hold seeded artifacts where what may leave lies: these go where
    they belong, once, and what manifests there tell of time and memory goes. The side is there when all is done, so
    that a kill in between is made up for."""
    there = sorted((workspace / "release").glob("[!.]*/[!.]*/manifest.json"))
    if not there and not (workspace / ".evaluation").exists():  # a new workspace: nothing to do
        owned_folder(workspace / "evaluation")
        return
    moving, moved = owned_folder(workspace / ".evaluation"), 0
    folder_mode, file_mode = modes("evaluation")
    for manifest in there:
        folder = manifest.parent
        if not folder.is_symlink() and SEEDED in _notes(manifest):
            for file in folder.iterdir():
                file.chmod(file_mode)
            folder.chmod(folder_mode)
            shutil.move(folder, owned_folder(moving / folder.parent.name) / folder.name)
            moved += 1
        else:
            _untimed(manifest)
    moving.rename(workspace / "evaluation")
    if moved:
        log.info("%d artifacts went from release/ to evaluation/ in %s: %s", moved, workspace, SEEDED)


def _untimed(manifest: Path) -> None:
    """How long a stage took and how much memory its process held, which had read private records, is the owner's."""
    try:
        told = read_json(manifest, follow=False)
        about = {key: value for key, value in told["about"].items() if key != "memory"} | {"seconds": 0.0}
    except (Unreadable, KeyError, TypeError, AttributeError):
        return
    temporary = manifest.with_name(".manifest.json")
    temporary.write_text(json.dumps(told | {"about": about}, indent=1))
    temporary.chmod(0o644)
    temporary.rename(manifest)


def _notes(manifest: Path) -> list[str]:
    """What cannot be read is not used either, wherever it lies."""
    try:
        return list(read_json(manifest, follow=False)["about"]["notes"])
    except (Unreadable, KeyError, TypeError):
        return []
