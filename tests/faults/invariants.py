"""What must hold of a workspace at every instant, also right after a kill; and more, once a run has finished.

Nothing here changes the workspace: the ledger is read from a copy, write-ahead log included.
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from pate.aggregation.labels import Labels
from pate.aggregation.votes import Predictions
from pate.ledger.ledger import Entry, Ledger
from pate.workspace.pieces import Pieces
from pate.workspace.store import Store

from .hooks import drawn

_LEDGER = ("ledger.sqlite", "ledger.sqlite-wal")


class Violation(AssertionError):
    """Something was lost, hidden, half or different."""


@dataclass
class State:
    """What a workspace holds."""

    entries: list[Entry] = field(default_factory=list)
    answers: list[tuple[int, int, int]] = field(default_factory=list)  # query, answer, entry
    links: set[tuple[str, int]] = field(default_factory=set)
    artifacts: list[tuple[str, str, str]] = field(default_factory=list)  # side, stage, key
    litter: list[str] = field(default_factory=list)

    @property
    def reserved(self) -> int:
        """Answers, or trainings, that the ledger holds."""
        spent = [entry for entry in self.entries if entry.spent]
        return sum(int(entry.release.parameters.get("answers", 1)) for entry in spent)


def look(workspace: Path, log: Path, predictions: np.ndarray | None = None, complete: bool = False) -> State:
    """Check everything; `complete` if the run was let to its end."""
    state = State()
    if not (workspace / "private" / "secret").exists():
        _expect(not complete, "a finished workspace has no secret")
        _expect(drawn(log) == 0, "something was drawn before there was a secret")
        left = [file.name for file in workspace.glob("private/*") if not file.name.startswith(".secret")]
        _expect(not left, f"no secret, and yet there are {left}")
        return state
    store = Store(workspace)
    _read_ledger(state, workspace, store.secret)
    _expect(state.reserved >= drawn(log), f"{drawn(log)} answers drawn, {state.reserved} in the ledger")
    numbers = {entry.id for entry in state.entries}
    _expect({entry for _, _, entry in state.answers} <= numbers, "an answer without its entry")
    _expect({entry for _, entry in state.links} <= numbers, "an artifact linked to no entry")
    for side, stage, name in _visible(workspace):
        if name.startswith("."):
            state.litter.append(f"{side}/{stage}/{name}")
        elif name.endswith(".pieces"):
            _check_pieces(store, stage, name, predictions)
            state.litter.append(f"{side}/{stage}/{name}")
        else:
            _expect(re.fullmatch("[0-9a-f]{32}", name) is not None, f"{side}/{stage}/{name} is nobody's")
            store.verify(side, stage, name)
            state.artifacts.append((side, stage, name))
            _check_artifact(state, store, side, stage, name, predictions, complete)
    if complete:
        made = {stage for _, stage, _ in state.artifacts}
        _expect(bool(made & {"student", "dpsgd"}), f"finished without a model: {sorted(made)}")
        latest = max(entry.id for entry in state.entries)
        pending = [entry.id for entry in state.entries if entry.status == "reserved" and entry.id == latest]
        _expect(not pending, f"finished, and entry {pending} is still only reserved")
    return state


def _read_ledger(state: State, workspace: Path, secret: bytes) -> None:
    if not (workspace / "private" / "ledger.sqlite").exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        for name in _LEDGER:
            if (workspace / "private" / name).exists():
                shutil.copy(workspace / "private" / name, folder)
        ledger = Ledger(Path(folder) / "ledger.sqlite", secret)
        state.entries = ledger.entries()  # checks numbers and seals
        connection = sqlite3.connect(ledger.path)
        state.answers = list(connection.execute("SELECT query, answer, entry FROM answers"))
        state.links = set(connection.execute("SELECT artifact, entry FROM artifacts"))
        connection.close()


def _visible(workspace: Path) -> Iterator[tuple[str, str, str]]:
    for side in ("private", "release", "evaluation"):
        for stage in sorted((workspace / side).glob("*")):
            if stage.is_dir() and stage.name not in ("locks", "errors", "effort"):
                for entry in sorted(stage.iterdir()):
                    yield side, stage.name, entry.name


def _check_pieces(store: Store, stage: str, name: str, predictions: np.ndarray | None) -> None:
    folder = store.root / "private" / stage / name
    kept = Pieces(folder).load()
    _expect(len(kept) == len(list(folder.glob("[0-9]*.npy"))), "a piece is not whole")
    if stage == "teachers" and predictions is not None:
        _expect(
            all(np.array_equal(predictions[index], row) for index, row in kept.items()), "a teacher's piece differs"
        )


def _check_artifact(
    state: State, store: Store, side: str, stage: str, key: str, predictions: np.ndarray | None, complete: bool
) -> None:
    if stage == "teachers" and predictions is not None:
        found = store.read("private", stage, key, "predictions", Predictions)
        _expect(np.array_equal(found.predictions, predictions), "teachers answer differently")
    if stage in ("labels", "dpsgd") and side == "release":
        behind = {entry for artifact, entry in state.links if artifact == f"{stage}/{key}"}
        _expect(bool(behind), f"{stage}/{key} has no entry in the ledger")
        if stage == "labels":
            _check_labels(state, store.read("release", stage, key, "labels", Labels), behind, complete)


def _check_labels(state: State, labels: Labels, behind: set[int], complete: bool) -> None:
    """Every label is an answer of an entry; while a fresh draw is under way, the old answers may be replaced."""
    fresh = any(entry.spender.forced and entry.status == "reserved" for entry in state.entries)
    known = {(query, answer) for query, answer, entry in state.answers if entry in behind}
    mine = set(zip(labels.index.tolist(), labels.label.tolist(), strict=True))
    _expect(mine <= known or (fresh and not complete), "labels that are no answers of the ledger")


def predictions_of(workspace: Path) -> np.ndarray:
    (folder,) = (entry for entry in (workspace / "private" / "teachers").iterdir() if entry.suffix != ".pieces")
    return Store(workspace).read("private", "teachers", folder.name, "predictions", Predictions).predictions


def results_are_whole(workspace: Path) -> None:
    for file in workspace.glob("runs/*/results.json"):
        json.loads(file.read_text())


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Violation(otherwise)
