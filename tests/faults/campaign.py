"""Which kills are tried: so many in all, spread over kinds of runs and kinds of instants."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from . import pipeline
from .kills import Kind, Trial, attempt, attempt_process, moment, points, prepare

# of a hundred kills: (kind of run, kind of instant) -> how many
SHARES = {
    ("plain", "instant"): 16,
    ("plain", "operation"): 25,
    ("plain", "in a row"): 8,
    ("forced", "operation"): 15,
    ("forced", "in a row"): 5,
    ("active", "operation"): 12,
    ("active forced", "operation"): 10,
    ("active forced", "in a row"): 4,
    ("dpsgd", "operation"): 2,
    ("plain", "process"): 3,
}


def kinds() -> dict[str, Kind]:
    found = (
        Kind("plain"),
        Kind("forced", forced=("labels",)),
        Kind("active", pipeline.ACTIVE),
        Kind("active forced", pipeline.ACTIVE, forced=("labels",)),
        Kind("dpsgd", pipeline.DPSGD),
    )
    for kind in found:
        pipeline.composed(*kind.overrides)  # now: the files it is read from may change while this runs
    return {kind.name: kind for kind in found}


def trials(kills: int, seed: int, folder: Path) -> Iterator[tuple[str, Trial]]:
    """At least so many kills: those that came too late, when the run was over, are made up for."""
    known, prepared = kinds(), set[str]()
    for (name, how), share in SHARES.items():
        wanted, kind = round(kills * share / 100), known[name]
        if wanted and name not in prepared:
            prepare(kind, folder)
            prepared.add(name)
        chance = random.Random(f"{seed} {name} {how}")
        left = points(kind, chance) * 2
        done = tries = 0
        while done < wanted and tries < 3 * wanted:
            trial = _one(kind, how, left, chance, folder)
            done, tries = done + trial.kills, tries + 1
            yield how, trial
            if trial.violation:
                done += 1


def every(folder: Path) -> Iterator[tuple[str, Trial]]:
    """A kill just before and just after every single durable operation."""
    for kind in kinds().values():
        prepare(kind, folder)
        chosen = points(kind, random.Random(0))
        for point in chosen[: 20 if kind.name == "dpsgd" else None]:  # torch takes seconds to import
            yield "every operation", attempt(kind, [point], folder / "trial")


def _one(kind: Kind, how: str, left: list[str], chance: random.Random, folder: Path) -> Trial:
    if how == "process":
        return attempt_process(kind, chance.uniform(1.0, 4.0), folder / "trial")
    when = [left.pop() if how == "operation" else moment(kind, chance)]
    if how == "in a row":
        when += [chance.choice([left.pop(), moment(kind, chance)]) for _ in range(chance.randint(1, 3))]
    return attempt(kind, when, folder / "trial")
