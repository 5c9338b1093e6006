"""A sweep summed up, when its last job is done."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from pate.release.withheld import withheld
from pate.report.draw.picture import curve_of, draw
from pate.report.files import write_facts, write_rows
from pate.report.sweep.facts import facts
from pate.report.sweep.frontier import measure_of
from pate.report.sweep.frontier_table import print_frontier
from pate.report.sweep.jobs import Job, Sweep, groups, rows, swept
from pate.report.sweep.page import write_sweep_page
from pate.report.sweep.releases import told_of
from pate.report.sweep.table import print_sweep
from pate.report.terminal import console, quiet


def sum_up(sweep: Sweep, jobs: Sequence[Job], whole: bool = True) -> bool:
    """Write sweep.csv and sweep.json, print tables, draw the picture, name what failed; in this order, should one of
    them fail. False if its jobs leave nothing to sum up. A sweep that was broken off is not `whole`."""
    finished, failed = [job for job in jobs if job.results], [job for job in jobs if job.unfinished]
    if not finished and not failed:
        return False
    measure = measure_of(jobs)
    released, lines = told_of(_workspaces(sweep, finished), sweep.plan)
    write_rows(rows(jobs), sweep.folder / "sweep.csv")
    write_facts(facts(jobs, sweep.epsilon, released, measure), sweep.folder / "sweep.json")
    page = write_sweep_page(jobs, sweep.epsilon, lines, sweep.folder, _command(), (), measure)
    curves = [curve for group in groups(jobs) if (curve := curve_of(group))]
    if curves:
        draw(curves, finished, sweep.folder)
    if finished and not quiet():
        print_sweep(jobs, releases=lines, measure=measure)
        print_frontier(groups(jobs), sweep.epsilon, measure)
        print(f"sweep    {sweep.folder / 'sweep.csv'} (and sweep.json; yours alone)")
        if page:
            print(f"page     {page}")
        if curves:
            print(f"picture  {sweep.folder / 'quality.svg'} (and quality.png; yours alone)")
    elif finished:
        if why := withheld(note for job in finished for note in job.notes):
            console(stderr=True).print(f"warning: {why}", markup=False)
        if whole and not failed:
            print(sweep.folder / "sweep.csv")
    for line in _failures(jobs, failed):
        console(stderr=True).print(line, markup=False, soft_wrap=True)
    return True


def _command() -> str:
    """What was typed, in words a shell takes."""
    return shlex.join(["pate", *sys.argv[1:]])


def _workspaces(sweep: Sweep, finished: Iterable[Job]) -> list[Path]:
    used = [job.results.config.get("workspace") for job in finished if job.results]
    return [sweep.workspace, *(Path(one) for one in used if isinstance(one, str))]


def _failures(jobs: Sequence[Job], failed: Sequence[Job]) -> Iterable[str]:
    """Each with its error, and the command that resumes it alone."""
    choices = swept(jobs)
    if failed:
        yield f"{len(failed)} of {len(jobs)} jobs did not finish:"
    for job in failed:
        assert job.unfinished is not None
        named = " ".join(f"{key}={job.overrides[key]}" for key in choices if key in job.overrides)
        yield f"job {job.name}{named and f' ({named})'}: {job.unfinished.error}"
        if job.unfinished.resume:
            yield f"  to resume: {job.unfinished.resume}"
