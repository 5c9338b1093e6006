"""ledger: everything released from the private data so far, and what it cost together."""

from __future__ import annotations

from pate.app.verbs.request import Request, tell_place
from pate.errors import ConfigError
from pate.ledger.account import usual
from pate.ledger.ledger import Ledger
from pate.ledger.summary import Summary, summary
from pate.report.run.ledger import print_ledger, write_ledger
from pate.report.terminal import quiet
from pate.settings import Settings
from pate.workspace.store import Store

FILE = "ledger.json"


def require(settings: Settings) -> None:
    if not (settings.workspace / "private").is_dir():
        raise ConfigError(f"workspace={settings.workspace}: nothing was run there, so it has no ledger")


def ask(request: Request) -> Summary:
    """What the workspace's ledger holds, of one account if one is named, written to ledger.json too."""
    settings = request.settings
    limit = settings.limit if settings.limit.epsilon is not None else None
    ledger = Ledger.of(Store(settings.workspace))
    found = summary(ledger, settings.budget.account or (usual(settings) if limit else None), limit)
    write_ledger(found, request.folder / FILE)
    return found


def tell(request: Request, found: Summary) -> None:
    if not quiet():
        print_ledger(found)
    tell_place("ledger", request.folder / FILE)
