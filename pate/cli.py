"""The thin Hydra shell: compose, check, run, show. Everything else is in pipelines/ and the library.

Exit codes: 0 done, 1 failed, 2 the configuration or a file it names is wrong (nothing was written), 3 the budget does
not allow it (nothing was drawn), 130 interrupted.
"""

from __future__ import annotations

import logging
import os
import re
import shlex
import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from secrets import token_hex
from typing import Any

import hydra
import numpy as np
from hydra.core.global_hydra import GlobalHydra
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException
from hydra.experimental.callback import Callback
from hydra.types import RunMode
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from pate.config import Asked, Settings, one_line
from pate.errors import ConfigError, PateError
from pate.ledger import Ledger
from pate.predict import predict, published, read_inputs, write
from pate.preflight import checked
from pate.progress import console
from pate.report.jobs import Sweep, begin
from pate.report.ledger import print_ledger, summary, write_ledger
from pate.report.page import write_pages
from pate.report.results import results, write_results
from pate.report.sweep import sum_up
from pate.report.table import print_predictions, print_results
from pate.runner import Runner
from pate.store import Store

log = logging.getLogger("pate")
SEVERAL_RUNS = "asked in several runs: a price for this data set holds only if all were fixed before the first answer"
_PLAN = ".plan"  # in a sweep's folder: its name for the ledger
# All its jobs are known when it begins; other sweepers choose the next one by what was found.
_FIXED_SWEEPER = "hydra._internal.core_plugins.basic_sweeper.BasicSweeper"
_begun: set[str] = set()  # stages this process has started: to resume they need no forcing
_sweep: Sweep | None = None  # begun, and not yet summed up


def execute(settings: Settings, folder: Path, plan: str = "", overrides: Sequence[str] = ()) -> dict[str, Any]:
    """Bring the stage that was asked for up to date; write results.json into the folder and return what it holds.

    Runs of one `plan` were all fixed before the first of them was answered.
    """
    from pate.pipelines import foreseen, graph, targets
    from pate.pipelines.artifacts import (
        COSTS,
        EVIDENCE,
        LABELS,
        OWNERS_SPENT,
        PANEL,
        PLAN,
        QUALITY,
        SCORES,
        SPENT,
        SPENT_PUBLISHABLE,
    )  # fmt: skip

    name = f"{folder.parent.name}/{folder.name}" if plan else folder.name
    for warning in settings.warnings:
        log.warning("warning: %s", warning)
    runner = Runner(settings, graph(settings), Store(settings.workspace), name, plan or token_hex(8))
    _begun.clear()
    runner.begun = _begun
    wanted = targets(settings)
    if settings.limit.strict and settings.noise.seed is None:
        runner.foresee(foreseen(settings, [stage.name for stage in runner.graph.needed(wanted)]))
    with settings.tracking.follow(settings, name) as track:
        runner.bring_up_to_date(wanted)
        spent = OWNERS_SPENT if settings.dpsgd.epsilon == "pate" else SPENT
        found = results(
            settings,
            runner.records,
            (*runner.graph.notes, *(SEVERAL_RUNS,) * runner.asked_in_several_runs("labels")),
            labels=runner.made(LABELS),
            costs=runner.made(COSTS),
            plan=runner.made(PLAN),
            spent=runner.made(spent),
            spent_publishable=runner.made(SPENT_PUBLISHABLE),
            scores=runner.made(SCORES),
            quality=runner.made(QUALITY),
            ledger=summary(runner.ledger, settings.budget.account, settings.limit),
            overrides=overrides,
        )
        write_results(found, folder)
        if "report" in runner.records:
            write_pages(found, runner.made(EVIDENCE), runner.made(PANEL), settings, folder)
        track(found, folder)
    return found


def account(settings: Settings, folder: Path) -> dict[str, Any]:
    """What the workspace's ledger holds, of one account if one is named, written to ledger.json too."""
    named = settings.plain["budget"]["account"]
    limit = settings.limit if settings.limit.epsilon is not None else None
    ledger = Ledger.of(Store(settings.workspace))
    found = summary(ledger, settings.budget.account if limit else named, limit)
    write_ledger(found, folder / "ledger.json")
    return found


def answer(asked: Asked, folder: Path) -> dict[str, Any]:
    """What a published student says about new inputs, written to a file; and how many it takes for what."""
    student, notes = published(asked.student)
    belief = predict(student, read_inputs(asked.input, student), asked.views)
    output = asked.output or folder / "predictions.csv"
    write(output, belief, student.classes)
    counts = np.bincount(belief.argmax(axis=1), minlength=len(student.classes)).tolist()
    taken = dict(zip(student.classes, counts, strict=True))
    return {"output": str(output), "inputs": len(belief), "classes": taken, "notes": notes}


