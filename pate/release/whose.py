"""Whose a stored model is: one that may leave, or the owner's, by where it lies and by the manifest beside it.

What cannot be told: a copy without its manifest, or with one that somebody wrote.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pate.release.withheld import withheld
from pate.workspace.artifact import fits
from pate.workspace.files import Unreadable, read_json

NO_MANIFEST = "no manifest.json beside the model: whether it, and what it answers, may leave cannot be told"
_SIDES = {"private": "the private side of a workspace", "evaluation": "a workspace's evaluations, of seeded noise"}
_KEPT = ("nonprivate", "dpsgd_publishable")  # stages whose models never left when manifests named no side; none is new


def owners(file: Path) -> str:
    """Why a model is the owner's; empty for one that may leave, as far as can be told."""
    for folder in file.resolve().parents:
        if folder.name in _SIDES and (folder.parent / "private" / "secret").exists():
            return f"it lies in {_SIDES[folder.name]}"
    try:
        told: Any = read_json(file.with_name("manifest.json"))
        side, about = told.get("side"), told["about"]
        notes = about["notes"] if fits(about["notes"], list[str]) else []
        kept = about["stage"] in _KEPT or (about["stage"] == "dpsgd" and side is None and about["seconds"] > 0)
    except (Unreadable, KeyError, TypeError, AttributeError):
        return ""  # none, or none of this program: a damaged one is refused when the model is read
    if side in _SIDES or kept:  # older manifests name no side: how long a stage took is not told of what may leave
        return f"its manifest says it comes from {_SIDES.get(side, _SIDES['private'])}"
    return withheld(notes)
