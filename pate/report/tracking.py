"""Trackers: who follows a run, beside the results.json it leaves anyway. By default nobody.

What a tracker is told is the owner's: a loss, or an epsilon for this data set, is computed from private data. So MLflow
keeps it in a folder only the owner can read, and in no server.
"""

from __future__ import annotations

import fcntl
import importlib.util
import json
import logging
import math
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pate.accounting.guarantee import KEPT, REPLACE_ONE, ZERO_OUT, Guarantee
from pate.choice import Choice
from pate.data.labels import CLASSES_FROM_PRIVATE
from pate.errors import ConfigError, PateError
from pate.evaluation.results import Results
from pate.learning.telling import following
from pate.noise import SEEDED
from pate.release.withheld import withheld
from pate.report.sweep.jobs import Job
from pate.workspace.owner import owned_folder

if TYPE_CHECKING:
    from pate.settings import Settings

log = logging.getLogger("pate")
Track = Callable[[Results, Path], None]  # handed what a run found, and the folder it is in
_FILES = ("results.json", "report.html")
_BATCH = 100  # what MLflow takes at once
_EVERY = "epsilon_every_data_set"
_LOSS = "the owner's: computed from private records, without noise"


@dataclass(frozen=True)
class Tracking(Choice):
    """Nobody follows."""

    def require(self) -> None:
        """Refuse, before anything runs, what cannot be followed."""

    @contextmanager
    def follow(self, settings: Settings, name: str) -> Iterator[Track]:
        """While the run of this name lasts; hands out what is to be called with its results."""
        yield lambda found, folder: None


@dataclass(frozen=True)
class MLflow(Tracking):
    """A run in MLflow's local store: a SQLite file, and copies of what the run wrote."""

    folder: str = "workspace/mlflow"
    experiment: str = "pate"

    def __post_init__(self) -> None:
        if not self.folder or "://" in self.folder:
            raise ValueError(f"folder={self.folder}: expected a folder; what is tracked is the owner's, for no server")
        if not self.experiment.strip() or len(self.experiment) > 500:
            raise ValueError("experiment must be a name of at most 500 characters")

    def require(self) -> None:
        if not all(importlib.util.find_spec(package) for package in ("mlflow", "sqlalchemy", "alembic")):
            raise ConfigError("tracking=mlflow needs packages that are not here: pip install 'pate-pipelines[mlflow]'")
        folder = Path(self.folder)
        if folder.exists() and not folder.is_dir():
            raise ConfigError(f"tracking.folder={folder}: a file, and no folder")
        if folder.exists() or folder.is_symlink():
            owned_folder(folder)

    @contextmanager
    def follow(self, settings: Settings, name: str) -> Iterator[Track]:
        run = _Run(owned_folder(Path(self.folder)).resolve(), settings)
        run.begin(self.experiment, name)
        with following(run.step):
            try:
                yield run.finish
            except BaseException as error:
                run.end("KILLED" if isinstance(error, KeyboardInterrupt) else "FAILED")
                raise


def _or_warn(act: Callable[..., None]) -> Callable[..., None]:
    """What goes wrong with a tracker is said once, in a line; the run it follows goes on without it."""

    @wraps(act)
    def attempt(run: _Run, *given: Any) -> None:
        if run.lost:
            return
        try:
            act(run, *given)
        except Exception as error:
            run.lost = True
            said = (str(error) or type(error).__name__).splitlines()[0][:300]
            log.warning("warning: MLflow failed, and follows this run no further; its results stand (%s)", said)

    return attempt


