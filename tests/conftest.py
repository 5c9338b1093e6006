"""Fixtures: a configuration as the command line composes it, and runs in a workspace of their own."""

import os
from functools import partial

import hydra
import pytest

import pate as package
from pate.app.cli import execute
from pate.app.preflight import checked
from pate.ledger.ledger import Ledger
from pate.settings import Settings
from pate.workspace.store import Store
from pate.workspace.typed_json import to_json
from tests.command_line import command_line

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):  # tests run in parallel already
    os.environ.setdefault(name, "1")


@pytest.fixture
def settings(tmp_path):
    """Compose and check a configuration from overrides."""

    def compose(*overrides: str) -> Settings:
        with hydra.initialize_config_module(version_base="1.3", config_module="pate.conf"):
            return checked(hydra.compose("config", [f"workspace={tmp_path / 'workspace'}", *overrides]))

    return compose


@pytest.fixture
def run(tmp_path, request):
    """The pipeline from Python with what the module calls FAST, in a workspace of the test's own."""
    given = [*getattr(request.module, "FAST", ()), f"workspace={tmp_path / 'workspace'}"]

    def execute(*overrides: str) -> dict:
        return package.run([*given, f"hydra.run.dir={tmp_path / 'run'}", *overrides])

    return execute


@pytest.fixture
def entries(tmp_path):
    """What the ledger of the test's workspace holds."""
    return lambda: Ledger.of(Store(tmp_path / "workspace")).entries()


@pytest.fixture
def pate(tmp_path):
    """The command line, as a real process in an empty folder."""
    return partial(command_line, cwd=tmp_path)


SMALL_RUN = ("teachers=ridge", "teachers.count=20", "labels.queries=40", "dpsgd.epochs=2", "n_jobs=1")


@pytest.fixture(scope="session")
def small_run(tmp_path_factory):
    """What it found, and its folder."""

    def run(*overrides, folder=None):
        workspace = tmp_path_factory.mktemp("report") / "workspace" if folder is None else folder
        laplace = not any(one.startswith("aggregator=") for one in overrides)
        given = [*SMALL_RUN, *["aggregator.gamma=0.4"] * laplace, *overrides]
        with hydra.initialize_config_module(version_base="1.3", config_module="pate.conf"):
            settings = checked(hydra.compose("config", [f"workspace={workspace}", *given]))
        place = workspace / "runs" / "one"
        place.mkdir(parents=True, exist_ok=True)
        return to_json(execute(settings, place, overrides=given)), place

    return run


@pytest.fixture(scope="session")
def owners_run(small_run):
    return small_run()


@pytest.fixture(scope="session")
def seeded_run(small_run):
    return small_run("noise.seed=1")


@pytest.fixture(scope="session")
def public_run(small_run):
    return small_run("stage=report", "report.audience=public", "dpsgd.epsilon=3")
