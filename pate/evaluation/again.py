"""The commands that go on from a run: what it was is taken from its folder (run=FOLDER), so nothing is typed again."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from pate.evaluation.results import MethodResult, Results
from pate.noise import SEEDED
from pate.release.withheld import withheld

_PLAIN = re.compile(r"[\w./-]+", re.ASCII)  # what Hydra reads as one value without quotes


def again(stage: str, folder: Path, more: Sequence[str] = ()) -> str:
    """A stage of the run in this folder, as a shell and Hydra read it back."""
    return shlex.join(["pate", f"stage={stage}", f"run={_value(str(folder))}", *more])


def releasing(found: Results, folder: Path, method: str = "") -> str:
    """The command that releases a row of a run, or without one the first that can be; empty where none may leave.

    What was made for the owner's comparison is drawn again, to be released and to be paid for. A number has to stand
    where its epsilon was set to another method's: what it was given as the worst case, if it was.
    """
    able = {row.name: more for row in found.methods if row.private and (more := _needed(found, row)) is not None}
    if not able or method not in ("", *able):
        return ""
    row = method or next((one.name for one in found.methods if one.name in able and not one.kept), next(iter(able)))
    return again("release", folder, able[row])


def predicting(found: Results, folder: Path) -> str:
    """The command that asks its first model that may leave; empty where it has none."""
    if model_of(found, "", owner=bool(withheld(found.notes))) is None:
        return ""
    owner = " owner=true" if withheld(found.notes) else ""
    return f"{again('predict', folder)} input=FILE{owner}"


def model_of(found: Results, method: str = "", owner: bool = False) -> Path | None:
    """Where a row's model lies, or without one that of the first which may leave: what left, if that is still there.
    None where there is no such model, or it is for its owner alone and nobody asks as one."""
    left = Path(found.published).with_suffix("") if found.published else None
    if left is not None and not method:
        return left
    rows = [row for row in found.methods if (row.name == method if method else row.private)]
    for row in sorted(rows, key=lambda row: row.kept):
        made = found.stages.get(row.stage)
        apart = row.kept or not row.private or bool(withheld(found.notes))
        if made and (owner or not apart):
            side = "private" if row.kept or not row.private else "evaluation" if made.seeded else "release"
            return Path(found.config["workspace"]) / side / row.stage / made.key
    return None


def _needed(found: Results, row: MethodResult) -> list[str] | None:
    """What has to be said beside run=FOLDER for a row to leave; None if it cannot."""
    if withheld(note for note in found.notes if note != SEEDED):
        return None
    method = next((one.name for one in found.methods if row.name.startswith(f"{one.name}_")), row.name)
    seed = ["noise.seed=null"] if (found.config.get("noise") or {}).get("seed") is not None else []
    own = found.config.get(method)
    if not isinstance(own, dict):  # it has no epsilon of its own: the run's, or none
        able = row.stage and (not row.kept or found.config.get("epsilon") is not None)
        return [f"release.method={method}", *seed] if able else None
    if not isinstance(own.get("epsilon"), str) or not row.kept:  # a word: that of another method
        return [f"release.method={method}", *seed]
    priced = next((one.best for one in found.methods if one.name.startswith(f"{method}_") and one.best), None)
    given = [f"{method}.epsilon={priced.shown}"] if priced else None
    return None if given is None else [f"release.method={method}", *given, *seed]


def _value(text: str) -> str:
    """A value of Hydra's, quoted where it has to be: a quote is escaped, and backslashes before one or at the end."""
    if _PLAIN.fullmatch(text):
        return text
    quoted = re.sub(r"(\\*)('|$)", lambda found: found[1] * 2 + ("\\'" if found[2] else ""), text)
    return f"'{quoted}'"
