"""What a stage is handed to spend privacy with: nothing is drawn that the ledger does not hold already."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace

import numpy as np

from pate.accounting.filter import Cost
from pate.errors import ConfigError
from pate.ledger.ledger import Budget, Ledger, Release, Spender

log = logging.getLogger("pate")


@dataclass
class Spending:
    """One stage's way to the ledger; `lock(source)` lets one process at a time ask a source of answers."""

    ledger: Ledger
    spender: Spender
    budget: Budget
    lock: Callable[[str], AbstractContextManager[None]]
    withheld: str = ""  # why no epsilon of it may be published, if none may: then no strict budget can hold
    warnings: list[str] = field(default_factory=list)  # the owner's: what they tell may depend on private data
    rounds: list[Cost] = field(default_factory=list)  # of a release made in several

    def answers(
        self,
        source: str,
        queries: np.ndarray,
        release: Callable[[np.ndarray], Release],
        draw: Callable[[np.ndarray], np.ndarray],
    ) -> np.ndarray:
        """Answer queries to one source, votes under one mechanism: those answered before are served, not drawn.

        `release(new)` says what answering these costs, `draw(new)` answers them, once they are reserved. Seeded noise
        protects nobody and is drawn whole, so that it depends on its seed alone.
        """
        if self.spender.scope != "release":
            self._reserve(release(queries))
            return draw(queries)
        with self.lock(source):
            known = self._known(source)
            new = np.array([query for query in queries.tolist() if query not in known], dtype=np.int64)
            if len(new):
                entry = self._reserve(release(new))
                drawn = draw(new)
                self.ledger.record(entry, source, new.tolist(), drawn.tolist())
                known |= {query: (answer, entry) for query, answer in zip(new.tolist(), drawn.tolist(), strict=True)}
            if served := len(queries) - len(new):
                log.info("  %d of %d queries were answered before: served again, nothing spent", served, len(queries))
            given = [known[query] for query in queries.tolist()]
            self.ledger.use(self.spender.artifact, {entry for _, entry in given})
        return np.array([answer for answer, _ in given], dtype=np.int64)

    def foresee(self, source: str, rounds: Sequence[Release], done: int) -> None:
        """Refuse at once what would be refused half-way: a release made in rounds, each reserved by itself, of which so
        many are done, or were answered before the run was killed. That others' answers may serve is not counted on."""
        self.rounds = [release.cost for release in rounds]
        if self.spender.scope == "release":
            paid = len({entry for _, entry in self._known(source).values()} & self._pending())
            self.ledger.check(self.spender.account, rounds[max(done, paid) :], self.budget, self._warn)

    def whole(self, release: Release, begun: bool) -> None:
        """Reserve a mechanism's whole cost before its first step; what has `begun` goes on under its reservation."""
        if not (begun and self.ledger.pending(self.spender.artifact)):
            self._reserve(release)

    def paid(self, release: Release) -> bool:
        """Whether what was reserved for this artifact, and is not stored yet, is this very release."""
        pending = self.ledger.pending(self.spender.artifact)[-1:]
        theirs = [(entry.release.cost, entry.release.parameters | {"withheld": ""}) for entry in pending]
        return theirs == [(release.cost, release.parameters | {"withheld": ""})]

    def kept(self) -> Spending:
        """For what is made for the owner's eyes only: it is noted, does not leave, and so is not spent."""
        if self.spender.scope != "release":
            return self
        return replace(self, spender=replace(self.spender, scope="owner"))

    def owners(self, release: Release) -> None:
        """Note what was made for the owner's eyes only."""
        self.kept()._reserve(release)

    def _known(self, source: str) -> dict[int, tuple[int, int]]:
        """What has been answered; where fresh noise was asked for, only what this very draw has answered so far."""
        known = self.ledger.answers(source)
        if not self.spender.forced:
            return known
        fresh = self._pending()
        return {query: answer for query, answer in known.items() if answer[1] in fresh}

    def _pending(self) -> set[int]:
        """What was reserved for this very request, and is not stored yet."""
        pending = self.ledger.pending(self.spender.artifact)
        return {entry.id for entry in pending if entry.spender.forced == self.spender.forced}

    def _reserve(self, release: Release) -> int:
        if self.withheld and self.spender.scope == "release":
            if self.budget.strict:
                raise ConfigError(f"budget=strict: {self.withheld}, so no budget can hold; nothing was drawn for it")
            release = replace(release, parameters=release.parameters | {"withheld": self.withheld})
        if self.spender.scope == "release":
            self.ledger.abandon(self.spender.artifact)
        return self.ledger.reserve(self.spender, release, self.budget, self._warn, self.rounds)

    def _warn(self, message: str) -> None:
        log.warning("warning: %s", message)
        self.warnings.append(message)
