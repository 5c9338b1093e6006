"""check: look at the data, say what a run would do, cost and take; train and draw nothing."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from pate.app import rules
from pate.app.checkup import refuse
from pate.app.verbs.request import Request, tell_place
from pate.data.examine import Examined
from pate.data.labels import CLASSES_FROM_PRIVATE
from pate.errors import BudgetExceeded
from pate.evaluation.outlook import Checkup, disk, planned, steps
from pate.ledger.ledger import Release
from pate.report.files import write_facts
from pate.report.run.checkup import print_checkup
from pate.report.terminal import quiet
from pate.settings import Settings
from pate.workspace.runner import Runner
from pate.workspace.store import Store

log = logging.getLogger("pate")
FILE = "check.json"


def require(settings: Settings) -> None:
    """What a run would refuse, a check refuses."""
    rules.check(settings)


def ask(request: Request) -> Checkup:
    """All that is seen, and what the run would do, cost and take; written to check.json too."""
    from pate.pipelines import foreseen, graph, targets
    from pate.pipelines.artifacts import EXAMINED

    settings = request.settings
    whole, store = replace(settings, stage="all"), Store(settings.workspace)
    runner, wanted = Runner(whole, graph(whole), store, request.folder.name), targets(whole)
    with store.at_work():
        runner.bring_up_to_date([*(name for name in wanted if name == "fetch"), "check"])
        found: Examined = runner.artifact(EXAMINED)
        coming = steps(runner, wanted)
        new = [step.stage for step in coming if step.draws and not step.reused]
        releases = [release for _, release in foreseen(whole, new)]
        over = _over(runner, releases)
        runner.accounts.warn_of_new([runner.graph.named(name) for name in new])
    need, free = disk(whole, found.width)
    told = Checkup(
        seen=found,
        delta=settings.delta,
        settings=[*settings.warnings, *(CLASSES_FROM_PRIVATE,) * settings.classes_from_private],
        steps=coming,
        plan=planned(runner, releases),
        over_budget=over,
        bytes_needed=need,
        bytes_free=free,
    )
    write_facts(told, request.folder / FILE)
    return told


def tell(request: Request, found: Checkup) -> None:
    """And fail where the run would be refused."""
    if not quiet():
        print_checkup(found)
    tell_place("check", request.folder / FILE)
    refuse(request.settings, found.seen.refusals)
    if found.over_budget:
        raise BudgetExceeded(found.over_budget)


def _over(runner: Runner, releases: Sequence[Release]) -> str:
    """What a strict budget would say, if nothing of it is served again."""
    try:
        if runner.settings.limit.strict and runner.settings.noise.seed is None:
            runner.ledger.check(runner.accounts.first, releases, runner.settings.limit, log.warning)
    except BudgetExceeded as refusal:
        return str(refusal)
    return ""
