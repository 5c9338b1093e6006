"""Whose budget a stage spends: the account of the private data behind it, as far as that is in."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from pate.ledger.ledger import Ledger, Release
from pate.settings import Settings
from pate.workspace.about import Record
from pate.workspace.stage import Pipeline, Stage
from pate.workspace.view import view

log = logging.getLogger("pate")


@dataclass
class Accounts:
    """Of one run; `records` grows while it goes on, and with it what the data are recognised by."""

    settings: Settings
    graph: Pipeline
    ledger: Ledger
    records: Mapping[str, Record]

    def of(self, stage: Stage) -> str:
        """Of the private data behind a stage: as the user named it, as the ledger knows its content, or by default."""
        if self.settings.budget.account:
            return self.settings.budget.account
        brought = self.graph.brought(stage)
        known = (self._known.get(content) for content in self.contents(stage))
        usual = (one.account(view(self.settings, one)) for one in brought if one.account)
        return next(filter(None, (*known, *usual)), "")

    @property
    def first(self) -> str:
        """Of the data this run's first release is drawn from, or would be."""
        releases_first = sorted(self.graph.stages, key=lambda stage: not stage.crosses)
        return next(filter(None, map(self.of, releases_first)), "")

    def contents(self, stage: Stage) -> list[str]:
        """What of the private data behind a stage is recognised by."""
        read = {"data": self.records.get("check")}  # which has read the same before
        brought = (self.records.get(one.name) or read.get(one.name) for one in self.graph.brought(stage))
        return [content for record in brought if record for content in record.contents]

    @cached_property
    def _known(self) -> dict[str, str]:
        return self.ledger.accounts()

    def warn_of_new(self, stages: Iterable[Stage]) -> None:
        """Own files that are new here may be of people who are known under another name, or be changed ones."""
        there = sorted(set(self._known.values()))
        if self.settings.budget.account or not there:
            return
        for account in {self.of(stage) for stage in stages} - {*there, self.settings.dataset.name}:
            log.warning(
                "warning: these private data are new here: account %s, beside %s. If they are of the same people, say "
                "so with budget.account: then what is released adds up",
                account,
                ", ".join(there),
            )

    def foresee(self, releases: Iterable[tuple[str, Release]]) -> None:
        """Refuse before hours of training what the budget will not allow after them. What is like an earlier release
        may be served again, and is left to the moment it is asked for."""
        asked: dict[str, list[Release]] = {}
        for name, release in releases:
            asked.setdefault(self.of(self.graph.named(name)), []).append(release)
        for account, some in asked.items():
            own = [entry.release for entry in self.ledger.entries() if entry.spender.account == account]
            known = {(release.kind, release.mechanism) for release in own}
            new = [release for release in some if (release.kind, release.mechanism) not in known]
            self.ledger.check(account, new, self.settings.limit, log.warning)
