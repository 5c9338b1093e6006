"""The cheapest pipeline that still goes from data to student, and the ways to start it in a child."""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import hydra
import pate.pipelines  # noqa: F401  (the child shall find it imported)
from hydra.core.global_hydra import GlobalHydra

from pate.app.cli import execute, main
from pate.app.preflight import checked
from pate.errors import PateError
from pate.settings import Settings

from .hooks import Hooks

SMALL = (
    "dataset=digits", "dataset.private=200", "dataset.public=60", "dataset.test=30", "teachers=ridge",
    "teachers.count=5", "student=supervised", "labels.queries=12", "n_jobs=1", "stage=student",
)  # fmt: skip
ACTIVE = (*SMALL, "labels.selection=active", "labels.rounds=3")
DPSGD = (*SMALL, "stage=dpsgd", "dpsgd.epsilon=2", "dpsgd.epochs=3", "dpsgd.lot=50")


@cache
def composed(*overrides: str) -> Settings:
    """Settings as the command line makes them; composing takes longer than running."""
    GlobalHydra.instance().clear()
    with hydra.initialize_config_module(version_base="1.3", config_module="pate.conf"):
        return checked(hydra.compose("config", list(overrides)))


def install(hooks: Hooks, settings: Settings) -> None:
    hooks.install((type(settings.aggregator), "answer", _rows), (type(settings.dpsgd), "fit", _begun))


def quick(settings: Settings, workspace: Path, force: Sequence[str] = (), hooks: Hooks | None = None) -> int:
    """What `pate` does once its configuration is read. To be called in a child."""
    chosen = replace(settings, workspace=workspace, force=tuple(force))
    if hooks is not None:
        install(hooks, chosen)
    if chosen.stage == "dpsgd":
        from pate.dpsgd import descent  # brings torch along

        descent._SAVE_EVERY = -1  # a checkpoint after every step
    os.umask(0o077)
    folder = workspace / "runs" / uuid.uuid4().hex
    folder.mkdir(parents=True)
    try:
        execute(chosen, folder)
    except PateError as error:
        print(f"pate: {error}")
        return error.exit_code
    return 0


def command(*arguments: str) -> int:
    """The command line itself, as a console script calls it. To be called in a child."""
    sys.argv = ["pate", *arguments]
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def _rows(aggregator: object, counts, noise) -> int:
    return len(counts)


def _begun(model: object, *arguments, checkpoint=None, **options) -> int:
    """A training that starts afresh is a draw; one that goes on is not."""
    return int(checkpoint is None or checkpoint.load() is None)
