"""clean: what no run refers to any more; clean.yes=true removes it, never what was drawn, nothing of the ledger's."""

from __future__ import annotations

from pate.app.verbs.request import Request, tell_place
from pate.errors import ConfigError
from pate.report.files import write_facts
from pate.report.run.cleaning import print_cleaning
from pate.report.terminal import quiet
from pate.settings import Settings
from pate.workspace.clean import Cleaning, clean

FILE = "clean.json"


def require(settings: Settings) -> None:
    if not (settings.workspace / "private").is_dir():
        raise ConfigError(f"workspace={settings.workspace}: nothing was run there, so there is nothing to clean")


def ask(request: Request) -> Cleaning:
    """What may go, or has gone, written to clean.json too."""
    found = clean(request.settings.workspace, request.settings.clean.yes)
    write_facts(found, request.folder / FILE)
    return found


def tell(request: Request, found: Cleaning) -> None:
    if not quiet():
        print_cleaning(found)
    tell_place("clean", request.folder / FILE)
