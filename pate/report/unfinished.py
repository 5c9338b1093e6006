"""What is left of a sweep's job that did not finish: its error in one line, and the command that resumes it alone."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from hydra.errors import HydraException
from omegaconf.errors import OmegaConfBaseException

from pate.artifact import fits
from pate.errors import PateError, one_line
from pate.report.files import write_owned
from pate.safe_files import Unreadable, read_json

UNFINISHED = "unfinished.json"  # in a job's folder, until it is done
_TRACEBACK = "traceback.txt"


@dataclass(frozen=True)
class Unfinished:
    """Why a job did not finish, and how to go on."""

    error: str
    resume: str


@contextmanager
def kept(folder: Path, resume: Callable[[], str]) -> Iterator[None]:
    """A job is unfinished from its first moment on: one that is killed can say nothing any more."""
    _write(folder, Unfinished("it was killed", resume()))
    try:
        yield
    except BaseException as error:
        _write(folder, Unfinished(_why(error, folder), resume()))
        raise
    done(folder)


def done(folder: Path) -> None:
    """Whatever it was, it is mended."""
    if (folder / UNFINISHED).exists():
        (folder / _TRACEBACK).unlink(missing_ok=True)
        (folder / UNFINISHED).unlink()


def read(file: Path) -> Unfinished:
    """As a job left it; a file that was damaged since says at least that there was one."""
    try:
        found = read_json(file)
    except Unreadable as problem:
        return Unfinished(f"its {file.name} {problem}", "")
    if not fits(found, dict[str, str]) or set(found) != {"error", "resume"}:
        return Unfinished(f"its {file.name} is not one of this program", "")
    return Unfinished(**found)


def told(error: BaseException) -> str:
    """An error in the words written for a reader; other words might quote a record, and only its kind is told."""
    if isinstance(error, PateError):
        return str(error)
    if isinstance(error, HydraException | OmegaConfBaseException):
        return one_line(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return "interrupted" if isinstance(error, KeyboardInterrupt) else type(error).__name__


def _why(error: BaseException, folder: Path) -> str:
    if isinstance(error, PateError | OSError | HydraException | OmegaConfBaseException | KeyboardInterrupt):
        return told(error)
    write_owned(folder / _TRACEBACK, "".join(traceback.format_exception(error)).encode())
    return f"{told(error)}, see {folder / _TRACEBACK}"


def _write(folder: Path, unfinished: Unfinished) -> None:
    write_owned(folder / UNFINISHED, json.dumps(asdict(unfinished), indent=1).encode())
