"""The thin Hydra shell: compose, check, do, tell. What can be asked is in verbs/, what is done in pipelines/ and below.

Exit codes: 0 done, 1 failed (a sweep: any of its jobs), 2 the configuration or a file it names is wrong (nothing was
written), 3 the budget does not allow it (nothing was drawn), 130 interrupted. `pate --help` says so too.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import hydra
from hydra.core.global_hydra import GlobalHydra
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException
from hydra.experimental.callback import Callback
from hydra.types import RunMode
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from pate.app.bars import console, in_bars
from pate.app.compose import declare, section
from pate.app.docs import listing as documentation
from pate.app.earlier import recall
from pate.app.one_line import one_line
from pate.app.pipes import outlive_readers
from pate.app.places import offer
from pate.app.preflight import checked
from pate.app.resume import flags, job_alone, same_command, sweep_of
from pate.app.session import new_session, planned, session
from pate.app.unfinished import done, kept, told
from pate.app.verbs import asked, running_none, verb_of
from pate.app.verbs.request import Request
from pate.app.verbs.run import execute
from pate.app.words import understood
from pate.errors import ConfigError, PateError
from pate.progress import show_progress
from pate.report.terminal import quiet, settle_terminal
from pate.workspace.owner import refuse_anothers
from pate.workspace.typed_json import to_json

__all__ = ["execute", "main", "run"]
log = logging.getLogger("pate")


def main() -> None:
    """The command line."""
    os.umask(0o077)  # what a run leaves behind is its owner's
    full_error = os.environ.get("HYDRA_FULL_ERROR") == "1"
    os.environ["HYDRA_FULL_ERROR"] = "1"  # errors come here, to be told in one line
    outlive_readers()
    sys.argv[1:] = settle_terminal(sys.argv[1:])
    signal.signal(signal.SIGTERM, _interrupted)
    this = new_session()
    try:
        if sys.argv[1:] == ["docs"]:
            return print("\n".join(documentation()))
        sys.argv[1:] = understood(sys.argv[1:], asked())
        offer(sys.argv[1:])
        declare()
        begin = hydra.main(version_base="1.3", config_path="pkg://pate.conf", config_name=recall(sys.argv[1:]))
        try:
            begin(_job)()
        finally:
            this.sum_up(whole=False)  # Hydra did not come to its end
        if this.failed:
            sys.exit(1)
    except KeyboardInterrupt:
        console.print("interrupted", markup=False)
        sys.exit(_resume(130))
    except (PateError, OSError, HydraException, OmegaConfBaseException) as error:
        if full_error:
            traceback.print_exc()
        sys.exit(_complain(error))
    except Exception:
        traceback.print_exc()
        sys.exit(_resume(1))


def run(overrides: Sequence[str] = ()) -> dict[str, Any]:
    """The same from Python."""
    show_progress(in_bars)
    outer = GlobalHydra.instance().hydra
    GlobalHydra.instance().clear()  # the caller may be a Hydra application of its own
    try:
        with hydra.initialize_config_module(version_base="1.3", config_module="pate.conf"):
            offer(overrides)
            declare()
            config = hydra.compose(recall(overrides), list(overrides), return_hydra_config=True)
            folder = Path(config.hydra.run.dir)
            settings = checked(config)
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(one_line(error)) from error
    finally:
        GlobalHydra.instance().hydra = outer
    umask = os.umask(0o077)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return dict(to_json(verb_of(settings).ask(Request(settings, folder, overrides))))
    finally:
        os.umask(umask)


def _job(config: DictConfig) -> None:
    folder = Path(HydraConfig.get().runtime.output_dir)
    show_progress(in_bars)
    session().begun.clear()
    if HydraConfig.get().mode == RunMode.MULTIRUN:
        return _one_of_many(config, folder)
    try:
        _do(config, folder)
        done(folder)  # it may be a job of a sweep, resumed alone
    except (PateError, OSError) as error:
        sys.exit(_complain(error))


def _one_of_many(config: DictConfig, folder: Path) -> None:
    """The sweep goes on with its other jobs, and fails at its end."""
    plan = planned(folder)
    try:
        with kept(folder, partial(job_alone, folder, session().begun)):
            _do(config, folder, plan, of_sweep=True)
    except Exception as error:
        session().failed = True
        log.error("pate: job %s failed: %s", folder.name, told(error))
        if not plan:  # nobody may look into this folder when the sweep ends: another way to say so
            raise PateError(f"job {folder.name} failed: {told(error)}") from None


def _do(config: DictConfig, folder: Path, plan: str = "", of_sweep: bool = False) -> None:
    """Whatever was asked for; then say what was found."""
    settings = checked(config)
    hydra_config = HydraConfig.get()
    overrides, begun = list(hydra_config.overrides.task), session().begun
    given = (overrides, plan, of_sweep, begun, [*flags(hydra_config)], sweep_of(folder))
    verb, request = verb_of(settings), Request(settings, folder, *given)
    verb.tell(request, verb.ask(request))


class Preflight(Callback):
    """Refuses a bad configuration before Hydra makes a folder for it. Hydra hides a callback's errors, not its exit."""

    def on_run_start(self, config: DictConfig, **_: Any) -> None:
        try:
            checked(config)
        except PateError as error:
            sys.exit(_complain(error))


class Summary(Callback):
    """Sums up a sweep. Hydra says nothing at the end of a sweep with a failed job: `main` then does it."""

    def on_multirun_start(self, config: DictConfig, **_: Any) -> None:
        try:
            section("sweep", config.sweep)
            refuse_anothers(Path(config.workspace))
        except PateError as error:
            sys.exit(_complain(error))
        session().begin_sweep(config)

    def on_multirun_end(self, config: DictConfig, **_: Any) -> None:
        # without one, hydra.sweep.dir, or the workspace it is in, was swept itself
        ran = config.stage not in running_none() and not config.compare.runs
        if not session().sum_up() and ran and not quiet():
            console.print("no summary: the jobs left no results in one folder", markup=False)


def _complain(error: Exception) -> int:
    composing = isinstance(error, HydraException | OmegaConfBaseException)
    code = error.exit_code if isinstance(error, PateError) else 2 if composing else 1
    console.print(f"pate: {told(error)}", style="bold red", markup=False, highlight=False, soft_wrap=True)
    return _resume(code) if code == 1 else code


def _resume(code: int) -> int:
    command = same_command(sys.argv[1:], session().begun)
    console.print(f"to resume: {command}", markup=False, highlight=False, soft_wrap=True)
    return code


def _interrupted(*_: Any) -> None:
    raise KeyboardInterrupt
