"""The privacy ledger: every release from private data, written down before it is made.

An account is the declared name of a private data set; its content is recognised by a keyed hash, which confirms no
guess. Entries are only ever added. One is `reserved` before its noise is drawn, `released` once the artifact is stored,
`abandoned` when what it was reserved for came to nothing: all three count as spent. A reservation is one transaction
over the sum of all others, so that however many processes spend at once, none of them overspends.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pate.accounting.costs import RELATION
from pate.accounting.filter import FIRST_ORDERS, ORDERS, Cost, Rule, at_orders, composed, deltas, suitable
from pate.accounting.guarantee import given, remaining, shown
from pate.errors import BudgetExceeded, ConfigError
from pate.ledger.file import LedgerFile
from pate.workspace.store import Store
from pate.workspace.versions import LEDGER

Scope = Literal["release", "evaluation", "owner"]  # drawn to leave; with seeded noise; for the owner's eyes only
Warn = Callable[[str], None]


@dataclass(frozen=True)
class Release:
    """What is about to leave: the mechanism, and what it costs on every data set and on this one.

    `dependent` are Renyi divergences (direction x order) on the private data at hand: the owner's, and null unless what
    is asked was fixed in advance.
    """

    kind: str
    mechanism: str
    parameters: dict[str, Any]
    relation: str
    cost: Cost
    dependent: list[list[float]] | None = None


@dataclass(frozen=True)
class Budget:
    """What may ever leave an account; `strict` refuses what does not fit, otherwise it is recorded and warned about."""

    epsilon: float | None
    delta: float
    strict: bool = False
    lift: bool = False  # give up a stricter one


@dataclass(frozen=True)
class Spender:
    """Who spends, for what, from which private contents. `plan` is a run's alone, or that of all runs fixed with it;
    `forced` names the request for fresh noise, if it is one."""

    account: str
    scope: Scope
    artifact: str
    run: str
    plan: str
    contents: tuple[str, ...] = ()
    forced: str = ""


@dataclass(frozen=True)
class Entry:
    """A line of the ledger; `rule` is how its account adds up, settled with its first release, `budget` the one in
    force."""

    id: int
    status: Literal["reserved", "released", "abandoned"]
    spender: Spender
    release: Release
    rule: Rule
    budget: Budget
    time: str

    @property
    def spent(self) -> bool:
        """Whatever came of it; evaluation and what the owner keeps stand apart."""
        return self.spender.scope == "release"

    @property
    def withheld(self) -> str:
        """Why its epsilon may not be published, if it may not: see `pate.release.withheld`."""
        return str(self.release.parameters.get("withheld", ""))


class Ledger:
    """The ledger of one workspace."""

    def __init__(self, file: Path, secret: bytes) -> None:
        self.path, self._file = file, LedgerFile(file, secret)

    @classmethod
    def of(cls, store: Store) -> Ledger:
        """A workspace's ledger: there from its first moment on, so that one that is missing is noticed."""
        file = store.root / "private" / "ledger.sqlite"
        if store.used() and not file.exists():  # in this order: another process may be making both right now
            raise ConfigError(
                f"{file} is gone, or older than this workspace: what was released is no longer known. Put it back, or "
                "start a new workspace"
            )
        return cls(file, store.secret)

    # -- spending ---------------------------------------------------------------------------------------

    def reserve(
        self, spender: Spender, release: Release, budget: Budget, warn: Warn, rounds: Sequence[Cost] = ()
    ) -> int:
        """Write a release down before it is made, if the budget allows; from here on it is spent.

        `rounds` are the costs of all of them, where this is one of several.
        """
        with self._file.transaction() as connection:
            rule: Rule = "renyi"
            before = _entries(self._file.rows(connection))  # refuses a ledger that lost some
            if spender.scope == "release":
                _recognise(before, spender, warn)
                own = [entry for entry in before if entry.spent and entry.spender.account == spender.account]
                rule = _filter(own, [release], spender.account, budget, warn, rounds)
            number = self._file.add(connection, _facts(spender, release, rule, budget))
            connection.execute("INSERT INTO artifacts VALUES (?, ?)", (spender.artifact, number))
        self._file.witness()
        return number

    def check(self, account: str, releases: Sequence[Release], budget: Budget, warn: Warn) -> None:
        """Refuse what would not be let through now, all rounds of it; nothing is written."""
        if releases:
            _filter(self.releases(account), releases, account, budget, warn)

    def record(self, entry: int, source: str, queries: Sequence[int], answers: Sequence[int]) -> None:
        """Keep what was answered under a reservation: asked again, it is served again."""
        with self._file.transaction() as connection:
            self._file.add_answers(connection, source, entry, dict(zip(queries, answers, strict=True)))

    def answers(self, source: str) -> dict[int, tuple[int, int]]:
        """What has been answered: query -> (answer, entry)."""
        with self._file.snapshot() as connection:
            return self._file.answers(connection, source)

    def use(self, artifact: str, entries: set[int]) -> None:
        """An artifact holds answers of these entries."""
        with self._file.transaction() as connection:
            rows = [(artifact, entry) for entry in entries]
            connection.executemany("INSERT OR IGNORE INTO artifacts VALUES (?, ?)", rows)

    def released(self, artifact: str) -> None:
        """What was reserved for it is out."""
        self._become("released", artifact, "")

    def abandon(self, artifact: str) -> None:
        """What was reserved for it and never answered came to nothing. It stays spent: who knows what was seen."""
        self._become("abandoned", artifact, " AND id NOT IN (SELECT entry FROM answers)")

    # -- reading ----------------------------------------------------------------------------------------

    def entries(self) -> list[Entry]:
        """Everything, in the order in which it was reserved."""
        with self._file.snapshot() as connection:
            return _entries(self._file.rows(connection))

    def behind(self, artifact: str) -> list[Entry]:
        """The entries whose answers an artifact holds, or which were reserved for it."""
        with self._file.snapshot() as connection:
            entries = _entries(self._file.rows(connection))  # first: the witness is read before the snapshot is taken
            linked = {entry for (entry,) in connection.execute(
                "SELECT entry FROM artifacts WHERE artifact = ?", (artifact,)
            )}  # fmt: skip
            return [entry for entry in entries if entry.id in linked]

    def drawn(self) -> set[str]:
        """All artifacts that hold a draw, or for which one is reserved, that would come out otherwise the next time:
        whatever is not seeded."""
        with self._file.snapshot() as connection:
            entries = _entries(self._file.rows(connection))
            fresh = {entry.id for entry in entries if entry.spender.scope != "evaluation"}
            links = connection.execute("SELECT artifact, entry FROM artifacts")
            return {artifact for artifact, entry in links if entry in fresh}

    def pending(self, artifact: str) -> list[Entry]:
        """Reservations for an artifact that is not stored yet."""
        return [entry for entry in self.behind(artifact) if entry.status == "reserved"]

    def spent(self, account: str, delta: float) -> float:
        """What everything released from an account costs at this delta, on every data set."""
        return total(self.releases(account), delta)[0]

    def accounts(self) -> dict[str, str]:
        """The account of every content that is known: one from which something was released has that one."""
        entries = sorted(self.entries(), key=lambda entry: entry.spent)
        return {content: entry.spender.account for entry in entries for content in entry.spender.contents}

    def releases(self, account: str) -> list[Entry]:
        """All that counts as spent from an account."""
        return [entry for entry in self.entries() if entry.spent and entry.spender.account == account]

    def _become(self, status: str, artifact: str, which: str) -> None:
        with self._file.transaction() as connection:
            connection.execute(
                "UPDATE entries SET status = ? WHERE status = 'reserved' AND id IN "
                f"(SELECT entry FROM artifacts WHERE artifact = ?){which}",
                (status, artifact),
            )


