"""Brings stages up to date: reuse what is stored under the same key, run what is not, rebuild what is damaged.

A stage that draws noise is in the ledger before, and nothing it drew is stored or served without its entry there.
"""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pate.errors import BudgetExceeded, ConfigError, PateError
from pate.learning.telling import telling
from pate.ledger.ledger import Ledger, Release, Spender
from pate.ledger.spending import Spending
from pate.noise import SEEDED
from pate.release.withheld import withheld
from pate.settings import Settings
from pate.workspace.about import Record, contents_of, own_notes, summary_of
from pate.workspace.accounts import Accounts
from pate.workspace.kept import Kept
from pate.workspace.keys import Keys, artifact_name
from pate.workspace.memory import peak_memory
from pate.workspace.pieces import Pieces
from pate.workspace.stage import Pipeline, Ref, Stage
from pate.workspace.store import Store
from pate.workspace.view import view

log = logging.getLogger("pate")


@dataclass
class Run:
    """What a stage is handed beside its inputs: the settings it declares, where to keep parts, what to spend with, a
    name for one of its inputs as a `source` of answers, and the notes that hold of all of them.

    It leaves a `summary` of one line, `notes` that the results must say, and if it brought private data in, digests of
    its `contents`.
    """

    settings: Settings
    pieces: Pieces
    spending: Spending
    source: Callable[..., str] = lambda *_: ""
    inherited: tuple[str, ...] = ()
    summary: str = ""
    notes: tuple[str, ...] = ()
    contents: tuple[str, ...] = ()
    published: str = ""  # what it put where what leaves is put
    facts: dict[str, Any] = field(default_factory=dict)  # what the manifest is to tell of it beside
    origin: Callable[[str], tuple[str, str]] = lambda _: ("", "")  # an input as an artifact, and whose data it is from
    told: Callable[[str], list[dict[str, Any]]] = lambda _: []  # what manifests tell of all that a stage has stored

    @property
    def all_notes(self) -> tuple[str, ...]:
        """What holds of its inputs, and what it says itself: see `pate.release.withheld`."""
        return (*self.inherited, *self.notes)


