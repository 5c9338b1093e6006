"""A sweep's job that is under way, or has failed, leaves a word of it in its folder: `pate.report.sweep.unfinished`."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from hydra.errors import HydraException
from omegaconf.errors import OmegaConfBaseException

from pate.app.one_line import one_line
from pate.errors import PateError
from pate.report.files import write_owned
from pate.report.sweep.unfinished import UNFINISHED, Unfinished

_TRACEBACK = "traceback.txt"


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
