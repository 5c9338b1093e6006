"""What stage=check says, in the terminal. The owner's: it tells of private rows."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

from pate.accounting.guarantee import given
from pate.data.examine import SIDES, Examined
from pate.data.labels import is_number
from pate.evaluation.outlook import Checkup, Step, told
from pate.report.terminal import page

_CLASSES = 12  # shown by name


_BY_NUMBER = "; a label that is a number is one of them by its place, from 0"


def print_checkup(found: Checkup) -> None:
    """Columns, then what there is, what matters, and what a run would do, cost and take."""
    console = page()
    seen = found.seen
    if seen.columns:
        console.print(_columns(seen))
    sizes, classes = seen.sizes, seen.classes
    named = ", ".join(classes[:_CLASSES]) + f" and {len(classes) - _CLASSES} more" * (len(classes) > _CLASSES)
    lines = [
        ("records", ", ".join(f"{sizes[side]} {side}" for side in SIDES)),
        ("classes", f"{len(classes)}: {named}{_BY_NUMBER * (not any(map(is_number, classes)))}"),
        ("people", f"{seen.people} groups in the private records" if seen.people is not None else ""),
        ("delta", _delta(found.delta, sizes["private"])),
        ("stages", _steps(found.steps)),
        *(("epsilon", line) for line in told(found.plan)),
        ("time", _time(found.steps)),
        ("disk", f"about {_bytes(found.bytes_needed)} in the workspace, {_bytes(found.bytes_free)} are free"),
    ]
    for title, line in lines:
        if line:
            console.print(f"{title:8} {line}", markup=False, soft_wrap=True)
    for line in (*found.settings, *seen.refusals, *seen.warnings):
        console.print(f"warning: {line}", markup=False, soft_wrap=True)
    if seen.refusals:
        console.print("budget=strict and stage=release refuse this until it is settled", markup=False)
    console.print("nothing was trained or drawn", markup=False)


def _columns(seen: Examined) -> Table:
    """A line a column; for each side the cells that are blank, and those that hold what is not read."""
    table = Table(title="blank cells + cells that are not read")
    table.add_column("column")
    table.add_column("kind")
    for side in SIDES:
        table.add_column(f"{side} ({seen.sizes[side]})", justify="right")
    table.add_column("identifier?")
    for one in seen.columns:
        kind = one["kind"] + (f" ({one['categories']})" if one["kind"] == "category" else "")
        cells = [f"{one['blank'][side]} + {one['unread'][side]}" for side in SIDES]
        table.add_row(
            escape(one["name"]), kind, *("-" if cell == "0 + 0" else cell for cell in cells), one["identifier"]
        )
    return table


def _delta(delta: float, records: int) -> str:
    if not records:
        return given(delta)
    return f"{given(delta)}, {'below' if delta < 1 / records else 'NOT below'} 1/{records}"


def _steps(steps: list[Step]) -> str:
    new = [one.stage + " (draws noise)" * one.draws for one in steps if not one.reused]
    kept = sum(one.reused for one in steps)
    return f"{', '.join(new) or 'none'} would run; {kept} are stored already"


def _time(steps: list[Step]) -> str:
    """What is known, and what is not."""
    new = [one for one in steps if not one.reused]
    known = sum(one.seconds for one in new if one.seconds is not None)
    unknown = [one.stage for one in new if one.seconds is None]
    if not new:
        return "every stage is stored"
    basis = "roughly, on two cores" if any(one.rough for one in new) else "as the last time"
    rest = f", besides {', '.join(unknown)}, which nobody knows before it has run once" if unknown else ""
    return f"about {_seconds(known)} ({basis}){rest}"


def _seconds(seconds: float) -> str:
    return f"{max(1, round(seconds))} s" if seconds < 120 else f"{round(seconds / 60)} min"


def _bytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{max(1, round(size / 1e6))} MB"
