"""How far long work has come. Whoever runs it chooses how that is shown; by default it is a log line now and then."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

log = logging.getLogger("pate")
_LOG_EVERY = 10.0  # seconds between plain lines


class Advance(Protocol):
    """Called with the number of items just finished and, if there is something new to say of them, with that."""

    def __call__(self, n: int, saying: str | None = None, /) -> None: ...


Shown = Callable[[str, int, str, int], AbstractContextManager[Advance]]


def progress(label: str, total: int, unit: str = "", before: int = 0) -> AbstractContextManager[Advance]:
    """So many items were finished `before`, by a run that was interrupted."""
    return _shown(label, total, unit, before)


def show_progress(shown: Shown) -> None:
    """From now on, in this process, like this."""
    global _shown
    _shown = shown


@contextmanager
def in_lines(label: str, total: int, unit: str, before: int) -> Iterator[Advance]:
    started = last = time.monotonic()
    done, said = before, ""

    def advance(n: int, saying: str | None = None, /) -> None:
        nonlocal done, last, said
        done += n
        said = said if saying is None else f", {saying}"
        now = time.monotonic()
        if now - last >= _LOG_EVERY and done < total:
            last = now
            left = (now - started) / (done - before) * (total - done)
            log.info("  %s: %d of %d%s, about %.0f s left%s", label, done, total, unit and f" {unit}", left, said)

    yield advance


_shown: Shown = in_lines
