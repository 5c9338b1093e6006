"""One thing asked of the program: by which settings, where its files go, and what it is part of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pate.app.bars import console
from pate.report.terminal import quiet
from pate.settings import Settings


@dataclass(frozen=True)
class Request:
    """Those of one `plan` were all fixed before the first of them was answered; `begun` takes up the stages that were
    started: to resume they need no forcing."""

    settings: Settings
    folder: Path
    overrides: Sequence[str] = ()
    plan: str = ""
    of_sweep: bool = False
    begun: set[str] = field(default_factory=set)
    flags: Sequence[str] = ()  # where settings of the owner's come from: --config-dir and the like
    sweep: Path | None = None  # the folder of the sweep it is a job of, also if it is resumed alone


def tell_place(name: str, file: Path, whose: str = "the owner's") -> None:
    """The file all of it is in: the last line, and to the quiet the only one."""
    print(file if quiet() else f"{name:<8} {file} ({whose})")


def warn_of(why: str) -> None:
    """Why something may not leave, if it may not: said to the quiet too."""
    if why:
        console.print(f"warning: {why}", markup=False, soft_wrap=True)
