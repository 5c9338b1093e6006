"""What is known about a stage's result: how it went, and what a manifest tells, of this version and of those before."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from pate.data.labels import CLASSES_FROM_PRIVATE
from pate.release.withheld import withheld
from pate.workspace.identity import Said
from pate.workspace.stage import Stage


@dataclass(frozen=True)
class Record:
    """How one stage went."""

    key: str
    seconds: float
    memory: int | None  # bytes, the most its processes held together
    reused: bool
    summary: str
    notes: tuple[str, ...] = ()
    contents: tuple[str, ...] = ()  # keyed
    declared: Said = field(default_factory=lambda: Said("", None))  # all configuration that leads to it, as a key
    warnings: tuple[str, ...] = ()  # for the owner alone
    published: str = ""


def own_notes(stage: Stage, about: dict[str, Any]) -> list[str]:
    """What a stored artifact says by itself. Earlier versions kept it with what its inputs said then, of which only a
    stage that reads files can have found the class list."""
    return list(about.get("own", [note for note in about["notes"] if not stage.reads or note != CLASSES_FROM_PRIVATE]))


def contents_of(about: dict[str, Any]) -> tuple[str, ...]:
    """Digests of the private data a stage brought in; earlier versions kept one."""
    return tuple(about.get("contents") or ([about["content"]] if about.get("content") else []))


def summary_of(about: dict[str, Any], notes: Iterable[str]) -> str:
    """A stored summary, which may call publishable what holds of its inputs now forbids."""
    told, why = str(about["summary"]), withheld(notes)
    return told.replace(", publishable", f", {why}").replace("(publishable)", f"({why})") if why else told
