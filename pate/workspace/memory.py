"""How much memory a piece of work takes: the most its processes hold together, looked at twenty times a second.

Linux only; elsewhere it is unknown. Pages that several processes share count in each of them.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_EVERY = 0.05  # seconds


@contextmanager
def peak_memory() -> Iterator[Callable[[], int | None]]:
    """Watches while it is open; what it yields tells the largest number of bytes seen so far."""
    largest, over = resident(), threading.Event()

    def look() -> int | None:
        nonlocal largest
        largest = max(largest, resident())  # whoever asks has looked too: what was told once is not forgotten
        return largest or None

    def watch() -> None:
        while not over.wait(_EVERY):
            look()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield look
    finally:
        over.set()
        watcher.join()


def resident() -> int:
    """Bytes this process and its descendants hold in memory; 0 where that cannot be told."""
    page, total, left = os.sysconf("SC_PAGE_SIZE"), 0, [os.getpid()]
    while left:
        process = Path("/proc") / str(left.pop())
        with suppress(OSError, ValueError, IndexError):  # it may have ended meanwhile
            total += int((process / "statm").read_text().split()[1]) * page
            for thread in (process / "task").iterdir():
                left += map(int, (thread / "children").read_text().split())
    return total
