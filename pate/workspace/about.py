"""What the manifest of a stored result tells about it, of this version and of those before."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pate.data.labels import CLASSES_FROM_PRIVATE
from pate.release.withheld import withheld
from pate.workspace.stage import Stage


def own_notes(stage: Stage, about: dict[str, Any]) -> list[str]:
    """What a stored artifact says by itself. Earlier versions kept it with what its inputs said then, of which only a
    stage that reads files can have found the class list."""
    return list(about.get("own", [note for note in about["notes"] if not stage.reads or note != CLASSES_FROM_PRIVATE]))


def contents_of(about: dict[str, Any]) -> tuple[str, ...]:
    """Digests of the private data a stage brought in; earlier versions kept one."""
    return tuple(about.get("contents") or ([about["content"]] if about.get("content") else []))


def summary_of(about: dict[str, Any], notes: Iterable[str]) -> str:
    """A stored summary, which may call publishable what holds of its inputs now forbids."""
    why = withheld(notes)
    return str(about["summary"]).replace(", publishable", f", {why}" if why else ", publishable")
