"""The thin Hydra shell: compose, check, run, show. Everything else is in pipelines/ and the library.

Exit codes: 0 done, 1 failed, 2 the configuration or a file it names is wrong (nothing was written), 130 interrupted.
"""

from __future__ import annotations

import logging
import os
import shlex
import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException
from hydra.experimental.callback import Callback
from hydra.types import RunMode
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from pate.config import Settings, one_line, settle
from pate.errors import ConfigError, PateError
from pate.progress import console
from pate.report.results import results, write_results
from pate.report.table import print_results
from pate.runner import Runner
from pate.store import Store

log = logging.getLogger("pate")


def execute(settings: Settings, folder: Path) -> dict[str, Any]:
    """Bring the stage that was asked for up to date; write results.json into the folder and return what it holds."""
    from pate.pipelines import graph, targets
    from pate.pipelines.artifacts import COSTS, LABELS, OWNERS_SPENT, SCORES, SPENT

    for warning in settings.warnings:
        log.warning("warning: %s", warning)
    runner = Runner(settings, graph(settings), Store(settings.workspace))
    runner.bring_up_to_date(targets(settings))
    spent = OWNERS_SPENT if settings.dpsgd.epsilon == "pate" else SPENT
    found = results(
        settings,
        runner.records,
        runner.graph.notes,
        labels=runner.made(LABELS),
        costs=runner.made(COSTS),
        spent=runner.made(spent),
        scores=runner.made(SCORES),
    )
    write_results(found, folder)
    return found


def run(overrides: Sequence[str] = ()) -> dict[str, Any]:
    """The same from Python."""
    with hydra.initialize_config_module(version_base="1.3", config_module="pate.conf"):
        try:
            config = hydra.compose("config", list(overrides), return_hydra_config=True)
            folder = Path(config.hydra.run.dir)
        except (HydraException, OmegaConfBaseException) as error:
            raise ConfigError(one_line(error)) from error
        settings = settle(config)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return execute(settings, folder)


class Preflight(Callback):
    """Refuses a bad configuration before Hydra makes a folder for it. Hydra hides a callback's errors, not its exit."""

    def on_run_start(self, config: DictConfig, **_: Any) -> None:
        try:
            settle(config)
        except PateError as error:
            sys.exit(_complain(error))


@hydra.main(version_base="1.3", config_path="pkg://pate.conf", config_name="config")
def _job(config: DictConfig) -> None:
    folder = Path(HydraConfig.get().runtime.output_dir)
    try:
        settings = settle(config)
        found = execute(settings, folder)
    except PateError as error:
        if HydraConfig.get().mode == RunMode.MULTIRUN:
            raise  # the sweep goes on with its other jobs, and fails at its end
        sys.exit(_complain(error))
    print_results(found)
    if all(stage["reused"] for name, stage in found["stages"].items() if name != "fetch"):
        print("nothing to do: every stage was up to date")
    print(f"results  {folder / 'results.json'}")
    print(f"private  {settings.workspace / 'private'} (yours alone)")
    print(f"release  {settings.workspace / 'release'} (made from public inputs and noisy answers)")


def main() -> None:
    """The console script."""
    os.umask(0o077)  # what a run leaves behind is its owner's; the releasable side is opened on purpose
    full_error = os.environ.get("HYDRA_FULL_ERROR") == "1"
    os.environ["HYDRA_FULL_ERROR"] = "1"  # errors come here, to be told in one line
    signal.signal(signal.SIGTERM, _interrupted)
    try:
        _job()
    except KeyboardInterrupt:
        console.print("interrupted", markup=False)
        sys.exit(_resume(130))
    except (PateError, HydraException, OmegaConfBaseException) as error:
        if full_error:
            traceback.print_exc()
        sys.exit(_complain(error))
    except Exception:
        traceback.print_exc()
        sys.exit(_resume(1))


def _complain(error: Exception) -> int:
    code = error.exit_code if isinstance(error, PateError) else 2
    message = str(error) if isinstance(error, PateError) else one_line(error)
    console.print(f"pate: {message}", style="bold red", markup=False, highlight=False, soft_wrap=True)
    return _resume(code) if code == 1 else code


def _resume(code: int) -> int:
    """Finished stages and teachers are stored: the same command goes on from there."""
    console.print(f"to resume: {shlex.join(['pate', *sys.argv[1:]])}", markup=False, highlight=False, soft_wrap=True)
    return code


def _interrupted(*_: Any) -> None:
    raise KeyboardInterrupt
