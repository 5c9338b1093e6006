"""Brings stages up to date: reuse what is stored under the same key, run what is not, rebuild what is damaged."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pate.artifact import Artifact
from pate.config import Settings
from pate.errors import DamagedArtifact, PateError
from pate.stage import Graph, Ref, Stage, code_version
from pate.store import Pieces, Store

log = logging.getLogger("pate")


@dataclass
class Run:
    """What a stage is handed beside its inputs; `summary` is its one line, `notes` what the results must say."""

    settings: Settings
    pieces: Pieces
    summary: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Record:
    """How one stage went."""

    key: str
    seconds: float
    reused: bool
    summary: str
    notes: tuple[str, ...] = ()


@dataclass
class Runner:
    """One run over one workspace."""

    settings: Settings
    graph: Graph
    store: Store
    records: dict[str, Record] = field(default_factory=dict)
    begun: set[str] = field(default_factory=set)  # stages that were started and so need no forcing any more

    def bring_up_to_date(self, targets: list[str]) -> None:
        """Run every needed stage that is not stored yet."""
        for stage in self.graph.needed(targets):
            self._update(stage)

    def artifact(self, ref: Ref) -> Any:
        """An artifact of this run."""
        maker = self.graph.maker(ref)
        return self.store.read(ref.side, maker.name, self.records[maker.name].key, ref.name, ref.kind)

    def made(self, ref: Ref) -> Any:
        """The artifact, or None where its stage was not part of this run."""
        known = ref in self.graph and self.graph.maker(ref).name in self.records
        return self.artifact(ref) if known else None

    def _update(self, stage: Stage) -> None:
        key = self._key(stage)
        waiting = partial(log.info, "%-10s another run is making it: waiting", stage.name)
        with self.store.lock(stage.name, key, waiting):
            if stage.name in self.settings.force:
                self._forget(stage, key)
            elif (about := self._stored(stage, key)) is not None:
                self._record(stage, Record(key, about["seconds"], True, about["summary"], tuple(about["notes"])))
                return
            self.begun.add(stage.name)
            inputs = {ref.name: self.artifact(ref) for ref in stage.reads}
            run = Run(self.settings, self.store.pieces(stage.name, key))
            started = time.monotonic()
            result = stage.function(run, **inputs)
            seconds = time.monotonic() - started
            notes = self._inherited(stage, (*_forced_note(stage, run.pieces), *run.notes))
            about = {"stage": stage.name, "seconds": seconds, "summary": run.summary, "notes": notes}
            self._store(stage, key, result, about)
            run.pieces.clear()
        self._record(stage, Record(key, seconds, False, run.summary, notes))

    def _stored(self, stage: Stage, key: str) -> dict[str, Any] | None:
        """What the manifest tells of a whole artifact; a damaged one is named, and only ever drawn again on request."""
        if not stage.writes or not all(self.store.has(side, stage.name, key) for side in stage.sides):
            return None
        try:
            abouts = [self.store.verify(side, stage.name, key)["about"] for side in stage.sides]
            return dict(abouts[0])
        except DamagedArtifact as damage:
            if stage.crosses:
                raise PateError(
                    f"{damage}; it holds a draw of noise, and another draw spends privacy again: put the file back, or "
                    f"ask for it with force=[{stage.name}]"
                ) from damage
            log.warning("%s: rebuilding stage %s", damage, stage.name)
            return None

    def _forget(self, stage: Stage, key: str) -> None:
        """Take away what is stored, so that an interrupted forced stage is resumed without forcing it again."""
        for side in stage.sides:
            self.store.discard(side, stage.name, key)
        pieces = self.store.pieces(stage.name, key)
        pieces.clear()
        pieces.mark()

    def _inherited(self, stage: Stage, own: tuple[str, ...]) -> tuple[str, ...]:
        """What holds of an artifact (seeded noise!) holds of everything made from it."""
        notes = [note for ref in stage.reads for note in self.records[self.graph.maker(ref).name].notes]
        return tuple(dict.fromkeys([*notes, *own]))

    def _key(self, stage: Stage) -> str:
        """A hash of the stage's own configuration, its inputs, the outside files it reads and its code."""
        config = {name: _part(self.settings.plain, name, stage.ignores) for name in stage.config}
        inputs = []
        for ref in stage.reads:
            maker = self.graph.maker(ref)
            inputs.append((ref.name, self.store.identity(maker.name, self.records[maker.name].key, [ref.side])))
        files = self.store.fingerprint(stage.files(self.settings)) if stage.files else []
        # A draw of noise is not repeated because the code around it was edited: that would spend privacy again.
        code = "" if stage.crosses else code_version(stage, _targets(config))
        return self.store.key(stage.name, config, inputs, files, code)

    def _store(self, stage: Stage, key: str, result: Any, about: dict[str, Any]) -> None:
        results: tuple[Artifact, ...] = result if isinstance(result, tuple) else (result,) if stage.writes else ()
        named = dict(zip(stage.writes, results, strict=True))
        for side in stage.sides:
            mine = {ref.name: artifact for ref, artifact in named.items() if ref.side == side}
            self.store.write(side, stage.name, key, mine, about)

    def _record(self, stage: Stage, record: Record) -> None:
        self.records[stage.name] = record
        how = "reused" if record.reused else f"{record.seconds:.1f} s"
        log.info("%-10s %7s  %s", stage.name, how, record.summary)


def _forced_note(stage: Stage, pieces: Pieces) -> tuple[str, ...]:
    """Said also when the forced run was interrupted, and this one, which was not forced, has finished it."""
    again = stage.crosses and pieces.marked
    return (f"{stage.name}: noise was drawn afresh on request; prices of all draws add up",) if again else ()


def _part(plain: dict[str, Any], dotted: str, ignores: tuple[str, ...]) -> Any:
    value: Any = plain
    for name in dotted.split("."):
        value = value[name]
    if isinstance(value, dict):
        return {name: inner for name, inner in value.items() if f"{dotted}.{name}" not in ignores}
    return value


def _targets(config: Any) -> list[str]:
    """The classes a piece of configuration names."""
    if isinstance(config, dict):
        own = [config["_target_"]] if isinstance(config.get("_target_"), str) else []
        return own + [target for value in config.values() for target in _targets(value)]
    return []
