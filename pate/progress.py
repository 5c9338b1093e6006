"""Progress that fits where it is shown: a bar with time left on a terminal, plain log lines elsewhere."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

log = logging.getLogger("pate")
console = Console(stderr=True)

Advance = Callable[[int], None]
_LOG_EVERY = 10.0  # seconds between plain lines


@contextmanager
def progress(label: str, total: int, unit: str = "") -> Iterator[Advance]:
    """Yield a function to call with the number of items just finished."""
    if console.is_terminal:
        columns = (
            TextColumn("  {task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn(unit),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task(label, total=total)
            yield lambda n: bar.advance(task, n)
        return

    started = last = time.monotonic()
    done = 0

    def advance(n: int) -> None:
        nonlocal done, last
        done += n
        now = time.monotonic()
        if now - last >= _LOG_EVERY and done < total:
            last = now
            left = (now - started) / done * (total - done)
            log.info("  %s: %d of %d%s, about %.0f s left", label, done, total, unit and f" {unit}", left)

    yield advance


class LogHandler(logging.Handler):
    """Log lines through the same console as the bars, so that neither tears the other."""

    def emit(self, record: logging.LogRecord) -> None:
        console.print(self.format(record), markup=False, highlight=False, soft_wrap=True)
