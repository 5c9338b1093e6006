"""Before the first spend: look at the data, say what matters, refuse what must not leave."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from pate.accounting.plan import CHOSEN_ON_VOTES
from pate.data.examine import Examined
from pate.data.labels import CLASSES_FROM_PRIVATE
from pate.errors import ConfigError
from pate.settings import Settings
from pate.workspace.runner import Runner

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