def total(entries: Sequence[Entry], delta: float) -> tuple[float, Rule]:
    """The least epsilon of a budget that, fixed in advance, would have let all of these through, and by which rule.

    It is what they cost together if nothing that was seen decided where to stop; whoever stops or goes on by what was
    seen needs that budget fixed beforehand: an odometer has to be larger (Rogers et al. 2016).
    """
    costs = [entry.release.cost for entry in entries]
    rules: tuple[Rule, ...] = (entries[0].rule,) if len(entries) > 1 else ("renyi", "basic")
    return min((composed(costs, delta, rule), rule) for rule in rules)


def relation(releases: Iterable[Release]) -> str:
    """What neighbours differ in under a total: one record is part of its person's records, so what hides all of them
    hides it, and not the other way round."""
    relations = {release.relation for release in releases}
    return relations.pop() if len(relations) == 1 else RELATION


def _recognise(before: Sequence[Entry], spender: Spender, warn: Warn) -> None:
    """One content has one account; one account may change its content."""
    owners = {content: e.spender.account for e in before if e.spent for content in e.spender.contents}
    known = [owners[content] for content in spender.contents if content in owners]
    for owner in known:
        if owner != spender.account:
            raise ConfigError(
                f"budget.account={spender.account}: these private records are account {owner} already, and what is "
                f"released from them adds up there: use budget.account={owner}"
            )
    if spender.contents and not known and spender.account in owners.values():
        warn(
            f"the private data of account {spender.account} changed: what is released from it is added to what was "
            "released before; if it is of other people, name an account of its own with budget.account="
        )


