"""Fixtures: a configuration as the command line composes it, and runs in a workspace of their own."""

import os
import subprocess
import sys

import hydra
import pytest

from pate.config import Settings
from pate.preflight import checked

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
def pate(tmp_path):
    """The command line, as a real process in an empty folder."""

    def run(*arguments: str, **options) -> subprocess.CompletedProcess:
        command = [sys.executable, "-c", "from pate.cli import main; main()", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, **options)

    return run