class _Run:
    """One run of MLflow's, by its client alone: the fluent interface would note user names, sources and commits."""

    lost = False

    def __init__(self, folder: Path, settings: Settings) -> None:
        self._folder, self._settings = folder, settings
        self._client: Any = None
        self._id = ""

    @_or_warn
    def begin(self, experiment: str, name: str) -> None:
        file = self._folder / "mlflow.db"
        with closing(sqlite3.connect(file)) as database:
            database.execute("PRAGMA schema_version")  # MLflow would try a bad file again and again, for minutes
        os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"  # before it is imported: nothing of a run leaves this machine
        from mlflow.tracking import MlflowClient
        from mlflow.utils.validation import MAX_PARAM_VAL_LENGTH, MAX_TAG_VAL_LENGTH

        logging.getLogger("mlflow").setLevel(logging.CRITICAL)  # how it made its tables; errors are told here
        self._longest = MAX_PARAM_VAL_LENGTH, MAX_TAG_VAL_LENGTH
        with open(self._folder / "lock", "w") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)  # two runs that make the tables at once would both fail
            self._client = MlflowClient(tracking_uri=f"sqlite:///{file}")
            number = self._experiment(experiment)
        tags = {"noise": SEEDED} if self._settings.noise.seed is not None else {}
        self._id = self._client.create_run(number, run_name=name, tags=tags).info.run_id
        self._log(params=flat(self._settings.plain))

    @_or_warn
    def step(self, step: int, figures: Mapping[str, float]) -> None:
        """What a training told, with what belongs to it should the run end here."""
        told = on_the_way(self._settings)
        self._log(metrics=figures, step=step, tags={name: told[name] for name in figures if name in told})

    @_or_warn
    def finish(self, found: Results, folder: Path) -> None:
        tags = prices(found) | {"mlflow.note.content": "\n".join(f"- {note}" for note in found.notes)}
        tags["reused"] = ", ".join(name for name, stage in found.stages.items() if stage.reused)
        if SEEDED in found.notes:
            tags["noise"] = SEEDED  # also if it was the labels of an earlier run
        seconds = {f"seconds_{name}": stage.seconds for name, stage in found.stages.items()}
        self._log(metrics=Job("", {}, found).figures | seconds, tags=tags)
        for file in (folder / name for name in _FILES):
            if file.is_file():
                self._client.log_artifact(self._id, str(file))
        self.end("FINISHED")
        log.info("%-17s %7s  in %s (the owner's)", "mlflow", "", self._folder)

    @_or_warn
    def end(self, status: str) -> None:
        self._client.set_terminated(self._id, status)

    def _experiment(self, name: str) -> str:
        """Its files are in this folder, or it is somebody else's: a copied store would write where it came from."""
        place = (self._folder / "files").as_uri()
        found = self._client.get_experiment_by_name(name)
        if found is None:
            return str(self._client.create_experiment(name, artifact_location=place))
        if found.artifact_location != place:
            raise PateError(f"experiment {name} keeps its files in {found.artifact_location}: name another")
        return str(found.experiment_id)

    def _log(
        self,
        metrics: Mapping[str, Any] | None = None,
        params: Mapping[str, str] | None = None,
        tags: Mapping[str, str] | None = None,
        step: int = 0,
    ) -> None:
        """Only numbers are metrics: MLflow takes infinity for a very large one."""
        from mlflow.entities import Metric, Param, RunTag

        now, (param, tag) = int(time.time() * 1000), self._longest
        measured = [
            Metric(name, float(value), now, step) for name, value in (metrics or {}).items() if _is_number(value)
        ]
        named = [Param(name, value[:param]) for name, value in (params or {}).items()]
        marked = [RunTag(name, value[:tag]) for name, value in (tags or {}).items() if value]
        for i in range(0, max(len(measured), len(named), len(marked)), _BATCH):
            part = slice(i, i + _BATCH)
            self._client.log_batch(self._id, measured[part], named[part], marked[part])


def on_the_way(settings: Settings) -> dict[str, str]:
    """For every figure a training tells before it is done, under the name of its metric: what it is never without.

    A loss is the owner's where the model's stage reads what is private; an epsilon so far is a zero-out one, for every
    data set, and leaves only if its model may."""
    from pate.pipelines import entries, graph

    void = [SEEDED] * (settings.noise.seed is not None) + [CLASSES_FROM_PRIVATE] * settings.classes_from_private
    pipeline, told = graph(settings), dict[str, str]()
    for entry in entries(settings):
        maker = pipeline.maker(entry.model)
        if any(ref.side == "private" for ref in maker.reads):
            told[f"{maker.name}_loss"] = _LOSS
        so_far = Guarantee(0.0, settings.delta, ZERO_OUT, False, "", "", withheld=withheld(void) or KEPT * entry.kept)
        told[f"{maker.name}_epsilon_so_far"] = so_far.terms
    return told


def prices(found: Results) -> dict[str, str]:
    """For every epsilon in the results, under the name of its metric: what it is never without."""
    told: dict[str, str] = {}
    for method in found.methods:
        known = {"epsilon": method.best, "epsilon_publishable": method.publishable, _EVERY: method.worst_case}
        if method.best and "epsilon_rdp" in method.details:
            known["epsilon_rdp"] = replace(method.best, epsilon=method.details["epsilon_rdp"] or math.inf)
        if method.best and "epsilon_replace_one" in method.details:
            another = method.details["epsilon_replace_one"] or math.inf
            known["epsilon_replace_one"] = replace(method.best, epsilon=another, relation=REPLACE_ONE)
        told |= {f"{method.name}_{key}": str(one) for key, one in known.items() if one is not None}
    return told


def flat(plain: Mapping[str, Any], before: str = "") -> dict[str, str]:
    """A configuration under dotted names, as it would be overridden."""
    named: dict[str, str] = {}
    for key, value in plain.items():
        inner = isinstance(value, dict) and value
        named |= flat(value, f"{before}{key}.") if inner else {f"{before}{key}": _text(value)}
    return named


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
