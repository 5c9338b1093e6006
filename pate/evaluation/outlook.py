"""What a run would do, cost and take, before it does any of it: which stages, what epsilon, how long, how much disk.

Nothing is trained or drawn. A time is that of the same stage the last time it ran in this workspace, or rough, from
what the kind took on two cores; where neither is known, nothing is said.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pate.accounting.filter import Rule, composed
from pate.accounting.guarantee import shown
from pate.data.labels import CLASSES_FROM_PRIVATE
from pate.ledger.ledger import Release, relation, total
from pate.noise import SEEDED
from pate.release.withheld import withheld
from pate.settings import Settings
from pate.workspace.runner import Runner
from pate.workspace.stage import Stage

# Seconds a record of each kind on two cores: MNIST (docs/explanation/results.md), digits for the rest.
_FEATURES = {"Scattering": 5e-4, "PCA": 2e-5, "Identity": 1e-6}
_TEACHERS = {"Ridge": 1.5e-5, "KRR": 6e-5, "Graph": 2e-4, "KRRGraph": 3e-4, "Logistic": 3e-4, "CNN": 0.05}
_STUDENTS = {"SelfTraining": 1e-3, "Supervised": 1e-4, "Graph": 2e-3, "KRR": 1e-3, "LabelSpreading": 2e-3}
_DPSGD = {"Linear": 2e-6, "MLP": 4e-5, "CNN": 1e-4, "ScatterLinear": 1e-5}  # and an epoch
_OTHERS = {"data": 1.0, "votes": 0.5, "queries": 0.5, "labels": 2.0, "account": 2.0, "panel": 5.0, "compare": 2.0,
           "report": 2.0}  # fmt: skip


@dataclass(frozen=True)
class Step:
    """A stage of a run to come: `reused` where its result is stored, `draws` where it would spend privacy."""

    stage: str
    reused: bool
    draws: bool
    seconds: float | None
    rough: bool = False


def steps(runner: Runner, targets: Iterable[str]) -> list[Step]:
    """The stages in their order; one whose inputs are still to be made is to be made too."""
    return [
        Step(stage.name, reused, bool(stage.crosses), *_seconds(runner, stage, reused))
        for stage, reused in runner.stored(targets)
    ]


def _seconds(runner: Runner, stage: Stage, reused: bool) -> tuple[float | None, bool]:
    if reused:
        return 0.0, False
    before = runner.store.last_effort(stage.name)
    if before is not None:
        return before, False
    settings = runner.settings
    sizes, dpsgd = settings.dataset.sizes(), settings.dpsgd
    each = {
        "features": (_FEATURES, settings.features, sizes.public),
        "encode": (_FEATURES, settings.features, sizes.private + sizes.test),
        "teachers": (_TEACHERS, settings.teachers, sizes.private),
        "student": (_STUDENTS, settings.student, sizes.public),
        "nonprivate": (_STUDENTS, settings.student, sizes.private),
        "dpsgd": (_DPSGD, dpsgd, sizes.private * dpsgd.epochs),
        "dpsgd_publishable": (_DPSGD, dpsgd, sizes.private * dpsgd.epochs),
    }
    if stage.name in each:
        known, choice, records = each[stage.name]
        rate = known.get(type(choice).__name__)
        return (None if rate is None else 0.5 + rate * records), True
    return _OTHERS.get(stage.name), True


def planned(runner: Runner, releases: Iterable[Release]) -> dict[str, Any]:
    """The publishable epsilon of each release to come, and what the account comes to with them."""
    account, delta, coming = runner.accounts.first, runner.settings.limit.delta, list(releases)
    counted = coming if runner.settings.noise.seed is None else []  # what is seeded protects nobody, and spends nothing
    found = [
        {"kind": one.kind, "epsilon": composed([one.cost], one.cost.delta, "basic"), "delta": one.cost.delta,
         "relation": one.relation}
        for one in coming
    ]  # fmt: skip
    spent = runner.ledger.releases(account)
    void = CLASSES_FROM_PRIVATE if runner.settings.classes_from_private else ""
    own = withheld([void, SEEDED if runner.settings.noise.seed is not None else ""])
    before = total(spent, delta)[0] if spent else 0.0
    costs = [*(entry.release.cost for entry in spent), *(one.cost for one in counted)]
    rules: tuple[Rule, ...] = (spent[0].rule,) if spent else ("renyi", "basic")
    return {
        "releases": found,
        "account": account,
        "delta": delta,
        "before": before,
        "after": min(composed(costs, delta, rule) for rule in rules) if counted else before,
        "relation": relation([*(entry.release for entry in spent), *coming]),
        "withheld": own,  # why none of it may be published, if none may
        "account_withheld": next((entry.withheld for entry in spent if entry.withheld), own if counted else ""),
    }


def disk(settings: Settings, width: int) -> tuple[int, int]:
    """Bytes to expect, roughly, and bytes that are free: inputs and features in float32, votes of every teacher."""
    sizes = settings.dataset.sizes()
    records = sizes.private + sizes.public + sizes.test
    components = getattr(settings.features, "components", None) or width
    need = 4 * records * (width + components) + 8 * settings.teachers.count * sizes.public
    home = settings.workspace if settings.workspace.exists() else settings.workspace.absolute().parent
    while not home.exists():
        home = home.parent
    return need, shutil.disk_usage(home).free


def told(plan: dict[str, Any]) -> list[str]:
    """The plan in sentences, each epsilon with all that belongs to it."""
    lines = [
        f"would release {one['kind']}: epsilon {shown(one['epsilon'])} for every data set "
        f"({plan['withheld'] or 'publishable'}), delta {one['delta']:g}, {one['relation']}"
        for one in plan["releases"]
    ]
    before, after, leaves = shown(plan["before"]), shown(plan["after"]), plan["account_withheld"] or "publishable"
    return [
        *(lines or ["would release nothing"]),
        f"account {plan['account']}: epsilon {before} released so far, {after} with all of it, for every data set "
        f"({leaves}), delta {plan['delta']:g}, {plan['relation']}; what was answered before is served, not spent",
    ]
