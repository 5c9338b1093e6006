"""The comparison as a table in the terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from pate.accounting.price import shown

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
