"""The thin Hydra shell: compose, check, run, show. Everything else is in pipelines/ and the library.

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
from dataclasses import replace
from functools import partial
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

from pate.app.bars import console, in_bars
from pate.app.checkup import checkup, look_first, refuse
from pate.app.one_line import one_line
from pate.app.pipes import outlive_readers
from pate.app.places import offer
from pate.app.preflight import ASKED, check_sweep, checked
from pate.app.resume import job_alone, same_command
from pate.app.unfinished import done, kept, told
from pate.app.words import understood
from pate.errors import BudgetExceeded, ConfigError, PateError
from pate.evaluation.assemble import results
from pate.evaluation.results import Results
from pate.evaluation.results_file import write_results
from pate.ledger.account import usual
from pate.ledger.ledger import Ledger
from pate.progress import show_progress
from pate.release.predict import located, predict, published, read_inputs, write
from pate.release.whose import NO_MANIFEST, owners
from pate.release.withheld import withheld
from pate.report.files import write_facts
from pate.report.run.checkup import print_checkup
from pate.report.run.cleaning import print_cleaning
from pate.report.run.ledger import print_ledger, summary, write_ledger
from pate.report.run.page import write_pages
from pate.report.run.table import print_places, print_predictions, print_results
from pate.report.sweep.comparison import compare, print_comparison
from pate.report.sweep.jobs import Sweep, begin
from pate.report.sweep.summary import sum_up
from pate.report.terminal import quiet, settle_terminal
from pate.settings import Asked, Settings
from pate.workspace.clean import clean
from pate.workspace.owner import refuse_anothers
from pate.workspace.runner import Runner
from pate.workspace.store import Store
from pate.workspace.typed_json import to_json

log = logging.getLogger("pate")
_PLAN = ".plan"  # in a sweep's folder: its name for the ledger
# All its jobs are known when it begins; other sweepers choose the next one by what was found.
_FIXED_SWEEPER = "hydra._internal.core_plugins.basic_sweeper.BasicSweeper"
_begun: set[str] = set()  # stages this process has started: to resume they need no forcing
_sweep: Sweep | None = None  # begun, and not yet summed up
_failed = False  # a job of the sweep


def execute(settings: Settings, folder: Path, plan: str = "", overrides: Sequence[str] = ()) -> Results:
    """Bring the stage that was asked for up to date; write results.json into the folder and return what it holds.

    Runs of one `plan` were all fixed before the first of them was answered.
    """
    from pate.pipelines import foreseen, graph, taking_part, targets
    from pate.pipelines.artifacts import EVIDENCE, PANEL

    name = f"{folder.parent.name}/{folder.name}" if plan else folder.name
    for warning in settings.warnings:
        log.warning("warning: %s", warning)
    store = Store(settings.workspace)
    runner = Runner(settings, graph(settings), store, name, plan or token_hex(8))
    runner.begun = _begun
    wanted = targets(settings, alone=not plan)
    counted = settings.limit.strict and settings.noise.seed is None
    needed = [stage.name for stage in runner.graph.needed(wanted)] if counted else []
    with store.at_work(), settings.tracking.follow(settings, name) as track:
        look_first(runner, wanted, alone=not plan)
        runner.bring_up_to_date(wanted, foreseen(settings, needed))
        account = next(iter(summary(runner.ledger, runner.account, settings.limit)["accounts"]), None)
        found = results(runner, taking_part(settings), account, overrides)
        write_results(found, folder)
        if "report" in runner.records:
            page = write_pages(found, runner.made(EVIDENCE), runner.made(PANEL), settings, folder)
            found = replace(found, public_page=str(page) if page else None)
        track(found, folder)
    return found


def account(settings: Settings, folder: Path) -> dict[str, Any]:
    """What the workspace's ledger holds, of one account if one is named, written to ledger.json too."""
    limit = settings.limit if settings.limit.epsilon is not None else None
    ledger = Ledger.of(Store(settings.workspace))
    found = summary(ledger, settings.budget.account or (usual(settings) if limit else None), limit)
    write_ledger(found, folder / "ledger.json")
    return found


