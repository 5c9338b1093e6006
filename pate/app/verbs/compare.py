"""compare: earlier runs and sweeps beside each other (compare.runs); no stage is run, no private data read."""

from __future__ import annotations

from pate.app.verbs.request import Request, tell_place
from pate.errors import ConfigError
from pate.report.sweep.comparison import compare, print_comparison, runs_of, told_apart
from pate.report.sweep.facts import Comparison
from pate.report.terminal import quiet
from pate.settings import Settings


def require(settings: Settings) -> None:
    if settings.stage != "compare":
        raise ConfigError(f"compare.runs is for stage=compare, and this is stage={settings.stage}")
    runs_of(settings.compare.runs)


def ask(request: Request) -> Comparison:
    settings = request.settings
    _, found = compare(settings.compare.runs, settings.sweep.epsilon, request.folder, settings.compare.metric)
    return found


def tell(request: Request, found: Comparison) -> None:
    if not quiet():
        print_comparison(told_apart(runs_of(request.settings.compare.runs)), found)
        if (request.folder / "report.html").exists():
            print(f"page     {request.folder / 'report.html'}")
    tell_place("compare", request.folder / "compare.csv", "and compare.json; yours alone")
