"""What a run would do, cost and take, before it does any of it: which stages, what epsilon, how long, how much disk.

Nothing is trained or drawn. A time is that of the same stage the last time it ran in this workspace, or rough, from
what the kind took on two cores; where neither is known, nothing is said.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any

from pate.accounting.filter import Rule, composed
from pate.accounting.guarantee import Guarantee, Relation, given, remaining, shown
from pate.data.examine import Examined
from pate.data.labels import CLASSES_FROM_PRIVATE
from pate.ledger.ledger import Release, relation, total
from pate.noise import SEEDED
from pate.release.withheld import withheld
from pate.settings import Settings
from pate.workspace.runner import Runner
from pate.workspace.stage import Stage

# Seconds a record of each work by each kind on two cores: MNIST (docs/explanation/results.md), digits for the rest.
RATES = {
    "features": {"scattering": 5e-4, "pca": 2e-5, "identity": 1e-6},
    "teachers": {"ridge": 1.5e-5, "krr": 6e-5, "graph": 2e-4, "krr_graph": 3e-4, "logistic": 3e-4, "cnn": 0.05},
    "student": {"self_training": 1e-3, "supervised": 1e-4, "graph": 2e-3, "krr": 1e-3, "label_spreading": 2e-3},
    "dpsgd": {"linear": 2e-6, "mlp": 4e-5, "cnn": 1e-4, "scatter_linear": 1e-5},  # and an epoch
    "basis": {"consensus_graph": 4e-3, "consensus_kernel": 2e-3, "consensus_clusters": 2e-4},
    "consensus": {"consensus_graph": 2e-4, "consensus_kernel": 2e-4, "consensus_clusters": 3e-6},
    "consensus_student": {"consensus_graph": 1e-4, "consensus_kernel": 3e-4, "consensus_clusters": 2e-6},
}
OTHERS = {"data": 1.0, "votes": 0.5, "queries": 0.5, "labels": 2.0, "account": 2.0, "panel": 5.0, "compare": 2.0,
           "report": 2.0}  # fmt: skip


@dataclass(frozen=True)
class Step:
    """A stage of a run to come: `reused` where its result is stored, `draws` where it would spend privacy."""

    stage: str
    reused: bool
    draws: bool
    seconds: float | None
    rough: bool = False


@dataclass(frozen=True)
class PlannedRelease:
    """One to come, by its publishable epsilon."""

    kind: str
    epsilon: float
    delta: float
    relation: str


@dataclass(frozen=True)
class SpendingPlan:
    """What a run would release, and what its account comes to before and after; `withheld` says why none of it may be
    published, if none may, and `account_withheld` the same of the account's total."""

    releases: list[PlannedRelease]
    account: str
    delta: float
    before: float
    after: float
    relation: str
    withheld: str
    account_withheld: str
    budget: float | None = None  # what of it may be spent, where that is limited


@dataclass(frozen=True)
class Checkup:
    """check.json: what was seen of the data, and what the run would do, cost and take."""

    seen: Examined
    delta: float
    settings: list[str]  # what of them is worth a second thought
    steps: list[Step]
    plan: SpendingPlan
    over_budget: str
    bytes_needed: int
    bytes_free: int

    def plain(self) -> dict[str, Any]:
        """As it is written: what was seen stands beside the rest."""
        return asdict(self.seen) | {one.name: getattr(self, one.name) for one in fields(self) if one.name != "seen"}


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
    if stage.effort is None:
        return OTHERS.get(stage.name), True
    effort = stage.effort(runner.settings)
    rate = RATES.get(effort.work, {}).get(effort.choice.known_as())
    return (None if rate is None else 0.5 + rate * effort.records), True


def planned(runner: Runner, releases: Iterable[Release]) -> SpendingPlan:
    """The publishable epsilon of each release to come, and what the account comes to with them."""
    account, delta, coming = runner.accounts.first, runner.settings.limit.delta, list(releases)
    counted = coming if runner.settings.noise.seed is None else []  # what is seeded protects nobody, and spends nothing
    found = [
        PlannedRelease(one.kind, composed([one.cost], one.cost.delta, "basic"), one.cost.delta, one.relation)
        for one in coming
    ]
    spent = runner.ledger.releases(account)
    void = CLASSES_FROM_PRIVATE if runner.settings.classes_from_private else ""
    own = withheld([void, SEEDED if runner.settings.noise.seed is not None else ""])
    before = total(spent, delta)[0] if spent else 0.0
    costs = [*(entry.release.cost for entry in spent), *(one.cost for one in counted)]
    rules: tuple[Rule, ...] = (spent[0].rule,) if spent else ("renyi", "basic")
    return SpendingPlan(
        releases=found,
        account=account,
        delta=delta,
        before=before,
        after=min(composed(costs, delta, rule) for rule in rules) if counted else before,
        relation=relation([*(entry.release for entry in spent), *coming]),
        withheld=own,
        account_withheld=next((entry.withheld for entry in spent if entry.withheld), own if counted else ""),
        budget=runner.settings.limit.epsilon,
    )


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


def told(plan: SpendingPlan) -> list[str]:
    """The plan in sentences, each epsilon with all that belongs to it."""
    lines = [
        f"would release {one.kind}: {_guarantee(one.epsilon, one.delta, one.relation, plan.withheld)}"
        for one in plan.releases
    ]
    before, after = (
        _guarantee(epsilon, plan.delta, plan.relation, plan.account_withheld) for epsilon in (plan.before, plan.after)
    )
    return [
        *(lines or ["would release nothing"]),
        f"account {plan.account}: epsilon {before.shown} released so far, {after.shown} with all of it, "
        f"{after.terms}; what was answered before is served, not spent",
        *([] if plan.budget is None else [_left(plan, plan.budget)]),
    ]


def _left(plan: SpendingPlan, budget: float) -> str:
    """What of the budget all of it would leave."""
    left = budget - plan.after
    fits = f"{remaining(left)} would be left" if left >= 0 else "it does not fit"
    return f"budget of epsilon {shown(budget)}, delta {given(plan.delta)}: {fits}"


def _guarantee(epsilon: float, delta: float, promised: str, withheld: str) -> Guarantee:
    """What is foreseen holds for every data set: nothing was looked at."""
    return Guarantee(epsilon, delta, Relation.of(promised), False, "", "", withheld=withheld)