def tidy(settings: Settings, folder: Path) -> dict[str, Any]:
    """What no run refers to any more and may go, or has gone, written to clean.json too."""
    found = clean(settings.workspace, settings.clean.yes)
    write_facts(found, folder / "clean.json")
    return found


def answer(asked: Asked, folder: Path) -> dict[str, Any]:
    """What a student says about new inputs, written to a file; how many it takes for what; and whose all that is."""
    student, notes = published(asked.student)
    file = located(asked.student)
    why = owners(file)
    notes = notes if file.with_name("manifest.json").is_file() else [NO_MANIFEST]
    belief = predict(student, read_inputs(asked.input, student), asked.views)
    output = asked.output or folder / ("owners_predictions.csv" if why else "predictions.csv")
    write(output, belief, student.classes, bool(why))
    counts = np.bincount(belief.argmax(axis=1), minlength=len(student.classes)).tolist()
    taken = dict(zip(student.classes, counts, strict=True))
    return {"output": str(output), "inputs": len(belief), "classes": taken, "notes": notes, "owners": why}


def run(overrides: Sequence[str] = ()) -> dict[str, Any]:
    """The same from Python."""
    show_progress(in_bars)
    outer = GlobalHydra.instance().hydra
    GlobalHydra.instance().clear()  # the caller may be a Hydra application of its own
    try:
        with hydra.initialize_config_module(version_base="1.3", config_module="pate.conf"):
            offer(overrides)
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
        if settings.stage == "check":
            return checkup(settings, folder)
        if settings.stage == "clean":
            return tidy(settings, folder)
        if settings.compare.runs:
            return compare(settings.compare.runs, settings.sweep.epsilon, folder)[1]
        return (
            answer(settings.asked, folder)
            if settings.asked
            else to_json(execute(settings, folder, overrides=overrides))
        )
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
        try:
            check_sweep(config.sweep.epsilon)
            refuse_anothers(Path(config.workspace))
        except PateError as error:
            sys.exit(_complain(error))
        folder = Path(config.hydra.sweep.dir)
        plan = token_hex(8) if config.hydra.sweeper._target_ == _FIXED_SWEEPER else ""
        about = {"workspace": Path(config.workspace), "plan": plan, "epsilon": config.sweep.epsilon}
        _sweep = begin(folder, config.hydra.output_subdir, **about)
        (folder / _PLAN).unlink(missing_ok=True)  # of an earlier sweep in the same folder
        if plan:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / _PLAN).write_text(plan)

    def on_multirun_end(self, config: DictConfig, **_: Any) -> None:
        # without one, hydra.sweep.dir, or the workspace it is in, was swept itself
        ran = config.stage not in ("predict", "ledger", "clean") and not config.compare.runs
        if not _sum_up() and ran and not quiet():
            console.print("no summary: the jobs left no results in one folder", markup=False)


@hydra.main(version_base="1.3", config_path="pkg://pate.conf", config_name="config")
def _job(config: DictConfig) -> None:
    folder = Path(HydraConfig.get().runtime.output_dir)
    show_progress(in_bars)
    _begun.clear()
    if HydraConfig.get().mode == RunMode.MULTIRUN:
        return _one_of_many(config, folder)
    try:
        _do(config, folder)
        done(folder)  # it may be a job of a sweep, resumed alone
    except (PateError, OSError) as error:
        sys.exit(_complain(error))


def _one_of_many(config: DictConfig, folder: Path) -> None:
    """The sweep goes on with its other jobs, and fails at its end."""
    global _failed
    plan = _planned(folder)
    try:
        with kept(folder, partial(job_alone, folder, _begun)):
            _do(config, folder, plan)
    except Exception as error:
        _failed = True
        log.error("pate: job %s failed: %s", folder.name, told(error))
        if not plan:  # nobody may look into this folder when the sweep ends: another way to say so
            raise PateError(f"job {folder.name} failed: {told(error)}") from None


