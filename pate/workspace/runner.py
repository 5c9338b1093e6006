"""Brings stages up to date: reuse what is stored under the same key, run what is not, rebuild what is damaged.

A stage that draws noise is in the ledger before, and nothing it drew is stored or served without its entry there.
"""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from pate.accounting.mechanism import Mechanism
from pate.choice import Choice
from pate.errors import BudgetExceeded, ConfigError, DamagedArtifact, PateError
from pate.learning.telling import telling
from pate.ledger.ledger import Ledger, Release, Spender
from pate.ledger.spending import Spending
from pate.noise import SEEDED
from pate.release.withheld import withheld
from pate.settings import Settings
from pate.workspace.about import contents_of, own_notes, summary_of
from pate.workspace.artifact import Artifact
from pate.workspace.identity import Said, named, said
from pate.workspace.memory import peak_memory
from pate.workspace.pieces import Pieces
from pate.workspace.stage import Pipeline, Ref, Stage, code_version
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

    @property
    def all_notes(self) -> tuple[str, ...]:
        """What holds of its inputs, and what it says itself: see `pate.release.withheld`."""
        return (*self.inherited, *self.notes)


@dataclass(frozen=True)
class Record:
    """How one stage went."""

    key: str
    seconds: float
    memory: int | None  # bytes, the most its processes held together
    reused: bool
    summary: str
    notes: tuple[str, ...] = ()
    contents: tuple[str, ...] = ()  # keyed
    declared: Said = field(default_factory=lambda: Said("", None))  # all configuration that leads to it, as a key
    warnings: tuple[str, ...] = ()  # for the owner alone
    published: str = ""


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

    def bring_up_to_date(self, targets: list[str], foreseen: Iterable[tuple[str, Release]] = ()) -> None:
        """Run every needed stage that is not stored yet. Those that read nothing come first: with them the private data
        is in, so that its account is known to what is `foreseen`."""
        needed = self.graph.needed(targets)
        for stage in (one for one in needed if not one.reads):
            self._update(stage)
        self.warn_of_new_account([stage for stage in needed if stage.crosses])
        self._foresee(foreseen)
        for stage in (one for one in needed if one.reads):
            self._update(stage)

    def warn_of_new_account(self, stages: Iterable[Stage]) -> None:
        """Own files that are new here may be of people who are known under another name, or be changed ones."""
        there = sorted(set(self._known_accounts.values()))
        if self.settings.budget.account or not there:
            return
        for account in {self._account(stage) for stage in stages} - {*there, self.settings.dataset.name}:
            log.warning(
                "warning: these private data are new here: account %s, beside %s. If they are of the same people, say "
                "so with budget.account: then what is released adds up",
                account,
                ", ".join(there),
            )

    def _foresee(self, releases: Iterable[tuple[str, Release]]) -> None:
        """Refuse before hours of training what the budget will not allow after them. What is like an earlier release
        may be served again, and is left to the moment it is asked for."""
        asked: dict[str, list[Release]] = {}
        for name, release in releases:
            asked.setdefault(self._account(self.graph.named(name)), []).append(release)
        for account, some in asked.items():
            own = [entry.release for entry in self.ledger.entries() if entry.spender.account == account]
            known = {(release.kind, release.mechanism) for release in own}
            new = [release for release in some if (release.kind, release.mechanism) not in known]
            self.ledger.check(account, new, self.settings.limit, log.warning)

    @property
    def account(self) -> str:
        """Of the data this run's first release is drawn from, or would be."""
        releases_first = sorted(self.graph.stages, key=lambda stage: not stage.crosses)
        return next(filter(None, map(self._account, releases_first)), "")

    def _account(self, stage: Stage) -> str:
        """Of the private data behind a stage: as the user named it, as the ledger knows its content, or by default."""
        if self.settings.budget.account:
            return self.settings.budget.account
        brought = self.graph.brought(stage)
        known = (self._known_accounts.get(content) for content in self._contents(stage))
        usual = (one.account(view(self.settings, one)) for one in brought if one.account)
        return next(filter(None, (*known, *usual)), "")

    @cached_property
    def _known_accounts(self) -> dict[str, str]:
        return self.ledger.accounts()

    def _contents(self, stage: Stage) -> list[str]:
        """What of the private data behind a stage is recognised by."""
        read = {"data": self.records.get("check")}  # which has read the same before
        brought = (self.records.get(one.name) or read.get(one.name) for one in self.graph.brought(stage))
        return [content for record in brought if record for content in record.contents]

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
            key = self._key(stage) if ready else ""
            about = self._stored(stage, key) if ready else None
            if about is not None:
                told = about["summary"], self._notes(stage, own_notes(stage, about)), contents_of(about)
                self.records[stage.name] = Record(key, 0.0, None, True, *told, self._declared(stage))
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
        key, declared = self._key(stage), self._declared(stage)
        waiting = partial(log.info, "%-10s another run is making it: waiting", stage.name)
        with self.store.lock(stage.name, key, waiting):
            pieces = self.store.pieces(stage.name, key)
            if stage.name in self.settings.force:
                pieces.clear()
                pieces.mark()
            about = None if self._asked_again(stage, key, pieces) else self._stored(stage, key)
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
                view(self.settings, stage), pieces, spending, partial(self._source, stage), self._inherited(stage)
            )
            started = time.monotonic()
            with telling(stage.name), peak_memory() as peak:
                result = self._result(stage, run, inputs)
                seconds, memory = time.monotonic() - started, peak()
            self._refuse_unwritten(stage, key)
            own = (*_forced_note(stage, pieces), *run.notes)
            notes = self._notes(stage, own)
            contents = tuple(self.store.key("content", content) for content in run.contents)
            about = {"stage": stage.name, "summary": run.summary, "notes": notes, "own": own, "asked": pieces.marked}
            effort = {"seconds": seconds} | ({} if memory is None else {"memory": memory})
            self._store(stage, key, result, about, effort, contents)
            self.ledger.released(_name(stage, key))
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

    def _spender(self, stage: Stage, key: str, forced: str) -> Spender:
        """In the name of the account of the private data behind a stage."""
        return Spender(
            account=self._account(stage),
            scope="release" if self.settings.noise.seed is None else "evaluation",
            artifact=_name(stage, key),
            run=self.name,
            plan=self.plan or self.name,
            contents=tuple(sorted(self._contents(stage))),
            forced=forced,
        )

    def _asked_again(self, stage: Stage, key: str, pieces: Pieces) -> bool:
        """Whether it is still to be made afresh. A run may have been killed right after storing what was asked for:
        to go on from its pieces would be another release under the same reservation."""
        try:
            stored = {self.store.manifest(side, stage.name, key)["about"].get("asked") for side in stage.sides}
        except DamagedArtifact:
            stored = set()
        return bool(pieces.marked) and stored != {pieces.marked}

    def _spending(self, stage: Stage, key: str, pieces: Pieces) -> Spending:
        """The stage's way to the ledger."""
        spender = self._spender(stage, key, pieces.marked)
        waiting = partial(log.info, "%-10s another run is asking the same votes: waiting", stage.name)
        lock = partial(self.store.lock, "source", waiting=waiting)
        return Spending(self.ledger, spender, self.settings.limit, lock, withheld(self._inherited(stage)))

    def _source(self, stage: Stage, name: str, mechanism: str) -> str:
        """An input under a mechanism, by the name of its setting, as a source of answers. What was declared to make the
        input is part of it: whether an answer is served or drawn must not hang on settings that happen to vote alike
        on these data."""
        ref = next(ref for ref in stage.reads if ref.name == name)
        declared, chosen = self.records[self.graph.maker(ref).name].declared, said(self.settings, [mechanism])
        names = named(self.store.key, "source", self._identity(ref), declared, chosen[mechanism], self._account(stage))
        return names.known(lambda source: bool(self.ledger.answers(source)))

    def _declared(self, stage: Stage) -> Said:
        """All configuration that leads to a stage's result, whatever the data made of it."""
        before = Said.all([self.records[self.graph.maker(ref).name].declared for ref in stage.reads])
        return named(self.store.key, "declared", stage.name, self._config(stage), before)

    def _config(self, stage: Stage) -> Said:
        return said(self.settings, stage.config, stage.ignores)

    def _refuse_unwritten(self, stage: Stage, key: str) -> None:
        """Nothing that crosses the barrier without an entry in the ledger is stored or served, nor at another price."""
        behind = self.ledger.behind(_name(stage, key)) if stage.crosses else []
        if stage.crosses and not behind:
            raise PateError(
                f"the ledger holds no entry for {_name(stage, key)}, which was drawn from private data: put the ledger "
                f"back from a copy that does, or draw again with force=[{stage.name}]"
            )
        for name in stage.config:
            chosen = getattr(self.settings, name, None)
            now = chosen.parameters() if isinstance(chosen, Choice) and isinstance(chosen, Mechanism) else {}
            for was in (entry.release.parameters for entry in behind):
                if was.get("kind") == now.get("kind", "") and any(was.get(one, now[one]) != now[one] for one in now):
                    raise PateError(
                        f"{name}: what kind {now['kind']!r} drew before had other parameters, and would be priced by "
                        "these: keep the old defaults of its class in `frozen`, or declare another kind"
                    )

    def _stored(self, stage: Stage, key: str) -> dict[str, Any] | None:
        """What the manifest tells of a whole artifact; a damaged one is named, and only ever drawn again on request."""
        if not stage.writes or not all(self.store.has(side, stage.name, key) for side in stage.sides):
            return None
        try:
            abouts = [self.store.verify(side, stage.name, key)["about"] for side in stage.sides]
        except DamagedArtifact as damage:
            if stage.crosses:
                raise PateError(
                    f"{damage}; it holds a draw of noise, and another draw spends privacy again: put the file back, or "
                    f"ask for it with force=[{stage.name}]"
                ) from damage
            log.warning("%s: rebuilding stage %s", damage, stage.name)
            return None
        if stage.crosses:
            self._refuse_unwritten(stage, key)
            self.ledger.released(_name(stage, key))  # a run may have been killed before it could say so
        return dict(abouts[0])

    def _inherited(self, stage: Stage) -> tuple[str, ...]:
        """What holds of an artifact (seeded noise!) holds of everything made from it, and of whatever draws under a
        seed. By this note the store tells what may leave from what lies apart."""
        seeded = (stage.crosses or "noise" in stage.config) and self.settings.noise.seed is not None
        notes = [note for ref in stage.reads for note in self.records[self.graph.maker(ref).name].notes]
        return tuple(dict.fromkeys([*(SEEDED,) * bool(seeded), *notes]))

    def _key(self, stage: Stage) -> str:
        """A hash of the stage's own configuration, its inputs, the outside files it reads and its code.

        A draw of noise is not repeated because the code around it was edited: that would spend privacy again. In place
        of code it has all that was declared to get there, and the account: see `_source`.
        """
        config = self._config(stage)
        inputs = [(ref.name, self._identity(ref)) for ref in stage.reads]
        seen = view(self.settings, stage)
        files = self.store.fingerprint(stage.files(seen)) if stage.files else []
        derived = [stage.derived(seen)] if stage.derived else []
        if not stage.crosses:
            chosen = (getattr(self.settings, name, None) for name in stage.config)
            carried = [module for one in chosen if isinstance(one, Choice) for module in one.modules()]
            code = code_version(stage, [*carried, *(module for ref in stage.reads for module in ref.kind.modules())])
            return self.store.key(stage.name, config.now, inputs, files, code, *derived)
        drawn = Said.all([self._declared(stage), self._account(stage)])
        names = named(self.store.key, stage.name, config, inputs, files, drawn, *derived)
        return names.known(lambda key: bool(self.ledger.behind(_name(stage, key))))

    def _identity(self, ref: Ref) -> str:
        """What an input really is, whatever it was made by."""
        maker = self.graph.maker(ref).name
        return self.store.identity(maker, self.records[maker].key, [ref.side])

    def _store(
        self,
        stage: Stage,
        key: str,
        result: Any,
        about: dict[str, Any],
        effort: dict[str, Any],
        contents: Sequence[str],
    ) -> None:
        """Each side its artifacts. How long a stage took and how much memory is the owner's, also where it reads public
        things alone: its process has read private ones. So is a digest of what was private."""
        results: tuple[Artifact, ...] = result if isinstance(result, tuple) else (result,) if stage.writes else ()
        named = dict(zip(stage.writes, results, strict=True))
        if stage.writes and "private" not in stage.sides:
            self.store.keep_effort(stage.name, key, effort)
        for side in stage.sides:
            mine = {ref.name: artifact for ref, artifact in named.items() if ref.side == side}
            owners = effort | ({"contents": list(contents)} if contents else {})
            self.store.write(side, stage.name, key, mine, about | (owners if side == "private" else {"seconds": 0.0}))

    def _notes(self, stage: Stage, own: Iterable[str]) -> tuple[str, ...]:
        """What holds of its inputs now, whoever made it first, and what it says itself."""
        return tuple(dict.fromkeys([*self._inherited(stage), *own]))

    def _record(self, stage: Stage, record: Record) -> None:
        self.records[stage.name] = record
        how = "reused" if record.reused else f"{record.seconds:.1f} s"
        log.info("%-17s %7s  %s", stage.name, how, record.summary)


def _name(stage: Stage, key: str) -> str:
    """An artifact as the ledger calls it."""
    return f"{stage.name}/{key}"


def _forced_note(stage: Stage, pieces: Pieces) -> tuple[str, ...]:
    """Said also when the forced run was interrupted, and this one, which was not forced, has finished it."""
    again = stage.crosses and pieces.marked
    return (f"{stage.name}: noise was drawn afresh on request; prices of all draws add up",) if again else ()
