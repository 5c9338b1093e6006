"""A store with its tables: MLflow takes seconds to make them, and they are the same wherever they are."""

import os
import shutil

import hydra
import pytest

from pate.app.preflight import checked
from pate.report.tracking.mlflow import MLflow
from pate.report.tracking.tracking import Followed


@pytest.fixture(scope="session")
def migrated(tmp_path_factory):
    """Made by our own code from nothing, under an experiment of its own; with a run of it."""
    folder = tmp_path_factory.mktemp("migrated")
    with hydra.initialize_config_module(version_base="1.3", config_module="pate.conf"):
        settings = checked(hydra.compose("config", [f"workspace={folder / 'workspace'}", "stage=data"]))
    umask = os.umask(0o077)
    try:
        with MLflow(str(folder / "store"), "template").follow(Followed(settings, folder / "run")):
            pass
    finally:
        os.umask(umask)
    return folder / "store"


@pytest.fixture(scope="session")
def with_tables(migrated):
    """Put them where a store is going to be."""

    def put(folder):
        folder.mkdir(mode=0o700, parents=True)
        return shutil.copy(migrated / "mlflow.db", folder / "mlflow.db")

    return put
