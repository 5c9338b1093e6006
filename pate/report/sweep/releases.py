"""What a sweep released from private data, account by account, as the ledger tells it: also what failed jobs did."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pate.accounting.guarantee import Guarantee
from pate.errors import PateError
from pate.ledger.ledger import Ledger
from pate.ledger.summary import Summary, summary
from pate.noise import SEEDED
from pate.workspace.store import Store


@dataclass(frozen=True)
class AccountSoFar:
    """All that was released from it, by whomever, and what that comes to."""

    releases: int
    total: Guarantee | None

    def plain(self) -> dict[str, Any]:
        """As it is written: the guarantee's own facts beside the number."""
        return {"releases": self.releases} | (self.total.plain() if self.total else {})


@dataclass(frozen=True)
class AccountReleases:
    """What a sweep took from one account: `sweep` is what its releases come to, `account` what all of them do."""

    name: str | None
    releases: int
    evaluations: int
    kept: int
    sweep: Guarantee | None
    account: AccountSoFar


@dataclass(frozen=True)
class SweepReleases:
    """By account; the plan is the ledger's name for the sweep."""

    plan: str
    accounts: list[AccountReleases]


def releases(workspaces: Iterable[Path], plan: str) -> SweepReleases | None:
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
    return SweepReleases(plan, accounts) if accounts else None


def lines(found: SweepReleases | None) -> Iterator[str]:
    """For reading; an epsilon stands with all that belongs to it."""
    for one in found.accounts if found else ():
        name, whole = one.name, one.account
        alone = whole.releases == one.releases
        if one.releases:
            told = f"{one.releases} by this sweep from account {name}, together {one.sweep}"
            yield f"releases: {told}{'; nothing else was released from it' * alone}"
        else:
            yield f"releases: none by this sweep from account {name}"
        if not alone:
            yield f"          {whole.releases} from account {name} so far, together {whole.total}"
        kept = "for the owner's eyes, not released"
        for count, what, why in ((one.evaluations, "evaluation", SEEDED), (one.kept, "model", kept)):
            if count:
                yield f"          apart: {count} {what}{'s' * (count > 1)} ({why})"


def told_of(workspaces: Iterable[Path], plan: str) -> tuple[SweepReleases | None, list[str]]:
    """Facts and lines; a ledger that cannot be read is said, and does not take the summary with it."""
    try:
        found = releases(workspaces, plan)
    except PateError as error:
        return None, [f"releases: not known, {error}"]
    return found, list(lines(found))


def _accounts(found: Summary, plan: str) -> Iterator[AccountReleases]:
    for account in found.accounts:
        own = [entry for entry in found.entries if (entry.account, entry.plan) == (account.name, plan)]
        if own:
            yield AccountReleases(
                name=account.name,
                releases=sum(entry.scope == "release" for entry in own),
                evaluations=sum(entry.scope == "evaluation" for entry in own),
                kept=sum(entry.scope == "owner" for entry in own),
                sweep=next((one.every_data_set for one in account.plans if one.plan == plan), None),
                account=AccountSoFar(account.releases, account.total),
            )
