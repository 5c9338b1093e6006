"""Crowds: eight processes spend from one account at once, or make a workspace at the same moment."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from pate.accounting.filter import ORDERS, Cost, composed
from pate.errors import BudgetExceeded
from pate.ledger.ledger import Budget, Ledger, Release, Spender
from pate.workspace.store import Store

from . import pipeline
from .child import Child, Outcome
from .hooks import Hooks, drawn
from .invariants import Violation, look

REFUSED = 3  # as `pate` exits
BUDGET = Budget(epsilon=3.0, delta=1e-5, strict=True)


@dataclass
class Crowd:
    """What a crowd did: reservations asked for, let through, and refused; processes killed."""

    tried: int = 0
    recorded: int = 0
    refused: int = 0
    killed: int = 0
    seconds: float = 0.0


def cost(size: float) -> Cost:
    """A Gaussian mechanism's: size is the square of its sensitivity over sigma."""
    return Cost(tuple(order * size / 2 for order in ORDERS), float("inf"), (2 * size * 12) ** 0.5 + size / 2, 1e-6)


def together(works: Sequence[Callable[[], int | None]], folder: Path, kill: Sequence[float] = ()) -> list[Outcome]:
    """Let them all go at the same moment; the first ones are killed so many seconds later."""
    gate, opener = os.pipe()

    def waiting(work: Callable[[], int | None]) -> int | None:
        os.close(opener)
        os.read(gate, 1)  # returns when the parent closes its end
        return work()

    children = [Child(partial(waiting, work), folder / f"output-{number}") for number, work in enumerate(works)]
    os.close(gate)
    time.sleep(0.05)
    os.close(opener)
    started = time.monotonic()
    for child, after in sorted(zip(children, kill, strict=False), key=lambda pair: pair[1]):
        time.sleep(max(0.0, started + after - time.monotonic()))
        child.kill()
    return [child.wait() for child in children]


def spend_until_refused(file: Path, secret: bytes, size: float, log: Path, at_most: int = 100_000) -> int:
    """Many small reservations, each noted once it was let through; then three more that must be refused."""
    ledger = Ledger(file, secret)
    spender = Spender("crowd", "release", f"labels/{os.getpid()}", "run", "plan")
    release = Release("labels", "Gaussian", {"answers": 1}, "one record", cost(size))
    refused = 0
    with open(log, "a", buffering=1) as said:
        while refused < 3 and at_most:
            at_most -= 1
            try:
                said.write("tried\n")
                said.write(f"{ledger.reserve(spender, release, BUDGET, lambda message: None)}\n")
            except BudgetExceeded:
                refused += 1
                said.write("refused\n")
    return REFUSED if refused else 0


def read_meanwhile(file: Path, secret: bytes, seconds: float) -> int:
    """Somebody looks at the ledger while others spend: what they see is whole."""
    ledger, deadline, before = Ledger(file, secret), time.monotonic() + seconds, 0
    while time.monotonic() < deadline:
        now = len(ledger.entries())
        if now < before:
            raise Violation(f"{before} entries were there, and now {now}")
        before = now
    return 0


def readers(folder: Path, seconds: float = 1.0) -> Crowd:
    """Four spend, four read."""
    started, file, secret = time.monotonic(), folder / "ledger.sqlite", os.urandom(32)
    Ledger(file, secret)
    works = [partial(spend_until_refused, file, secret, 1e-4, folder / f"log-{one}", 50) for one in range(4)]
    works += [partial(read_meanwhile, file, secret, seconds)] * 4
    for outcome in together(works, folder):
        _expect(outcome.code == 0, f"{outcome.said.strip().splitlines()[-1:]}")
    recorded = len(Ledger(file, secret).entries())
    _expect(recorded == 200, f"200 spends, {recorded} in the ledger")
    return Crowd(200, recorded, 0, 0, time.monotonic() - started)


