"""Where people read: how loud, how wide and in which characters. Escape codes are for terminals, and not for NO_COLOR.

--quiet    errors and warnings that matter on stderr, the path of what was made on stdout, nothing else
"""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper

from rich.console import Console, RenderableType

_QUIET = "PATE_QUIET"  # in the environment: a sweep's jobs may run in processes of their own
_FILE_WIDTH = 160  # a file has no edge to wrap at


def console(stderr: bool = False) -> Console:
    """Without colour there is no bold either: no escape code at all."""
    return Console(stderr=stderr, highlight=False, color_system=None if os.environ.get("NO_COLOR") else "auto")


def page(widest: RenderableType | None = None) -> Console:
    """stdout, as wide as the terminal; a file is as wide as its widest table wants."""
    out = console()
    if not out.is_terminal:
        out.width = 1000
        out.width = _FILE_WIDTH if widest is None else max(_FILE_WIDTH, out.measure(widest).maximum)
    return out


def animated(out: Console) -> bool:
    """Whether lines may be drawn over: not in a file, on a dumb terminal, or where no escape codes are wanted."""
    return out.is_terminal and out.color_system is not None


def quiet() -> bool:
    """Whether --quiet was given."""
    return _QUIET in os.environ


def settle_terminal(arguments: list[str]) -> list[str]:
    """Take --quiet from a command line, which leaves Hydra its own; and let no encoding be too small for a table."""
    os.environ.pop(_QUIET, None)
    if "--quiet" in arguments:
        os.environ[_QUIET] = "1"
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and not stream.encoding.lower().startswith("utf"):
            stream.reconfigure(errors="replace")
    return [argument for argument in arguments if argument != "--quiet"]
