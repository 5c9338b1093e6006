"""results.json: written whole or not at all, and read back from this version and those before."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from pate.accounting.guarantee import Guarantee
from pate.evaluation import first_results, second_results
from pate.evaluation.results import Results
from pate.release.withheld import withheld
from pate.workspace.files import Unreadable, parsing, read_json
from pate.workspace.typed_json import from_json, to_json
from pate.workspace.versions import RESULTS, version_of

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def write_results(found: Results, folder: Path) -> Path:
    """Readable by the owner only."""
    file, temporary = folder / "results.json", folder / ".results.json"
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as handle:
        json.dump(to_json(found), handle, indent=1, allow_nan=False)
        handle.flush()
        os.fsync(handle.fileno())
    temporary.rename(file)
    return file


def read_results(file: Path) -> Results:
    """What a run found, or `Unreadable`; epsilons may be infinite."""
    return results_of(read_json(file, infinite=True))


def results_of(plain: Any) -> Results:
    """The same from what was parsed."""
    if not isinstance(plain, dict):
        raise Unreadable("is no results.json of this program")
    version = version_of(plain, RESULTS)
    with parsing("results.json of this program"):
        if version == 1:
            plain = first_results.upgraded(plain)
        if version <= 2:
            plain = second_results.upgraded(plain)
    try:
        found = from_json(Results, plain)
    except ValueError as problem:
        raise Unreadable(f"is damaged or no results.json of this program ({problem})") from None
    names = [word for one in found.methods for word in (one.name, one.title, one.short, one.relation or "")]
    names += [
        found.measure.name,
        found.measure.title,
        found.measure.why,
        *([found.baseline.answer] if found.baseline else []),
    ]
    if CONTROL.search(" ".join([*names, *found.notes, *map(str, _paths(found))])):
        raise Unreadable("holds control characters")
    return _voided(found)


def _voided(found: Results) -> Results:
    """What a run noted decides what of it may be published, whatever stands beside its epsilons."""
    why = withheld(found.notes)

    def held(several: list[Guarantee]) -> list[Guarantee]:
        return [one if why in one.withheld else one.without(why) for one in several]

    methods = [replace(row, guarantees=held(row.guarantees)) for row in found.methods]
    return replace(found, methods=methods, pate=replace(found.pate, accountants=held(found.pate.accountants)))


def _paths(found: Results) -> list[Any]:
    dataset = found.config.get("dataset")
    return [dataset.get("name"), dataset.get("path")] if isinstance(dataset, dict) else []
