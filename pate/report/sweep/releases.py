"""What a sweep released from private data, account by account, as the ledger tells it: also what failed jobs did."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pate.accounting.guarantee import Guarantee
from pate.errors import PateError
from pate.ledger.ledger import Ledger
from pate.ledger.summary import Summary, summary
from pate.noise import SEEDED
from pate.workspace.store import Store
from pate.workspace.typed_json import to_json


def releases(workspaces: Iterable[Path], plan: str) -> dict[str, Any] | None:
    """Of the sweep with this plan, in each workspace its jobs used; none if its jobs had no common plan, or drew
    nothing from private data."""
    if not plan:
        return None
    accounts = [
        told
        for workspace in dict.fromkeys(path.absolute() for path in workspaces)
        if (workspace / "private" / "ledger.sqlite").is_file()
        for told in _accounts(summary(Ledger.of(Store(workspace))), plan)
    ]
    return {"plan": plan, "accounts": accounts} if accounts else None


def lines(found: dict[str, Any] | None) -> Iterator[str]:
    """For reading; an epsilon stands with all that belongs to it."""
    for account in found["accounts"] if found else ():
        name, sweep, whole = account["name"], account["sweep"], account["account"]
        alone = whole["releases"] == account["releases"]
        if account["releases"]:
            told = f"{account['releases']} by this sweep from account {name}, {_priced(sweep)}"
            yield f"releases: {told}{'; nothing else was released from it' * alone}"
        else:
            yield f"releases: none by this sweep from account {name}"
        if not alone:
            yield f"          {whole['releases']} from account {name} so far, {_priced(whole)}"
        apart = (("evaluations", "evaluation", SEEDED), ("kept", "model", "for the owner's eyes, not released"))
        for key, what, why in apart:
            if account[key]:
                yield f"          apart: {account[key]} {what}{'s' * (account[key] > 1)} ({why})"


def told_of(workspaces: Iterable[Path], plan: str) -> tuple[dict[str, Any] | None, list[str]]:
    """Facts and lines; a ledger that cannot be read is said, and does not take the summary with it."""
    try:
        found = releases(workspaces, plan)
    except PateError as error:
        return None, [f"releases: not known, {error}"]
    return found, list(lines(found))


def _accounts(found: Summary, plan: str) -> Iterator[dict[str, Any]]:
    for account in found.accounts:
        own = [entry for entry in found.entries if (entry.account, entry.plan) == (account.name, plan)]
        sweep = next((one.every_data_set for one in account.plans if one.plan == plan), None)
        if own:
            yield {
                "name": account.name,
                "releases": sum(entry.scope == "release" for entry in own),
                "evaluations": sum(entry.scope == "evaluation" for entry in own),
                "kept": sum(entry.scope == "owner" for entry in own),
                "sweep": to_json(sweep),
                "account": {"releases": account.releases} | (account.total.plain() if account.total else {}),
            }


def _priced(price: dict[str, Any]) -> str:
    return f"together {Guarantee.of(price)}"