@dataclass
class Runner:
    """One run over one workspace; `name` is the run's, `plan` that of whatever fixed it, alone or with others."""

    settings: Settings
    graph: Pipeline
    store: Store
    name: str = ""
    plan: str = ""
    records: dict[str, Record] = field(default_factory=dict)
    begun: set[str] = field(default_factory=set)  # stages that were started and so need no forcing any more

    def __post_init__(self) -> None:
        self.ledger = Ledger.of(self.store)
        self.kept = Kept(self.store, self.ledger, self.settings)
        self.accounts = Accounts(self.settings, self.graph, self.ledger, self.records)
        self.keys = Keys(self.settings, self.graph, self.store, self.ledger, self.records, self.accounts)

    def bring_up_to_date(self, targets: list[str], foreseen: Iterable[tuple[str, Release]] = ()) -> None:
        """Run every needed stage that is not stored yet. Those that read nothing come first: with them the private data
        is in, so that its account is known to what is `foreseen`."""
        needed = self.graph.needed(targets)
        for stage in (one for one in needed if not one.reads):
            self._update(stage)
        self.accounts.warn_of_new(stage for stage in needed if stage.crosses)
        self.accounts.foresee(foreseen)
        for stage in (one for one in needed if one.reads):
            self._update(stage)

    def asked_in_several_runs(self, stage: str) -> bool:
        """Whether what a stage drew was answered under several plans, of which later ones may have seen answers."""
        if stage not in self.records:
            return False
        behind = self.ledger.behind(f"{stage}/{self.records[stage].key}")
        return len({entry.spender.plan for entry in behind if entry.spent}) > 1

    def stored(self, targets: Iterable[str]) -> list[tuple[Stage, bool]]:
        """Every needed stage, and whether its result is stored. Nothing is run; what is made of something that is still
        to be made is not there either."""
        found = []
        for stage in self.graph.needed(targets):
            ready = all(self.graph.maker(ref).name in self.records for ref in stage.reads)
            key = self.keys.key(stage) if ready else ""
            about = self.kept.about(stage, key) if ready else None
            if about is not None:
                told = about["summary"], self._notes(stage, own_notes(stage, about)), contents_of(about)
                self.records[stage.name] = Record(key, 0.0, None, True, *told, self.keys.declared(stage))
            found.append((stage, about is not None))
        return found

    def artifact(self, ref: Ref) -> Any:
        """An artifact of this run."""
        maker = self.graph.maker(ref)
        return self.store.read(ref.side, maker.name, self.records[maker.name].key, ref.name, ref.kind)

    def made(self, ref: Ref) -> Any:
        """The artifact, or None where its stage was not part of this run."""
        known = ref in self.graph and self.graph.maker(ref).name in self.records
        return self.artifact(ref) if known else None

    def _update(self, stage: Stage) -> None:
        key, declared = self.keys.key(stage), self.keys.declared(stage)
        waiting = partial(log.info, "%-10s another run is making it: waiting", stage.name)
        with self.store.lock(stage.name, key, waiting):
            pieces = self.store.pieces(stage.name, key)
            if stage.name in self.settings.force:
                pieces.clear()
                pieces.mark()
            about = None if self.kept.asked_again(stage, key, pieces) else self.kept.about(stage, key)
            if about is not None:
                pieces.clear()  # of a run that was killed before it could
                notes = self._notes(stage, own_notes(stage, about))
                effort = about | ({} if about["seconds"] else self.store.effort(stage.name, key))
                took, told = (effort["seconds"], effort.get("memory")), summary_of(about, notes)
                self._record(stage, Record(key, *took, True, told, notes, contents_of(about), declared))
                return
            self.begun.add(stage.name)
            inputs = {ref.name: self.artifact(ref) for ref in stage.reads}
            spending = self._spending(stage, key, pieces)
            run = Run(
                view(self.settings, stage),
                pieces,
                spending,
                partial(self.keys.source, stage),
                self._inherited(stage),
                origin=partial(self._origin, stage),
                told=partial(self.store.abouts, "private"),
            )
            started = time.monotonic()
            with telling(stage.name), peak_memory() as peak:
                result = self._result(stage, run, inputs)
                seconds, memory = time.monotonic() - started, peak()
            self.kept.refuse_unwritten(stage, key)
            own = (*_forced_note(stage, pieces), *run.notes)
            notes = self._notes(stage, own)
            contents = tuple(self.store.key("content", content) for content in run.contents)
            about = {"stage": stage.name, "summary": run.summary, "notes": notes, "own": own, "asked": pieces.marked}
            about |= {"facts": run.facts} if run.facts else {}
            effort = {"seconds": seconds} | ({} if memory is None else {"memory": memory})
            self.kept.keep(stage, key, result, about, effort, contents)
            self.ledger.released(artifact_name(stage, key))
            pieces.clear()
        warnings = tuple(spending.warnings)
        self._record(
            stage, Record(key, seconds, memory, False, run.summary, notes, contents, declared, warnings, run.published)
        )

    def _result(self, stage: Stage, run: Run, inputs: dict[str, Any]) -> Any:
        try:
            return stage.function(run, **inputs)
        except (BudgetExceeded, ConfigError):
            run.pieces.unmark()  # refused, not interrupted: what is stored, if anything, stays what it was
            raise
        except (PateError, OSError):
            raise  # our own words, or the operating system's
        except Exception as error:
            if not any(ref.side == "private" for ref in (*stage.reads, *stage.writes)):
                raise
            kept = self.store.keep_error(stage.name, traceback.format_exc())
            raise PateError(
                f"stage {stage.name} failed with {type(error).__name__}; what it says may quote private data and is in "
                f"{kept}"
            ) from None

    def _origin(self, stage: Stage, name: str) -> tuple[str, str]:
        """The artifact behind an input, by what it holds (one that was drawn again is another), and the account of the
        private data behind it."""
        ref = next(ref for ref in stage.reads if ref.name == name)
        maker = self.graph.maker(ref)
        return artifact_name(maker, self.keys.identity(ref)), self.accounts.of(maker)

    def _spender(self, stage: Stage, key: str, forced: str) -> Spender:
        """In the name of the account of the private data behind a stage."""
        return Spender(
            account=self.accounts.of(stage),
            scope="release" if self.settings.noise.seed is None else "evaluation",
            artifact=artifact_name(stage, key),
            run=self.name,
            plan=self.plan or self.name,
            contents=tuple(sorted(self.accounts.contents(stage))),
            forced=forced,
        )

    def _spending(self, stage: Stage, key: str, pieces: Pieces) -> Spending:
        """The stage's way to the ledger."""
        spender = self._spender(stage, key, pieces.marked)
        waiting = partial(log.info, "%-10s another run is asking the same votes: waiting", stage.name)
        lock = partial(self.store.lock, "source", waiting=waiting)
        return Spending(self.ledger, spender, self.settings.limit, lock, withheld(self._inherited(stage)))

    def _inherited(self, stage: Stage) -> tuple[str, ...]:
        """What holds of an artifact (seeded noise!) holds of everything made from it, and of whatever draws under a
        seed. By this note the store tells what may leave from what lies apart."""
        seeded = (stage.crosses or "noise" in stage.config) and self.settings.noise.seed is not None
        notes = [note for ref in stage.reads for note in self.records[self.graph.maker(ref).name].notes]
        return tuple(dict.fromkeys([*(SEEDED,) * bool(seeded), *notes]))

    def _notes(self, stage: Stage, own: Iterable[str]) -> tuple[str, ...]:
        """What holds of its inputs now, whoever made it first, and what it says itself."""
        return tuple(dict.fromkeys([*self._inherited(stage), *own]))

    def _record(self, stage: Stage, record: Record) -> None:
        self.records[stage.name] = record
        how = "reused" if record.reused else f"{record.seconds:.1f} s"
        log.info("%-17s %7s  %s", stage.name, how, record.summary)


def _forced_note(stage: Stage, pieces: Pieces) -> tuple[str, ...]:
    """Said also when the forced run was interrupted, and this one, which was not forced, has finished it."""
    again = stage.crosses and pieces.marked
    return (f"{stage.name}: noise was drawn afresh on request; prices of all draws add up",) if again else ()
