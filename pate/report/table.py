"""The comparison as a table in the terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pate.accounting.price import shown

_CLASSES = 10  # columns of a table
_TITLES = {"pate": "PATE", "dpsgd": "DP-SGD", "nonprivate": "non-private bound"}


def print_results(found: dict[str, Any]) -> None:
    """One table of methods, then the notes. An epsilon stands with its delta, its kind and whether it may leave."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 160  # a file has no edge to wrap at
    if found["pate"]["accountants"] and not any(row["accuracy"] is not None for row in found["methods"]):
        console.print(_ladder(found["pate"]["accountants"], found["methods"][0]))
    if found["methods"]:
        console.print(_table(found["methods"]))
    if any(row["by_class"] for row in found["methods"]):
        console.print(_who_pays(found["methods"]))
    if plan := found["pate"]["plan"]:
        where = "on these votes" if plan["on_votes"] else "whatever the votes"
        console.print(f"{plan['queries']} queries fit epsilon {shown(plan['target_epsilon'])}, {where}")
    for note in found["notes"]:
        console.print(f"note: {note}", soft_wrap=True, markup=False)


def _table(methods: list[dict[str, Any]]) -> Table:
    table = Table(caption=_caption(methods), caption_justify="left")
    for title in ("method", "epsilon", "delta", "holds for", "publishable epsilon", "test accuracy", "seconds"):
        table.add_column(title, justify="left" if title in ("method", "holds for") else "right")
    for row in methods:
        table.add_row(
            _TITLES.get(row["name"], row["name"]),
            _epsilon(row),
            "-" if row["delta"] is None else f"{row['delta']:g}",
            row["guarantee"] or "-",
            "-" if row["epsilon_publishable"] is None else shown(row["epsilon_publishable"]),
            _share(row["accuracy"], row["accuracy_standard_error"]),
            f"{row['seconds']:.1f}",
        )
        if row["accuracy_of_views"] is not None:
            mean = f"{row['accuracy_of_views']:.1%}"
            table.add_row("  mean of moved copies", *[""] * 4, mean, "")
    return table


def _who_pays(methods: list[dict[str, Any]]) -> Table:
    """A column a class, where they fit beside each other; else the classes with the worst student."""
    scored = [row for row in methods if row["by_class"]]
    names = list(scored[0]["by_class"])
    shown_of = scored[0]["by_class"]
    if len(names) > _CLASSES:
        names = sorted(names, key=lambda name: shown_of[name] if shown_of[name] is not None else 2)[:_CLASSES]
    which = "its own test inputs that are recognised"
    table = Table(caption=f"each class: {which}; calibration error: |confidence - accuracy|", caption_justify="left")
    table.add_column("by class")
    for name in (*names, "calibration error"):
        table.add_column(escape(name), justify="right", overflow="fold")
    for row in scored:
        shares = [row["by_class"][name] for name in names]
        cells = ["-" if share is None else f"{share:.1%}" for share in (*shares, row["calibration_error"])]
        table.add_row(_TITLES.get(row["name"], row["name"]), *cells)
    return table


def _ladder(prices: list[dict[str, Any]], pate: dict[str, Any]) -> Table:
    """Every accountant; which may be published, and which are shown as published only."""
    table = Table(caption=f"delta {pate['delta']:g}; neighbours: {pate['relation']}", caption_justify="left")
    table.add_column("accountant")
    table.add_column("epsilon", justify="right")
    for title in ("holds for", "use", "by"):
        table.add_column(title)
    for one in prices:
        owners = "the owner's; fixed queries" if one["assumes_fixed_queries"] else "the owner's"
        use = "to compare with papers" if not one["valid"] else "may be published" if one["publishable"] else owners
        table.add_row(one["accountant"], shown(one["epsilon"]), one["guarantee"], use, one["theorem"])
    return table


def _epsilon(row: dict[str, Any]) -> str:
    if row["epsilon"] is not None:
        return shown(row["epsilon"])
    return "infinite" if row["name"] == "nonprivate" else "unknown"


def _share(share: float | None, error: float | None) -> str:
    return "-" if share is None else f"{share:.1%} ± {error or 0:.1%}"


def _caption(methods: list[dict[str, Any]]) -> str:
    relations = sorted({row["relation"] for row in methods if row["relation"]})
    return "neighbours: " + "; ".join(relations) if relations else ""