def _filter(
    own: Sequence[Entry],
    releases: Sequence[Release],
    account: str,
    budget: Budget,
    warn: Warn,
    rounds: Sequence[Cost] = (),
) -> Rule:
    """Let releases through, or say what is missing; the rule by which they were weighed."""
    _keep_strict(own, account, budget, warn)
    before, costs = [entry.release.cost for entry in own], [release.cost for release in releases]
    promise = relation([*(entry.release for entry in own), *releases])
    _keep_relation(own, promise, account, budget, warn)
    _keep_budgets(own, releases, account, budget, warn)
    rule = own[0].rule if own else suitable(rounds or costs, budget.epsilon, budget.delta)
    if budget.epsilon is None or (together := composed([*before, *costs], budget.delta, rule)) <= budget.epsilon:
        return rule
    spent, requested = (composed(some, budget.delta, rule) for some in (before, costs))
    unfinished = sum(entry.status != "released" for entry in own)
    killed = f" ({unfinished} of {len(own)} draws were not finished, and count)" if unfinished else ""
    message = (
        f"the budget of account {account} is epsilon {remaining(budget.epsilon)}, delta {given(budget.delta)}, "
        f"{promise}: "
        f"requested {shown(requested)}, spent {shown(spent)}{killed}, "
        f"remaining {remaining(max(budget.epsilon - spent, 0.0))}; "
    )
    if rule == "basic" and math.isinf(together):
        message += f"deltas add up to {given(float(deltas([*before, *costs])))}, which is too much"
    else:
        message += f"together they would cost {shown(together)}, so {shown(together - budget.epsilon)} is missing"
    if budget.strict:
        raise BudgetExceeded(f"{message}; nothing was drawn for it")
    warn(f"{message}; budget=research records it all the same")
    return rule


def _keep_relation(own: Sequence[Entry], promise: str, account: str, budget: Budget, warn: Warn) -> None:
    """What hides a person's records is given up by the first release that hides single ones: not without a word."""
    was = relation(entry.release for entry in own) if own else promise
    if was == promise:
        return
    message = f"account {account} has promised {was} so far; with this release all of it would promise {promise} only"
    if budget.strict and not budget.lift:
        raise BudgetExceeded(f"{message}: budget.lift=true gives the stronger promise up; nothing was drawn for it")
    warn(message)


def _keep_budgets(own: Sequence[Entry], releases: Sequence[Release], account: str, budget: Budget, warn: Warn) -> None:
    """What a record allows is kept by one release; totals are those of a record that allows most."""
    several = [*(entry.release for entry in own), *releases]
    if len(several) == 1 or not any("budgets" in release.parameters for release in several):
        return
    message = (
        f"account {account}: partition.budgets hold for one release alone, and this would be number {len(several)}: "
        "a record that allows less pays for all of them together, and what that comes to is not added up here"
    )
    if budget.strict:
        raise BudgetExceeded(f"{message}; nothing was drawn for it")
    warn(message)


def _keep_strict(own: Sequence[Entry], account: str, budget: Budget, warn: Warn) -> None:
    """A strict budget outlives the run that set it: a looser one has to be asked for."""
    last = own[-1].budget if own else budget
    if not last.strict or last.epsilon is None:
        return
    looser = not budget.strict or budget.epsilon is None or budget.epsilon > last.epsilon or budget.delta > last.delta
    if not looser:
        return
    promise = relation(entry.release for entry in own)
    was = f"account {account} has a strict budget, epsilon {given(last.epsilon)}, delta {given(last.delta)}, {promise}"
    if not budget.lift:
        raise ConfigError(
            f"{was}: go on with budget=strict budget.epsilon={given(last.epsilon)} budget.delta={given(last.delta)}, "
            "or give it up with budget.lift=true, which breaks what it promised"
        )
    warn(f"{was}, which this run gives up (budget.lift)")


def _facts(spender: Spender, release: Release, rule: Rule, budget: Budget) -> str:
    facts = {"spender": asdict(spender), "release": asdict(release), "rule": rule, "budget": asdict(budget)}
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return json.dumps({"version": LEDGER, "orders": ORDERS, "time": now} | facts, sort_keys=True)


def _entries(rows: Sequence[tuple[int, str, str]]) -> list[Entry]:
    return [_entry(number, status, json.loads(facts)) for number, facts, status in rows]


def _entry(number: int, status: Any, facts: dict[str, Any]) -> Entry:
    spender = facts["spender"] | {"contents": tuple(facts["spender"]["contents"])}
    orders, release = facts.get("orders", FIRST_ORDERS), facts["release"]  # the first version had one set of orders
    cost = Cost(**(release["cost"] | {"rdp": at_orders(release["cost"]["rdp"], orders)}))
    owners = release["dependent"] and [list(at_orders(way, orders)) for way in release["dependent"]]
    budget, release = Budget(**facts["budget"]), Release(**(release | {"cost": cost, "dependent": owners}))
    return Entry(number, status, Spender(**spender), release, facts["rule"], budget, facts["time"])