def run(overrides: Sequence[str] = ()) -> dict[str, Any]:
    """The same from Python."""
    outer = GlobalHydra.instance().hydra
    GlobalHydra.instance().clear()  # the caller may be a Hydra application of its own
    try:
        with hydra.initialize_config_module(version_base="1.3", config_module="pate.conf"):
            config = hydra.compose("config", list(overrides), return_hydra_config=True)
            folder = Path(config.hydra.run.dir)
            settings = checked(config)
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(one_line(error)) from error
    finally:
        GlobalHydra.instance().hydra = outer
    umask = os.umask(0o077)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if settings.stage == "ledger":
            return account(settings, folder)
        return answer(settings.asked, folder) if settings.asked else execute(settings, folder, overrides=overrides)
    finally:
        os.umask(umask)


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
        global _sweep
        folder = Path(config.hydra.sweep.dir)
        _sweep = begin(folder, config.hydra.output_subdir)
        (folder / _PLAN).unlink(missing_ok=True)  # of an earlier sweep in the same folder
        if config.hydra.sweeper._target_ == _FIXED_SWEEPER:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / _PLAN).write_text(token_hex(8))

    def on_multirun_end(self, config: DictConfig, **_: Any) -> None:
        # without one, hydra.sweep.dir, or the workspace it is in, was swept itself
        if not _sum_up() and config.stage not in ("predict", "ledger"):
            console.print("no summary: the jobs left no results in one folder", markup=False)


@hydra.main(version_base="1.3", config_path="pkg://pate.conf", config_name="config")
def _job(config: DictConfig) -> None:
    folder = Path(HydraConfig.get().runtime.output_dir)
    try:
        settings = checked(config)
        if settings.asked is not None:
            return print_predictions(answer(settings.asked, folder))
        if settings.stage == "ledger":
            print_ledger(account(settings, folder))
            return print(f"ledger   {folder / 'ledger.json'} (the owner's)")
        plan = _planned(folder) if HydraConfig.get().mode == RunMode.MULTIRUN else ""
        found = execute(settings, folder, plan, list(HydraConfig.get().overrides.task))
    except (PateError, OSError) as error:
        if HydraConfig.get().mode == RunMode.MULTIRUN:
            raise  # the sweep goes on with its other jobs, and fails at its end
        sys.exit(_complain(error if isinstance(error, PateError) else _told(error)))
    print_results(found)
    if all(stage["reused"] for stage in found["stages"].values()):
        print("nothing to do: every stage was up to date")
    print("promise  what an epsilon here promises, and what not: docs/privacy.md")
    print(f"results  {folder / 'results.json'}")
    if page := found.get("page"):
        print(f"page     {page}")
    if page := found.get("public_page"):
        print(f"public   {page} (may leave)")
    print(f"private  {settings.workspace / 'private'} (yours alone)")
    print(f"release  {settings.workspace / 'release'} (made from public inputs and noisy answers or gradients)")
    published = "student" if "student" in found["stages"] else "dpsgd" if settings.dpsgd.epsilon != "pate" else ""
    if made := found["stages"].get(published):
        folder = settings.workspace / "release" / published / made["key"]
        print(f"predict  pate stage=predict student_path={folder} input=FILE")


def main() -> None:
    """The console script."""
    os.umask(0o077)  # what a run leaves behind is its owner's
    full_error = os.environ.get("HYDRA_FULL_ERROR") == "1"
    os.environ["HYDRA_FULL_ERROR"] = "1"  # errors come here, to be told in one line
    signal.signal(signal.SIGTERM, _interrupted)
    try:
        try:
            _job()
        finally:
            _sum_up()
    except KeyboardInterrupt:
        console.print("interrupted", markup=False)
        sys.exit(_resume(130))
    except (PateError, HydraException, OmegaConfBaseException) as error:
        if full_error:
            traceback.print_exc()
        sys.exit(_complain(error))
    except OSError as error:
        if full_error:
            traceback.print_exc()
        sys.exit(_complain(_told(error)))
    except Exception:
        traceback.print_exc()
        sys.exit(_resume(1))


def _told(error: OSError) -> PateError:
    return PateError(f"{error.strerror}: {error.filename}" if error.filename else error.strerror or str(error))


def _planned(folder: Path) -> str:
    """The plan a sweep's job is part of, if all its jobs were fixed when it began."""
    try:
        return (folder.parent / _PLAN).read_text()
    except OSError:
        return ""


def _sum_up() -> bool:
    """A summary that fails is seen, and takes neither the jobs' results nor their exit code with it."""
    global _sweep
    sweep, _sweep = _sweep, None
    try:
        return sweep is not None and sum_up(sweep)
    except Exception:
        traceback.print_exc()
        console.print("pate: the sweep was not summed up; its jobs' results are there", style="bold red", markup=False)
        return True


def _complain(error: Exception) -> int:
    code = error.exit_code if isinstance(error, PateError) else 2
    message = str(error) if isinstance(error, PateError) else one_line(error)
    console.print(f"pate: {message}", style="bold red", markup=False, highlight=False, soft_wrap=True)
    return _resume(code) if code == 1 else code


def _resume(code: int) -> int:
    """Finished stages and teachers are stored: the same command goes on from there, without forcing what was forced."""
    arguments = [again for argument in sys.argv[1:] if (again := _less_force(argument))]
    console.print(f"to resume: {shlex.join(['pate', *arguments])}", markup=False, highlight=False, soft_wrap=True)
    return code


def _less_force(argument: str) -> str:
    name, _, value = argument.partition("=")
    if name != "force":
        return argument
    left = [stage for stage in re.findall(r"\w+", value) if stage not in _begun]
    return f"force=[{','.join(left)}]" if left else ""


def _interrupted(*_: Any) -> None:
    raise KeyboardInterrupt
