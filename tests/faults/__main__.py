"""python -m tests.faults [--kills 200] [--seed 0] [--every] [--again KIND INSTANT...]: kills, crowds, then a table.

Exit code 1 if anything was lost, hidden, half or different, with the command that repeats it. With --all the disks,
damages and hosts of the tests beside this file come last.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from . import crowd
from .campaign import every, kinds, trials
from .invariants import Violation
from .kills import Trial, attempt, prepare


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--kills", type=int, default=200, help="how many runs to kill")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--every", action="store_true", help="kill before and after every durable operation")
    parser.add_argument("--again", nargs="+", metavar="KIND INSTANT", help="repeat one trial, e.g. --again forced b41")
    parser.add_argument("--crowds", type=int, default=0, help="how many crowds of eight spend at once, of each kind")
    parser.add_argument("--all", action="store_true", help="then every test beside this file, the slow ones too")
    parser.add_argument("--folder", type=Path, help="where workspaces go; a temporary folder by default")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pate-faults-", dir=asked.folder) as temporary:
        folder = Path(temporary)
        if asked.again:
            kind = prepare(kinds()[asked.again[0]], folder)
            found: Iterator[tuple[str, Trial]] = iter([("again", attempt(kind, asked.again[1:], folder / "trial"))])
        else:
            found = every(folder) if asked.every else trials(asked.kills, asked.seed, folder)
        failed = report(found)
        failed |= crowds(asked.crowds, asked.seed, folder)
    if asked.all:
        here = Path(__file__).parent
        command = [sys.executable, "-m", "pytest", here, "-m", "slow or not slow", "--deselect", here / "test_kills.py"]
        failed |= subprocess.run(command, cwd=here.parents[1]).returncode
    return int(bool(failed))


def crowds(number: int, seed: int, folder: Path) -> int:
    """Eight processes spend from one account, four of them are killed at it, or eight create a workspace."""
    failed = 0
    works = {
        "spend": lambda at, one: crowd.spenders(at, one),
        "spend, killed": lambda at, one: crowd.spenders(at, one, kill=4),
        "read and spend": lambda at, one: crowd.readers(at),
        "create": lambda at, one: crowd.creators(at),
    }
    for name, work in works.items() if number else ():
        done: list[crowd.Crowd] = []
        violations: list[str] = []
        for one in range(seed, seed + number):
            at = folder / f"crowd-{name}-{one}"
            at.mkdir()
            try:
                done.append(work(at, one))
            except (Violation, AssertionError) as problem:
                violations.append(str(problem))
        failed |= bool(violations)
        sums = {part: sum(getattr(one, part) for one in done) for part in ("tried", "recorded", "refused", "killed")}
        print(f"eight {name}: {number} times, {len(done)} survived; spends", sums)
        for problem in sorted(set(violations))[:3]:
            print(f"VIOLATION eight {name}: {problem}")
    return failed


def report(found: Iterator[tuple[str, Trial]]) -> int:
    rows: dict[tuple[str, str], list[Trial]] = {}
    with suppress(KeyboardInterrupt):  # then what there is so far
        for how, trial in found:
            rows.setdefault((trial.kind, how), []).append(trial)
            if trial.violation:
                instants = " ".join(trial.instants)
                print(f"VIOLATION {trial.kind}, {how}: {trial.violation}", flush=True)
                print(f"  again: python -m tests.faults --again '{trial.kind}' {instants}", flush=True)
    heading = ("run", "fault", "kills", "survived", "seconds", "recorded", "drawn", "left over")
    lines = [(kind, how, *_sums(trials)) for (kind, how), trials in rows.items()]
    everything = [trial for trials in rows.values() for trial in trials]
    for line in (heading, *lines, ("all", "", *_sums(everything))):
        print("{:14} {:16} {:>6} {:>9} {:>8} {:>9} {:>7} {:>10}".format(*line))
    if "torch" in sys.modules:
        print("torch was imported by the parent: its children are no longer cheap")
    return int(any(trial.violation for trial in everything))


def _sums(trials: list[Trial]) -> tuple[int | str, ...]:
    survived = sum(trial.kills for trial in trials if not trial.violation)
    return (
        sum(trial.kills for trial in trials),
        survived,
        f"{sum(trial.seconds for trial in trials):.1f}",
        sum(trial.recorded for trial in trials),
        sum(trial.drawn for trial in trials),
        sum(bool(trial.litter) for trial in trials),
    )


if __name__ == "__main__":
    sys.exit(main())
