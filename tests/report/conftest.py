"""A small real run, and its page."""

import hydra
import pytest

from pate.cli import execute
from pate.preflight import checked

SMALL = ("teachers=ridge", "teachers.count=20", "labels.queries=40", "dpsgd.epochs=2", "n_jobs=1")


@pytest.fixture(scope="session")
def small_run(tmp_path_factory):
    """What it found, and its folder."""

    def run(*overrides, folder=None):
        workspace = tmp_path_factory.mktemp("report") / "workspace" if folder is None else folder
        laplace = not any(one.startswith("aggregator=") for one in overrides)
        given = [*SMALL, *["aggregator.gamma=0.4"] * laplace, *overrides]
        with hydra.initialize_config_module(version_base="1.3", config_module="pate.conf"):
            settings = checked(hydra.compose("config", [f"workspace={workspace}", *given]))
        place = workspace / "runs" / "one"
        place.mkdir(parents=True, exist_ok=True)
        return execute(settings, place, overrides=given), place

    return run


@pytest.fixture(scope="session")
def owners_run(small_run):
    return small_run()


@pytest.fixture(scope="session")
def public_run(small_run):
    return small_run("stage=report", "report.audience=public", "dpsgd.epsilon=3")