def _do(config: DictConfig, folder: Path, plan: str = "") -> None:
    """Whatever was asked for; then say what was found, or to the quiet only where."""
    settings = checked(config)
    if settings.asked is not None:
        answered = answer(settings.asked, folder)
        if quiet():
            why = f"the owner's model: {answered['owners']}" if answered["owners"] else withheld(answered["notes"])
            _warn_of(why or "; ".join(note for note in answered["notes"] if note == NO_MANIFEST))
            return print(answered["output"])
        return print_predictions(answered)
    if settings.stage == "ledger":
        entries, file = account(settings, folder), folder / "ledger.json"
        if not quiet():
            print_ledger(entries)
        return print(file if quiet() else f"ledger   {file} (the owner's)")
    if settings.stage == "check":
        seen, file = checkup(settings, folder), folder / "check.json"
        if not quiet():
            print_checkup(seen)
        print(file if quiet() else f"check    {file} (the owner's)")
        refuse(settings, seen["refusals"])
        if seen["over_budget"]:
            raise BudgetExceeded(seen["over_budget"])
        return None
    if settings.stage == "clean":
        gone, file = tidy(settings, folder), folder / "clean.json"
        if not quiet():
            print_cleaning(gone)
        return print(file if quiet() else f"clean    {file} (the owner's)")
    if settings.compare.runs:
        compared, file = compare(settings.compare.runs, settings.sweep.epsilon, folder), folder / "compare.csv"
        if not quiet():
            print_comparison(*compared)
            if (folder / "report.html").exists():
                print(f"page     {folder / 'report.html'}")
        return print(file if quiet() else f"compare  {file} (and compare.json; yours alone)")
    found = execute(settings, folder, plan, list(HydraConfig.get().overrides.task))
    if not quiet():
        print_results(found)
        return print_places(found, folder)
    if HydraConfig.get().mode == RunMode.RUN:  # a sweep says it once, at its end
        _warn_of(withheld(found.notes))
        print(found.public_page or found.published or folder / "results.json")


def _warn_of(why: str) -> None:
    """Why something may not leave, if it may not: said to the quiet too."""
    if why:
        console.print(f"warning: {why}", markup=False, soft_wrap=True)


def main() -> None:
    """The console script."""
    os.umask(0o077)  # what a run leaves behind is its owner's
    full_error = os.environ.get("HYDRA_FULL_ERROR") == "1"
    os.environ["HYDRA_FULL_ERROR"] = "1"  # errors come here, to be told in one line
    outlive_readers()
    sys.argv[1:] = settle_terminal(sys.argv[1:])
    signal.signal(signal.SIGTERM, _interrupted)
    try:
        sys.argv[1:] = understood(sys.argv[1:], ASKED)
        offer(sys.argv[1:])
        try:
            _job()
        finally:
            _sum_up(whole=False)  # Hydra did not come to its end
        if _failed:
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


def _planned(folder: Path) -> str:
    """The plan a sweep's job is part of, if all its jobs were fixed when it began."""
    try:
        return (folder.parent / _PLAN).read_text()
    except OSError:
        return ""


def _sum_up(whole: bool = True) -> bool:
    """A summary that fails is seen, and takes neither the jobs' results nor their exit code with it."""
    global _sweep, _failed
    sweep, _sweep = _sweep, None
    if sweep is None:
        return False
    try:
        jobs = sweep.jobs()
        _failed = _failed or any(job.unfinished for job in jobs)  # also in a launcher's own processes
        return sum_up(sweep, jobs, whole)
    except Exception:
        traceback.print_exc()
        console.print("pate: the sweep was not summed up; its jobs' results are there", style="bold red", markup=False)
        return True


def _complain(error: Exception) -> int:
    composing = isinstance(error, HydraException | OmegaConfBaseException)
    code = error.exit_code if isinstance(error, PateError) else 2 if composing else 1
    console.print(f"pate: {told(error)}", style="bold red", markup=False, highlight=False, soft_wrap=True)
    return _resume(code) if code == 1 else code


def _resume(code: int) -> int:
    command = same_command(sys.argv[1:], _begun)
    console.print(f"to resume: {command}", markup=False, highlight=False, soft_wrap=True)
    return code


def _interrupted(*_: Any) -> None:
    raise KeyboardInterrupt
