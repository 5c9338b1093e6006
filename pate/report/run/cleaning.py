"""What may go from a workspace, as a table: a line each, and how much room all of it makes."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

from pate.report.terminal import page
from pate.workspace.clean import Cleaning

_UNITS = ("bytes", "KB", "MB", "GB", "TB")


def print_cleaning(found: Cleaning) -> None:
    console, items = page(), found.items
    if not items:
        console.print("nothing to clean: runs refer to all there is, or it was drawn and stays")
        return
    table = Table(show_footer=True)
    table.add_column("what", "together")
    table.add_column("where", found.workspace, overflow="fold")
    table.add_column("size", size(found.bytes), justify="right")
    for one in items:
        table.add_row(escape(one.what), escape(one.path), size(one.bytes))
    console.print(table)
    if found.removed:
        console.print("removed")
    else:
        console.print("nothing was removed: clean.yes=true does it; what was drawn from private data is not among it")
    console.print(
        "a run that needs any of it makes it again; with the same libraries it is the same, so nothing is redrawn"
    )


def size(count: float) -> str:
    """Bytes for reading."""
    for unit in _UNITS:
        if count < 1000 or unit == _UNITS[-1]:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    raise AssertionError
