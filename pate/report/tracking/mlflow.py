"""MLflow: a run in its local store, under its sweep's, with the models that may be shown."""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import logging
import os
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from pate.errors import ConfigError, PateError
from pate.evaluation.results import Results
from pate.methods.method import Made
from pate.noise import SEEDED
from pate.report.tracking.figures import flat, is_number, measured, models, on_the_way, prices
from pate.report.tracking.mlflow_model import write_model
from pate.report.tracking.tracking import (
    Diary,
    Followed,
    Track,
    Tracking,
    check_folder,
    require_folder,
    told_time,
)
from pate.workspace.owner import owned_folder

log = logging.getLogger("pate")
_FILES = ("results.json", "report.html")
_BATCH = 100  # what MLflow takes at once
_PARENT = "mlflow.parentRunId"
_SWEEP = "sweep"  # tag of a parent: its folder, as a hash that fits into a query


@dataclass(frozen=True)
class MLflow(Tracking):
    """A run in MLflow's local store: a SQLite file, copies of what the run wrote, and its models."""

    folder: str = "workspace/mlflow"
    experiment: str = "pate"
    models: bool = True

    def __post_init__(self) -> None:
        check_folder(self.folder)
        if not self.experiment.strip() or len(self.experiment) > 500:
            raise ValueError("experiment must be a name of at most 500 characters")

    def require(self) -> None:
        if not all(importlib.util.find_spec(package) for package in ("mlflow", "sqlalchemy", "alembic")):
            raise ConfigError("tracking=mlflow needs packages that are not here: pip install 'pate-pipelines[mlflow]'")
        require_folder(self.folder)

    @contextmanager
    def follow(self, run: Followed) -> Iterator[Track]:
        with _Run(owned_folder(Path(self.folder)).resolve(), self, run).kept() as track:
            yield track


class _Run(Diary):
    """One run of MLflow's, by its client alone: the fluent interface would note user names, sources and commits."""

    tracker: ClassVar[str] = "MLflow"

    def __init__(self, folder: Path, chosen: MLflow, run: Followed) -> None:
        self._folder, self._chosen, self._run, self._settings = folder, chosen, run, run.settings
        self._client: Any = None
        self._id = self._parent = self._experiment = ""

    def begin(self) -> None:
        file = self._folder / "mlflow.db"
        with closing(sqlite3.connect(file)) as database:
            database.execute("PRAGMA schema_version")  # MLflow would try a bad file again and again, for minutes
        os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"  # before it is imported: nothing of a run leaves this machine
        from mlflow.tracking import MlflowClient
        from mlflow.utils.validation import MAX_PARAM_VAL_LENGTH, MAX_TAG_VAL_LENGTH

        logging.getLogger("mlflow").setLevel(logging.CRITICAL)  # how it made its tables; errors are told here
        self._longest = MAX_PARAM_VAL_LENGTH, MAX_TAG_VAL_LENGTH
        tags = {"noise": SEEDED} if self._settings.noise.seed is not None else {}
        with self._alone():  # two runs that make the tables at once would both fail, or make two parents
            self._client = MlflowClient(tracking_uri=f"sqlite:///{file}")
            self._experiment = self._found(self._chosen.experiment)
            if self._run.sweep is not None:
                self._parent = tags[_PARENT] = self._of_sweep(self._run.sweep.resolve())
            made = self._client.create_run(self._experiment, run_name=self._run.title, tags=tags)
        self._id = made.info.run_id
        about = {"folder": str(self._run.folder.absolute()), "overrides": " ".join(self._run.overrides)}
        self._log(params=flat(self._settings.plain), tags=about)

    def step(self, step: int, figures: Mapping[str, float]) -> None:
        """With what belongs to it should the run end here."""
        told = on_the_way(self._settings)
        self._log(metrics=figures, step=step, tags={name: told[name] for name in figures if name in told})

    def finish(self, found: Results, made: Made) -> None:
        tags = prices(found) | {"mlflow.note.content": "\n".join(f"- {note}" for note in found.notes)}
        tags["reused"] = ", ".join(name for name, stage in found.stages.items() if stage.reused)
        if SEEDED in found.notes:
            tags["noise"] = SEEDED  # also if it was the labels of an earlier run
        self._log(metrics=measured(found), tags=tags)
        for file in (self._run.folder / name for name in _FILES):
            if file.is_file():
                self._client.log_artifact(self._id, str(file))
        if self._chosen.models:
            self._keep_models(found, made)
        log.info("%-17s %7s  in %s (the owner's)", "mlflow", "", self._folder)

    def end(self, status: str) -> None:
        self._client.set_terminated(self._id, status)
        if not self._parent:
            return
        with (
            self._alone()
        ):  # a sweep is done when none of its jobs runs any more: one that is resumed takes it up again
            others = f"tags.`{_PARENT}` = '{self._parent}' and attributes.status = 'RUNNING'"
            if not self._client.search_runs([self._experiment], others, max_results=1):
                self._client.set_terminated(self._parent, "FINISHED")

    def _keep_models(self, found: Results, made: Made) -> None:
        """As MLflow keeps models, outputs of their run, and by its client too."""
        from mlflow.entities import LoggedModelOutput

        for name, predictor, claim in models(self._settings, found, made):
            kept = self._client.create_logged_model(
                self._experiment, name, source_run_id=self._id, tags={"privacy": claim[: self._longest[1]]}
            )
            with tempfile.TemporaryDirectory(dir=self._folder) as place:
                write_model(Path(place), predictor, claim, self._id, kept.model_id, kept.artifact_location)
                self._client.log_model_artifacts(kept.model_id, place)
            self._client.finalize_logged_model(kept.model_id, "READY")
            self._client.log_outputs(self._id, [LoggedModelOutput(kept.model_id, 0)])

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """No other run is in here, of whichever process."""
        with open(self._folder / "lock", "w") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield

    def _found(self, name: str) -> str:
        """Its files are in this folder, or it is somebody else's: a copied store would write where it came from."""
        place = (self._folder / "files").as_uri()
        found = self._client.get_experiment_by_name(name)
        if found is None:
            return str(self._client.create_experiment(name, artifact_location=place))
        if found.artifact_location != place:
            raise PateError(f"experiment {name} keeps its files in {found.artifact_location}: name another")
        return str(found.experiment_id)

    def _of_sweep(self, sweep: Path) -> str:
        """The run all its jobs stand under: the one there is, else a new one; it runs again."""
        key = hashlib.sha256(str(sweep).encode()).hexdigest()
        for found in self._client.search_runs([self._experiment], f"tags.{_SWEEP} = '{key}'", max_results=1):
            self._client.update_run(found.info.run_id, status="RUNNING")
            return str(found.info.run_id)
        tags = {_SWEEP: key, "folder": str(sweep)}
        made = self._client.create_run(self._experiment, run_name=f"sweep {told_time(sweep.name)}", tags=tags)
        return str(made.info.run_id)

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
            Metric(name, float(value), now, step) for name, value in (metrics or {}).items() if is_number(value)
        ]
        named = [Param(name, value[:param]) for name, value in (params or {}).items()]
        marked = [RunTag(name, value[:tag]) for name, value in (tags or {}).items() if value]
        for i in range(0, max(len(measured), len(named), len(marked)), _BATCH):
            part = slice(i, i + _BATCH)
            self._client.log_batch(self._id, measured[part], named[part], marked[part])