def spenders(folder: Path, seed: int, kill: int = 0, processes: int = 8) -> Crowd:
    """Directly on the ledger, under a strict budget; some are killed while they spend."""
    started, chance = time.monotonic(), random.Random(seed)
    file, secret = folder / "ledger.sqlite", os.urandom(32)
    Ledger(file, secret)
    sizes = [chance.choice([0.001, 0.002, 0.003, 0.005]) for _ in range(processes)]
    works = [
        partial(spend_until_refused, file, secret, size, folder / f"log-{number}") for number, size in enumerate(sizes)
    ]
    ended = together(works, folder, [chance.uniform(0.05, 0.6) for _ in range(kill)])
    crowd = Crowd()
    acknowledged: list[int] = []
    entries = Ledger(file, secret).entries()  # numbers and seals
    costs = [entry.release.cost for entry in entries]
    _expect(composed(costs, BUDGET.delta, "renyi") <= BUDGET.epsilon, "more was spent than the budget holds")
    for number, (outcome, size) in enumerate(zip(ended, sizes, strict=True)):
        said = (folder / f"log-{number}").read_text().splitlines() if (folder / f"log-{number}").exists() else []
        crowd.tried += said.count("tried")
        crowd.refused += said.count("refused")
        acknowledged += [int(line) for line in said if line.isdigit()]
        crowd.killed += outcome.killed
        _expect(outcome.killed or outcome.code == REFUSED, f"neither refused nor killed: {outcome.code} {outcome.said}")
        full = composed([*costs, cost(size)], BUDGET.delta, "renyi") > BUDGET.epsilon
        _expect(outcome.killed or full, "refused what would have fitted")
    _expect(len(set(acknowledged)) == len(acknowledged), "two reservations have one number")
    _expect(set(acknowledged) <= {entry.id for entry in entries}, "a reservation was lost")
    _expect(len(entries) - len(acknowledged) <= crowd.killed, "entries nobody asked for")
    crowd.recorded, crowd.seconds = len(entries), time.monotonic() - started
    return crowd


def creators(folder: Path, processes: int = 8) -> Crowd:
    """A workspace's first moment, eight times over."""
    started, workspace = time.monotonic(), folder / "workspace"

    def create() -> int:
        store = Store(workspace)
        ledger = Ledger.of(store)
        (workspace / "private" / "data").mkdir(mode=0o700, exist_ok=True)  # the first stage starts
        spender = Spender("crowd", "release", "labels/1", "run", "plan")
        release = Release("labels", "Gaussian", {"answers": 1}, "one record", cost(0.01))
        ledger.reserve(spender, release, replace(BUDGET, epsilon=None), print)
        return 0

    for outcome in together([create] * processes, folder):
        _expect(outcome.code == 0, f"one could not create the workspace: {outcome.said.strip().splitlines()[-1:]}")
    entries = Ledger.of(Store(workspace)).entries()
    _expect(len(entries) == processes, f"{processes} spends, {len(entries)} in the ledger")
    return Crowd(processes, len(entries), 0, 0, time.monotonic() - started)


def pipelines(folder: Path, epsilon: float, kill: Sequence[float] = ()) -> Crowd:
    """Eight whole runs with different queries in one workspace, under a budget that not all of them fit."""
    started, workspace, log = time.monotonic(), folder / "workspace", folder / "drawn"
    strict = ("budget=strict", f"budget.epsilon={epsilon}", "aggregator.gamma=0.05")
    wanted = [
        (f"labels.queries={queries}", f"labels.selection={selection}")
        for queries, selection in [(4, "first"), (20, "random"), (9, "medoids"), (30, "random"), (16, "first"),
                                   (25, "medoids"), (40, "first"), (12, "random")]
    ]  # fmt: skip
    works = [
        partial(pipeline.quick, pipeline.composed(*pipeline.SMALL, *strict, *own), workspace, (), Hooks(log))
        for own in wanted
    ]
    ended = together(works, folder, kill)
    for outcome in ended:
        refused = outcome.code == REFUSED and "nothing was drawn" in outcome.said
        _expect(outcome.killed or outcome.code == 0 or refused, f"exit code {outcome.code}: {outcome.said}")
    state = look(workspace, log)
    costs = [entry.release.cost for entry in state.entries]
    rule = state.entries[0].rule  # settled by whoever came first: 25 labels alone fit epsilon 1 by `basic` only
    _expect(composed(costs, 1e-4, rule) <= epsilon, "more was spent than the budget holds")
    alone = [Child(work, folder / "again").wait() for work in works]  # whoever was refused still is; nobody is stuck
    _expect(all(outcome.code in (0, REFUSED) for outcome in alone), "a run cannot be repeated")
    state = look(workspace, log)
    _expect(drawn(log) <= state.reserved, "drawn and not recorded")
    refused = sum(outcome.code == REFUSED for outcome in ended)
    killed = sum(outcome.killed for outcome in ended)
    return Crowd(len(works), len(state.entries), refused, killed, time.monotonic() - started)


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Violation(otherwise)
