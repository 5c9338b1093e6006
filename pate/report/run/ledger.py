"""The ledger for reading: what each account has released, and what that costs together. The owner's page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from rich.console import Group
from rich.markup import escape
from rich.table import Table

from pate.accounting.guarantee import given, neighbours, remaining
from pate.ledger.summary import AccountTotal, Line, Summary
from pate.noise import SEEDED
from pate.report.terminal import page
from pate.workspace.typed_json import to_json


def print_ledger(found: Summary) -> None:
    """A table an account: its releases, then their totals."""
    console = page()
    if not found.known:
        console.print("nothing was released: the ledger is empty")
    elif not found.accounts:
        there = ", ".join(found.known)
        console.print(f"account {found.asked} has released nothing; this workspace has {there}", markup=False)
    for account in found.accounts:
        lines = [line for line in found.entries if line.account == account.name]
        console.print(Group(_table(account, lines), *_totals(account)))


def write_ledger(found: Summary, file: Path) -> None:
    file.write_text(json.dumps(to_json(found), indent=1, allow_nan=False))
    file.chmod(0o600)


def _table(account: AccountTotal, lines: Sequence[Line]) -> Table:
    title = f"account {escape(account.name or '')}"
    told = neighbours(line.every_data_set.relation for line in lines if line.scope != "evaluation")
    caption = f"neighbours: {escape(told)}" if told else None
    table = Table(title=title, title_justify="left", title_style="bold", caption=caption, caption_justify="left")
    for heading in ("", "when", "what", "status"):
        table.add_column(heading, no_wrap=heading == "when", ratio=1 if heading == "what" else None)
    for heading in ("epsilon,\nevery data set", "epsilon,\nthis data set", "delta"):
        table.add_column(heading, justify="right", no_wrap=True)
    for line in lines:
        if line.scope == "evaluation":
            continue
        kept = line.scope == "owner"
        every, own = line.every_data_set, line.this_data_set
        table.add_row(
            str(line.id),
            line.time.replace("T", " ")[:16],
            _what(line),
            "the owner's" if kept else line.status,
            f"({every.shown})" if kept else every.shown,
            "-" if own is None or kept else own.shown,
            given(line.delta),
        )
    return table


def _what(line: Line) -> str:
    told = line.parameters
    much = f"{told['answers']} answers" if "answers" in told else f"{told['steps']} steps" if "steps" in told else ""
    again = ", fresh noise on request" if line.forced else ""
    void = f"\n{told['withheld']}" if "withheld" in told else ""
    return escape((f"{line.kind}: {much}{again}\n{line.mechanism}" if much else line.mechanism) + void)


def _totals(account: AccountTotal) -> list[str]:
    """The sentences below the table; an epsilon stands with all that belongs to it."""
    lines, own, left = [], account.this_data_set, account.budget
    if total := account.total:
        lines.append(f"together: {escape(str(total))}; {total.theorem}")
        if own:
            lines.append(f"          {escape(str(own))}; all of it was fixed in advance, by one run or sweep")
        elif len(account.plans) > 1:
            lines.append(
                "          no epsilon for this data set: later runs may have been chosen after seeing earlier answers"
            )
    if left:
        budget = f"epsilon {given(left.epsilon)}, delta {given(left.delta)}, {escape(account.relation)}"
        lines.append(f"budget:   {budget}; {remaining(left.remaining)} of it remains")
    if account.kept:
        lines.append(f"{account.kept} in brackets: made for the owner's eyes, not released, not counted")
    if account.evaluations:
        lines.append(f"apart: {account.evaluations} evaluations ({SEEDED}), not counted")
    return [*lines, "what this promises, and what not: docs/explanation/privacy.md (pate docs)"]
