"""The ledger for reading: what each account has released, and what that costs together. The owner's page."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Group
from rich.markup import escape
from rich.table import Table

from pate.accounting.filter import ORDERS, composed, fixed_in_advance
from pate.accounting.guarantee import shown
from pate.ledger.ledger import Budget, Entry, Ledger, relation, total
from pate.noise import SEEDED
from pate.report.terminal import page

_RULES = {
    "renyi": "a filter on Renyi divergences (Feldman & Zrnic 2021, Thm 3.1)",
    "basic": "epsilons and deltas add up (Rogers et al. 2016)",
}
ALONE = "a single release, by its own accountant"


def summary(ledger: Ledger, account: str | None = None, budget: Budget | None = None) -> dict[str, Any]:
    """Everything as JSON, of one account or of all; totals under one neighbouring relation for all mechanisms.

    A total for every data set is the least budget that, fixed in advance, would have let all releases through, however
    each was chosen. One for this data set is given per plan (a run, or a sweep, whose settings were all fixed before
    its first answer), and for the account if it has a single plan. `budget` is that of the account.
    """
    entries = ledger.entries()
    names = sorted({entry.spender.account for entry in entries})
    shown_ones = [name for name in names if account in (None, name)]
    return {
        "accounts": [
            _account(name, [entry for entry in entries if entry.spender.account == name], budget) for name in shown_ones
        ],
        "entries": [_line(entry) for entry in entries if entry.spender.account in shown_ones],
        "asked": account,
        "known": names,
    }


def print_ledger(found: dict[str, Any]) -> None:
    """A table an account: its releases, then their totals."""
    console = page()
    if not found["known"]:
        console.print("nothing was released: the ledger is empty")
    elif not found["accounts"]:
        there = ", ".join(found["known"])
        console.print(f"account {found['asked']} has released nothing; this workspace has {there}", markup=False)
    for account in found["accounts"]:
        lines = [line for line in found["entries"] if line["account"] == account["name"]]
        console.print(Group(_table(account, lines), *_totals(account)))


def write_ledger(found: dict[str, Any], file: Path) -> None:
    file.write_text(json.dumps(finite(found), indent=1, allow_nan=False))
    file.chmod(0o600)


def _account(name: str, entries: Sequence[Entry], budget: Budget | None) -> dict[str, Any]:
    spent = [entry for entry in entries if entry.spent]
    delta = budget.delta if budget else max((entry.release.cost.delta for entry in spent), default=None)
    plans: dict[str, list[Entry]] = {}
    for entry in spent:
        plans.setdefault(entry.spender.plan, []).append(entry)
    epsilon, rule = total(spent, delta) if delta is not None else (0.0, "renyi")
    why = _withheld(spent)
    return {
        "name": name,
        "releases": len(spent),
        "epsilon": epsilon,
        "delta": delta,
        "relation": relation(entry.release for entry in spent),
        "publishable": not why,
        "withheld": why,
        "theorem": ALONE if len(spent) == 1 and rule == "basic" else _RULES[rule],
        "budget": _left(spent, budget) if budget and budget.epsilon is not None else None,
        "plans": [_plan(plan, own, delta) for plan, own in plans.items()],
        "this_data_set": _owners(spent, delta) if len(plans) == 1 else None,
        "evaluations": sum(entry.spender.scope == "evaluation" for entry in entries),
        "kept": sum(entry.spender.scope == "owner" for entry in entries),
    }


def _plan(plan: str, own: Sequence[Entry], delta: float | None) -> dict[str, Any]:
    """What a run or a sweep released: its price on these data, and on every data set."""
    every = total(own, delta)[0] if delta is not None else None
    whole = {"epsilon": every, "delta": delta, "relation": relation(one.release for one in own)}
    whole |= {"publishable": not _withheld(own), "withheld": _withheld(own)}
    return {"plan": plan, "releases": len(own)} | _owners(own, delta) | {"every_data_set": whole}


def _withheld(entries: Sequence[Entry]) -> str:
    """Why no total of these may be published: what voids one of them voids the sum."""
    return "; ".join(dict.fromkeys(entry.withheld for entry in entries if entry.withheld))


def _left(spent: Sequence[Entry], budget: Budget) -> dict[str, Any]:
    """What remains of a budget, by the rule that refuses: the account's."""
    assert budget.epsilon is not None
    used = composed([entry.release.cost for entry in spent], budget.delta, spent[0].rule) if spent else 0.0
    return {"epsilon": budget.epsilon, "delta": budget.delta, "remaining": max(budget.epsilon - used, 0.0)}


