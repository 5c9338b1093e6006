"""What one command has done so far, for what is said at its end: the stages it began, its sweep, and what failed."""

from __future__ import annotations

import traceback
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex

from omegaconf import DictConfig

from pate.app.bars import console
from pate.report.sweep.jobs import Sweep, begin
from pate.report.sweep.summary import sum_up

_PLAN = ".plan"  # in a sweep's folder: its name for the ledger
# All its jobs are known when it begins; other sweepers choose the next one by what was found.
_FIXED_SWEEPER = "hydra._internal.core_plugins.basic_sweeper.BasicSweeper"


@dataclass
class Session:
    """Of one command line, in one process: a launcher's workers have sessions of their own."""

    begun: set[str] = field(default_factory=set)  # stages it has started: to resume they need no forcing
    sweep: Sweep | None = None  # begun, and not yet summed up
    failed: bool = False  # a job of the sweep

    def begin_sweep(self, config: DictConfig) -> None:
        """Give its jobs a plan in common, if they were all fixed now."""
        folder = Path(config.hydra.sweep.dir)
        plan = token_hex(8) if config.hydra.sweeper._target_ == _FIXED_SWEEPER else ""
        about = {"workspace": Path(config.workspace), "plan": plan, "epsilon": config.sweep.epsilon}
        self.sweep = begin(folder, config.hydra.output_subdir, **about)
        (folder / _PLAN).unlink(missing_ok=True)  # of an earlier sweep in the same folder
        if plan:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / _PLAN).write_text(plan)

    def sum_up(self, whole: bool = True) -> bool:
        """A summary that fails is seen, and takes neither the jobs' results nor their exit code with it."""
        sweep, self.sweep = self.sweep, None
        if sweep is None:
            return False
        try:
            jobs = sweep.jobs()
            self.failed = self.failed or any(job.unfinished for job in jobs)  # also in a launcher's own processes
            return sum_up(sweep, jobs, whole)
        except Exception:
            traceback.print_exc()
            sorry = "pate: the sweep was not summed up; its jobs' results are there"
            console.print(sorry, style="bold red", markup=False)
            return True


_session: ContextVar[Session] = ContextVar("session")


def new_session() -> Session:
    """For a command that begins; Hydra calls its callbacks and the job without it, so they find it by `session`."""
    _session.set(Session())
    return session()


def session() -> Session:
    return _session.get(None) or new_session()


def planned(folder: Path) -> str:
    """The plan a sweep's job is part of, if all its jobs were fixed when it began."""
    try:
        return (folder.parent / _PLAN).read_text()
    except OSError:
        return ""
