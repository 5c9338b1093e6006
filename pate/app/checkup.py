"""Before the first spend: look at the data, say what matters, refuse what must not leave. `stage=check` says it all."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from pate.accounting.plan import CHOSEN_ON_VOTES
from pate.data.examine import Examined
from pate.data.labels import CLASSES_FROM_PRIVATE
from pate.errors import BudgetExceeded, ConfigError
from pate.evaluation.outlook import disk, planned, steps
from pate.ledger.ledger import Release
from pate.settings import Settings
from pate.workspace.runner import Runner
from pate.workspace.store import Store

log = logging.getLogger("pate")
PLANNED_ON_VOTES = (
    "account.on_votes was asked in this workspace: if settings of this release were chosen by what it told, no epsilon "
    "covers that choice; release with account.on_votes=true, and the card says so"
)


def look_first(runner: Runner, wanted: list[str], alone: bool = True) -> None:
    """Silent, but for what matters; it is said in every run, and in a sweep, whose runs are not `alone`, once."""
    from pate.pipelines import checks
    from pate.pipelines.artifacts import EXAMINED

    told = runner.settings.stage != "release" or runner.settings.account.on_votes
    if not told and CHOSEN_ON_VOTES in runner.store.notes("private", "account"):
        log.warning("warning: %s", PLANNED_ON_VOTES)
    if runner.settings.classes_from_private:
        log.warning("warning: %s: no epsilon of this run may be published", CLASSES_FROM_PRIVATE)
    needed = checks(runner.graph, wanted)
    if not needed:
        return
    runner.bring_up_to_date([*(name for name in wanted if name == "fetch"), *needed])
    found: Examined = runner.artifact(EXAMINED)
    said = (*found.refusals, *found.warnings)
    if alone or not runner.records["check"].reused:
        for line in said:
            log.warning("warning: %s", line)
    runner.records["check"] = replace(runner.records["check"], warnings=said)
    refuse(runner.settings, found.refusals)


def refuse(settings: Settings, refusals: Sequence[str]) -> None:
    """What names and public rows alone show, so that a refusal tells nothing of private ones."""
    if refusals and settings.noise.seed is None:
        what = "stage=release" if settings.stage == "release" else "budget=strict" if settings.limit.strict else ""
        if what:
            more = f" (and {len(refusals) - 1} more: see stage=check)" if len(refusals) > 1 else ""
            raise ConfigError(f"{what} refuses: {refusals[0]}{more}")


def checkup(settings: Settings, folder: Path) -> dict[str, Any]:
    """stage=check: all that is seen, and what the run would do, cost and take; written to check.json too."""
    from pate.pipelines import foreseen, graph, targets
    from pate.pipelines.artifacts import EXAMINED

    whole, store = replace(settings, stage="all"), Store(settings.workspace)
    runner, wanted = Runner(whole, graph(whole), store, folder.name), targets(whole)
    with store.at_work():
        runner.bring_up_to_date([*(name for name in wanted if name == "fetch"), "check"])
        found: Examined = runner.artifact(EXAMINED)
        coming = steps(runner, wanted)
        new = [step.stage for step in coming if step.draws and not step.reused]
        releases = [release for _, release in foreseen(whole, new)]
        over = _over(runner, releases)
        runner.warn_of_new_account([runner.graph.named(name) for name in new])
    need, free = disk(whole, found.width)
    told = asdict(found) | {
        "delta": settings.delta,
        "settings": [*settings.warnings, *(CLASSES_FROM_PRIVATE,) * settings.classes_from_private],
        "steps": [asdict(step) for step in coming],
        "plan": planned(runner, releases),
        "over_budget": over,
        "bytes_needed": need,
        "bytes_free": free,
    }
    file = folder / "check.json"
    file.write_text(json.dumps(told, indent=1))
    file.chmod(0o600)
    return told


def _over(runner: Runner, releases: Sequence[Release]) -> str:
    """What a strict budget would say, if nothing of it is served again."""
    try:
        if runner.settings.limit.strict and runner.settings.noise.seed is None:
            runner.ledger.check(runner.account, releases, runner.settings.limit, log.warning)
    except BudgetExceeded as refusal:
        return str(refusal)
    return ""
