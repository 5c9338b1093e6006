"""What is left of a sweep's job that did not finish: its error in one line, and the command that resumes it alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pate.workspace.artifact import fits
from pate.workspace.files import Unreadable, read_json

UNFINISHED = "unfinished.json"  # in a job's folder, until it is done


@dataclass(frozen=True)
class Unfinished:
    """Why a job did not finish, and how to go on."""

    error: str
    resume: str


def read(file: Path) -> Unfinished:
    """As a job left it; a file that was damaged since says at least that there was one."""
    try:
        found = read_json(file)
    except Unreadable as problem:
        return Unfinished(f"its {file.name} {problem}", "")
    if not fits(found, dict[str, str]) or set(found) != {"error", "resume"}:
        return Unfinished(f"its {file.name} is not one of this program", "")
    return Unfinished(**found)
