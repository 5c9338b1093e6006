"""csv: plain files, of which a folder holds one folder a run and a table of all runs. It needs no package."""

from __future__ import annotations

import csv
import fcntl
import io
import json
import logging
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from pate.evaluation.results import Results
from pate.methods.method import Made
from pate.noise import SEEDED
from pate.report.files import write_owned
from pate.report.tracking.figures import flat, is_number, measured, on_the_way, prices
from pate.report.tracking.tracking import Diary, Followed, Track, Tracking, check_folder, require_folder
from pate.workspace.owner import owned_folder

log = logging.getLogger("pate")
RUNS, METRICS, PARAMS = "runs.csv", "metrics.csv", "params.json"
_TERMS = "_terms"  # of a column: what the figure in the column beside it is never without


@dataclass(frozen=True)
class CSV(Tracking):
    """One folder a run, with its configuration and its figures step by step, and one row a run in a table of all."""

    folder: str = "workspace/tracked"

    def __post_init__(self) -> None:
        check_folder(self.folder)

    def require(self) -> None:
        require_folder(self.folder)

    @contextmanager
    def follow(self, run: Followed) -> Iterator[Track]:
        with _Run(owned_folder(Path(self.folder)).resolve(), run).kept() as track:
            yield track


class _Run(Diary):
    """A folder of its own, and at the end a row."""

    tracker: ClassVar[str] = "csv"

    def __init__(self, folder: Path, run: Followed) -> None:
        self._folder, self._run = folder, run
        self._own = folder
        self._row: dict[str, Any] = {}

    def begin(self) -> None:
        settings, run = self._run.settings, self._run
        self._own = _new(self._folder, re.sub(r"[^\w.-]+", "_", run.place))
        self._row = {
            "run": self._own.name,
            "title": run.title,
            "status": "",
            "began": time.strftime("%Y-%m-%d %H:%M:%S"),
        }
        self._row |= {"folder": str(run.folder.absolute()), "sweep": str(run.sweep.resolve()) if run.sweep else ""}
        self._row |= {"overrides": " ".join(run.overrides), "noise": SEEDED if settings.noise.seed is not None else ""}
        write_owned(self._own / PARAMS, json.dumps(flat(settings.plain), indent=1).encode())
        self._add([["step", "name", "value", "terms"]])

    def step(self, step: int, figures: Mapping[str, float]) -> None:
        told = on_the_way(self._run.settings)
        self._add([[step, name, value, told.get(name, "")] for name, value in figures.items() if is_number(value)])

    def finish(self, found: Results, made: Made) -> None:
        told, figures = prices(found), measured(found)
        self._add([["", name, value, told.get(name, "")] for name, value in figures.items()])
        for name in dict.fromkeys((*figures, *told)):
            self._row |= {name: figures.get(name)} | ({name + _TERMS: told[name]} if name in told else {})
        self._row["noise"] = SEEDED if SEEDED in found.notes else ""
        self._row["notes"] = " | ".join(found.notes)
        log.info("%-17s %7s  in %s (the owner's)", "csv", "", self._own)

    def end(self, status: str) -> None:
        """Whole or not at all, and one run after the other: the table may grow a column by this row."""
        table = self._folder / RUNS
        with open(self._folder / "lock", "w") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            with open(table, newline="") if table.exists() else io.StringIO() as old:
                rows: list[dict[str, Any]] = list(csv.DictReader(old))
            rows.append(self._row | {"status": status})
            text = io.StringIO()
            columns = dict.fromkeys(name for row in rows for name in row)
            writer = csv.DictWriter(text, list(columns), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
            write_owned(table, text.getvalue().encode())

    def _add(self, rows: list[list[Any]]) -> None:
        """At once on the disk: a run may be killed at its next step."""
        with open(self._own / METRICS, "a", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)


def _new(folder: Path, name: str) -> Path:
    """A folder of this name, or with a number where there is one: also where two runs begin at once."""
    number = 1
    while True:
        own = folder / (name if number == 1 else f"{name}-{number}")
        try:
            own.mkdir(mode=0o700)
            return own
        except FileExistsError:
            number += 1
