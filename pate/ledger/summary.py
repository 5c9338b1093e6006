"""What each account has released, and what that costs together: totals under one neighbouring relation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from pate.accounting.filter import ORDERS, composed, fixed_in_advance
from pate.accounting.guarantee import KEPT, Guarantee, Relation
from pate.ledger.ledger import Budget, Entry, Ledger, relation, total

_RULES = {
    "renyi": "a filter on Renyi divergences (Feldman & Zrnic 2021, Thm 3.1)",
    "basic": "epsilons and deltas add up (Rogers et al. 2016)",
}
ALONE = "a single release, by its own accountant"
_OWNERS = "exact laws of all of it (Mironov 2017, Prop 1)"


@dataclass(frozen=True)
class Left:
    """What remains of a budget, by the rule that refuses."""

    epsilon: float
    delta: float
    remaining: float


@dataclass(frozen=True)
class PlanTotal:
    """What a run, or a sweep whose settings were all fixed before its first answer, released."""

    plan: str
    releases: int
    every_data_set: Guarantee | None = None
    this_data_set: Guarantee | None = None


@dataclass(frozen=True)
class AccountTotal:
    """What an account has released. `total` is the least budget that, fixed in advance, would have let all of it
    through, however each release was chosen; `this_data_set` is known where a single plan fixed everything."""

    derived: ClassVar[tuple[str, ...]] = ("epsilon", "delta", "relation", "publishable", "withheld", "theorem")

    name: str | None
    releases: int
    total: Guarantee | None = None
    budget: Left | None = None
    plans: list[PlanTotal] = field(default_factory=list)
    this_data_set: Guarantee | None = None
    evaluations: int = 0
    kept: int = 0

    @property
    def epsilon(self) -> float:
        return self.total.epsilon if self.total else 0.0

    @property
    def delta(self) -> float | None:
        return self.total.delta if self.total else None

    @property
    def relation(self) -> str:
        return str(self.total.relation if self.total else Relation())

    @property
    def publishable(self) -> bool:
        return self.total is None or self.total.publishable

    @property
    def withheld(self) -> str:
        return self.total.withheld if self.total else ""

    @property
    def theorem(self) -> str:
        return self.total.theorem if self.total else _RULES["renyi"]


@dataclass(frozen=True)
class Line:
    """One entry, for reading: what it costs on every data set, and on this one if that is known."""

    derived: ClassVar[tuple[str, ...]] = ("epsilon", "delta", "relation", "publishable", "pure_epsilon")

    id: int
    account: str
    kind: str
    scope: str
    status: str
    mechanism: str
    parameters: dict[str, Any]
    every_data_set: Guarantee
    this_data_set: Guarantee | None
    cost: dict[str, Any]
    artifact: str
    run: str
    plan: str
    time: str
    forced: bool
    budget: dict[str, Any]

    @property
    def epsilon(self) -> float:
        return self.every_data_set.epsilon

    @property
    def delta(self) -> float:
        return self.every_data_set.delta

    @property
    def relation(self) -> str:
        return str(self.every_data_set.relation)

    @property
    def publishable(self) -> bool:
        return self.every_data_set.publishable

    @property
    def pure_epsilon(self) -> float:
        return float(self.cost["pure"])


@dataclass(frozen=True)
class Summary:
    """A ledger, or one account of it; `known` are all accounts."""

    accounts: list[AccountTotal]
    entries: list[Line]
    asked: str | None = None
    known: list[str] = field(default_factory=list)


def summary(ledger: Ledger, account: str | None = None, budget: Budget | None = None) -> Summary:
    """Of one account or of all; `budget` is that of the account."""
    entries = ledger.entries()
    names = sorted({entry.spender.account for entry in entries})
    shown_ones = [name for name in names if account in (None, name)]
    return Summary(
        [account_total(name, [one for one in entries if one.spender.account == name], budget) for name in shown_ones],
        [_line(entry) for entry in entries if entry.spender.account in shown_ones],
        account,
        names,
    )


def account_total(name: str, entries: Sequence[Entry], budget: Budget | None) -> AccountTotal:
    spent = [entry for entry in entries if entry.spent]
    delta = budget.delta if budget else max((entry.release.cost.delta for entry in spent), default=None)
    plans: dict[str, list[Entry]] = {}
    for entry in spent:
        plans.setdefault(entry.spender.plan, []).append(entry)
    return AccountTotal(
        name=name,
        releases=len(spent),
        total=_every(spent, delta),
        budget=_left(spent, budget) if budget and budget.epsilon is not None else None,
        plans=[PlanTotal(plan, len(own), _every(own, delta), _this(own, delta)) for plan, own in plans.items()],
        this_data_set=_this(spent, delta) if len(plans) == 1 else None,
        evaluations=sum(entry.spender.scope == "evaluation" for entry in entries),
        kept=sum(entry.spender.scope == "owner" for entry in entries),
    )


def _every(entries: Sequence[Entry], delta: float | None) -> Guarantee | None:
    """On every data set; what voids one of them voids the sum."""
    if not entries or delta is None:
        return None
    epsilon, rule = total(entries, delta)
    theorem = ALONE if len(entries) == 1 and rule == "basic" else _RULES[rule]
    void = "; ".join(dict.fromkeys(entry.withheld for entry in entries if entry.withheld))
    return Guarantee(epsilon, delta, _relation(entries), False, rule, theorem, withheld=void)


def _this(entries: Sequence[Entry], delta: float | None) -> Guarantee | None:
    """On these very data; None if something was asked for after seeing answers, or is beyond exact computation."""
    curves = [entry.release.dependent for entry in entries if entry.release.dependent is not None]
    if not entries or delta is None or len(curves) < len(entries):
        return None
    epsilon = min(fixed_in_advance(curves, delta), total(entries, delta)[0])
    return Guarantee(epsilon, delta, _relation(entries), True, "exact_rdp", _OWNERS)


def _relation(entries: Sequence[Entry]) -> Relation:
    return Relation.of(relation(entry.release for entry in entries))


def _left(spent: Sequence[Entry], budget: Budget) -> Left:
    assert budget.epsilon is not None
    used = composed([entry.release.cost for entry in spent], budget.delta, spent[0].rule) if spent else 0.0
    return Left(budget.epsilon, budget.delta, max(budget.epsilon - used, 0.0))


def _line(entry: Entry) -> Line:
    release, cost, spender = entry.release, entry.release.cost, entry.spender
    withheld = entry.withheld or ("" if entry.spent else KEPT)
    every = Guarantee(cost.epsilon, cost.delta, Relation.of(release.relation), False, release.kind, ALONE)
    return Line(
        id=entry.id,
        account=spender.account,
        kind=release.kind,
        scope=spender.scope,
        status=entry.status,
        mechanism=release.mechanism,
        parameters=release.parameters,
        every_data_set=every.without(withheld),
        this_data_set=_this([entry], cost.delta),
        cost=asdict(cost) | {"orders": list(ORDERS)},
        artifact=spender.artifact,
        run=spender.run,
        plan=spender.plan,
        time=entry.time,
        forced=bool(spender.forced),
        budget=asdict(entry.budget),
    )
