"""run: bring the stage that was asked for up to date, and write down what was found."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from secrets import token_hex

from pate.app import rules
from pate.app.checkup import look_first
from pate.app.idle import idle
from pate.app.verbs.request import Request, warn_of
from pate.evaluation.assemble import results
from pate.evaluation.outlook import SpendingPlan, planned, steps, told
from pate.evaluation.results import Results
from pate.evaluation.results_file import write_results
from pate.ledger.summary import summary
from pate.release.withheld import withheld
from pate.report.run.page import write_pages
from pate.report.run.table import print_places, print_results
from pate.report.terminal import quiet
from pate.report.tracking.tracking import Followed
from pate.settings import Settings
from pate.workspace.runner import Runner
from pate.workspace.store import Store

log = logging.getLogger("pate")


def require(settings: Settings) -> None:
    rules.check(settings)


def ask(request: Request) -> Results:
    asked = (request.settings, request.folder, request.plan, request.overrides, request.begun)
    return execute(*asked, request.flags, request.sweep)


def tell(request: Request, found: Results) -> None:
    if not quiet():
        print_results(found, request.folder)
        return print_places(found, request.folder)
    if not request.of_sweep:  # which says it once, at its end
        warn_of(withheld(found.notes))
        print(found.public_page or found.published or request.folder / "results.json")


def execute(
    settings: Settings,
    folder: Path,
    plan: str = "",
    overrides: Sequence[str] = (),
    begun: set[str] | None = None,
    flags: Sequence[str] = (),
    sweep: Path | None = None,
) -> Results:
    """Bring the stage that was asked for up to date; write results.json into the folder and return what it holds.

    Runs of one `plan` were all fixed before the first of them was answered.
    """
    from pate.pipelines import foreseen, graph, taking_part, targets
    from pate.pipelines.artifacts import EVIDENCE, PANEL

    name = f"{folder.parent.name}/{folder.name}" if plan else folder.name
    store, pipeline = Store(settings.workspace), graph(settings)
    for warning in (*settings.warnings, *idle(overrides, pipeline, settings.methods)):
        log.warning("warning: %s", warning)
    runner = Runner(settings, pipeline, store, name, plan or token_hex(8))
    runner.begun = set() if begun is None else begun
    wanted = targets(settings, alone=not plan)
    counted = settings.limit.strict and settings.noise.seed is None
    needed = [stage.name for stage in runner.graph.needed(wanted)] if counted else []
    followed = Followed(settings, folder, overrides, sweep)
    with store.at_work(), settings.tracking.follow(followed) as track:
        for why in settings.why:
            log.info("%s", why)
        look_first(runner, wanted, alone=not plan)
        for line in _price(settings, store, name) if settings.stage == "release" else []:
            log.warning("ledger: %s", line)
        runner.bring_up_to_date(wanted, foreseen(settings, needed))
        account = next(iter(summary(runner.ledger, runner.accounts.first, settings.limit).accounts), None)
        plan_ahead = _plan(settings, store, name) if settings.stage == "account" else []
        found = results(runner, taking_part(settings), account, overrides, flags, plan_ahead)
        write_results(found, folder)
        if "report" in runner.records:
            page = write_pages(found, runner.made(EVIDENCE), runner.made(PANEL), settings, folder)
            found = replace(found, public_page=str(page) if page else None)
        track(found, runner.made)
    return found


def _plan(settings: Settings, store: Store, name: str) -> list[str]:
    """What a whole run would release, and what the account comes to with it; nothing is run for it."""
    return told(_planned(replace(settings, stage="all"), store, name))


def _price(settings: Settings, store: Store, name: str) -> list[str]:
    """What a release is about to add to what its account has spent on others; empty where it draws nothing, or is the
    first. Said before the draw: the last moment at which it may still be left undone."""
    plan = _planned(settings, store, name)
    return told(plan) if plan.releases and plan.before > 0 else []


def _planned(settings: Settings, store: Store, name: str) -> SpendingPlan:
    from pate.pipelines import foreseen, graph, targets

    runner = Runner(settings, graph(settings), store, name)
    coming = steps(runner, ["check", *targets(settings)])
    new = [step.stage for step in coming if step.draws and not step.reused]
    return planned(runner, [release for _, release in foreseen(settings, new)])
