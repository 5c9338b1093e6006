"""Progress that fits where it is shown: a bar with time left on a terminal, plain log lines elsewhere."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from rich.console import RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from pate.progress import Advance, in_lines
from pate.report.terminal import animated, quiet
from pate.report.terminal import console as terminal

console = terminal(stderr=True)


class _Bar(Progress):
    """With what there is to say in a line below, where it leaves the bar its place."""

    saying = ""

    def get_renderables(self) -> Iterator[RenderableType]:
        yield from super().get_renderables()
        if self.saying:
            yield Text(f"  {self.saying}")


@contextmanager
def in_bars(label: str, total: int, unit: str, before: int) -> Iterator[Advance]:
    """A bar where one can be drawn."""
    if not animated(console) or quiet():
        with in_lines(label, total, unit, before) as advance:
            yield advance
        return
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


_said: ContextVar[set[str] | None] = ContextVar("said", default=None)


@contextmanager
def once(said: set[str]) -> Iterator[None]:
    """Of what is done many times over the terminal has the warnings alone, each once: `said` are those so far."""
    token = _said.set(said)
    try:
        yield
    finally:
        _said.reset(token)


class LogHandler(logging.Handler):
    """Log lines through the same console as the bars, so that neither tears the other; --quiet keeps warnings."""

    def emit(self, record: logging.LogRecord) -> None:
        said = _said.get()
        if (quiet() or said is not None) and record.levelno < logging.WARNING:
            return
        if said is not None:
            if record.getMessage() in said:
                return
            said.add(record.getMessage())
        console.print(self.format(record), markup=False, highlight=False, soft_wrap=True)