def _line(entry: Entry) -> dict[str, Any]:
    release, cost, spender = entry.release, entry.release.cost, entry.spender
    return {
        "id": entry.id,
        "account": spender.account,
        "kind": release.kind,
        "scope": spender.scope,
        "status": entry.status,
        "mechanism": release.mechanism,
        "parameters": release.parameters,
        "relation": release.relation,
        "epsilon": cost.epsilon,
        "delta": cost.delta,
        "publishable": entry.spent and not entry.withheld,
        "pure_epsilon": cost.pure,
        "this_data_set": _owners([entry], cost.delta),
        "cost": asdict(cost) | {"orders": list(ORDERS)},
        "artifact": spender.artifact,
        "run": spender.run,
        "plan": spender.plan,
        "time": entry.time,
        "forced": bool(spender.forced),
        "budget": asdict(entry.budget),
    }


def _owners(entries: Sequence[Entry], delta: float | None) -> dict[str, Any]:
    """The price on these very data; null if something was asked for after seeing answers, or is beyond exact
    computation."""
    curves = [entry.release.dependent for entry in entries if entry.release.dependent is not None]
    told = {"delta": delta, "relation": relation(entry.release for entry in entries), "publishable": False}
    if not entries or delta is None or len(curves) < len(entries):
        return {"epsilon": None} | told
    return {"epsilon": min(fixed_in_advance(curves, delta), total(entries, delta)[0])} | told


def _table(account: dict[str, Any], lines: Sequence[dict[str, Any]]) -> Table:
    title = f"account {escape(account['name'])}"
    relations = "; ".join(dict.fromkeys(line["relation"] for line in lines if line["scope"] != "evaluation"))
    caption = f"neighbours: {escape(relations)}" if relations else None
    table = Table(title=title, title_justify="left", title_style="bold", caption=caption, caption_justify="left")
    for heading in ("", "when", "what", "status"):
        table.add_column(heading, no_wrap=heading == "when", ratio=1 if heading == "what" else None)
    for heading in ("epsilon,\nevery data set", "epsilon,\nthis data set", "delta"):
        table.add_column(heading, justify="right", no_wrap=True)
    for line in lines:
        if line["scope"] == "evaluation":
            continue
        kept = line["scope"] == "owner"
        own = line["this_data_set"]["epsilon"]
        table.add_row(
            str(line["id"]),
            line["time"].replace("T", " ")[:16],
            _what(line),
            "the owner's" if kept else line["status"],
            f"({shown(line['epsilon'])})" if kept else shown(line["epsilon"]),
            "-" if own is None or kept else shown(own),
            f"{line['delta']:g}",
        )
    return table


def _what(line: dict[str, Any]) -> str:
    told = line["parameters"]
    much = f"{told['answers']} answers" if "answers" in told else f"{told['steps']} steps" if "steps" in told else ""
    again = ", fresh noise on request" if line["forced"] else ""
    void = f"\n{told['withheld']}" if "withheld" in told else ""
    return escape((f"{line['kind']}: {much}{again}\n{line['mechanism']}" if much else line["mechanism"]) + void)


def _totals(account: dict[str, Any]) -> list[str]:
    """The sentences below the table; an epsilon stands with all that belongs to it."""
    lines, own, left = [], account["this_data_set"], account["budget"]
    promise = escape(account["relation"])
    if account["releases"]:
        lines.append(
            f"together: epsilon {shown(account['epsilon'])} for every data set "
            f"({account['withheld'] or 'publishable'}), delta {account['delta']:g}, {promise}; {account['theorem']}"
        )
        if own and own["epsilon"] is not None:
            lines.append(
                f"          epsilon {shown(own['epsilon'])} for this data set (the owner's), delta {own['delta']:g}, "
                f"{promise}; all of it was fixed in advance, by one run or sweep"
            )
        elif len(account["plans"]) > 1:
            lines.append(
                "          no epsilon for this data set: later runs may have been chosen after seeing earlier answers"
            )
    if left:
        floor = math.floor(left["remaining"] * 1000) / 1000
        lines.append(
            f"budget:   epsilon {left['epsilon']:g}, delta {left['delta']:g}, {promise}; {floor:.3f} of it remains"
        )
    if account["kept"]:
        lines.append(f"{account['kept']} in brackets: made for the owner's eyes, not released, not counted")
    if account["evaluations"]:
        lines.append(f"apart: {account['evaluations']} evaluations ({SEEDED}), not counted")
    return [*lines, "what this promises, and what not: docs/explanation/privacy.md (pate docs)"]


def finite(value: Any) -> Any:
    """JSON knows no infinity: null stands for it."""
    if isinstance(value, dict):
        return {key: finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
