"""Progress that fits where it is shown: a bar with time left on a terminal, plain log lines elsewhere."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from pate.terminal import animated, quiet
from pate.terminal import console as terminal

log = logging.getLogger("pate")
console = terminal(stderr=True)
_LOG_EVERY = 10.0  # seconds between plain lines


class Advance(Protocol):
    """Called with the number of items just finished and, if there is something new to say of them, with that."""

    def __call__(self, n: int, saying: str | None = None, /) -> None: ...


class _Bar(Progress):
    """With what there is to say in a line below, where it leaves the bar its place."""

    saying = ""

    def get_renderables(self) -> Iterator[RenderableType]:
        yield from super().get_renderables()
        if self.saying:
            yield Text(f"  {self.saying}")


@contextmanager
def progress(label: str, total: int, unit: str = "", before: int = 0) -> Iterator[Advance]:
    """A bar, or a line now and then; so many items were finished `before`, by a run that was interrupted."""
    if animated(console) and not quiet():
        columns = (
            TextColumn("  {task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn(unit),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
        )
        with _Bar(*columns, console=console, transient=True) as bar:
            task = bar.add_task(label, total=total, completed=before)

            def move(n: int, saying: str | None = None, /) -> None:
                bar.saying = bar.saying if saying is None else saying
                bar.advance(task, n)

            yield move
        return

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


class LogHandler(logging.Handler):
    """Log lines through the same console as the bars, so that neither tears the other; --quiet keeps warnings."""

    def emit(self, record: logging.LogRecord) -> None:
        if quiet() and record.levelno < logging.WARNING:
            return
        console.print(self.format(record), markup=False, highlight=False, soft_wrap=True)
