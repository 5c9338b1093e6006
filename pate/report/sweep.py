"""A sweep summed up, when its last job is done."""

from __future__ import annotations

from pate.report.jobs import Sweep, groups, rows, write_rows
from pate.report.picture import curve_of, draw
from pate.report.sweep_table import print_sweep


def sum_up(sweep: Sweep) -> bool:
    """Write sweep.csv and sweep.json, print the table, draw the picture; in this order, should one of them fail.

    False if no job finished: then there is nothing to tell.
    """
    jobs = sweep.jobs()
    finished = [job for job in jobs if job.results is not None]
    if not finished:
        return False
    write_rows(rows(jobs), sweep.folder)
    print_sweep(jobs)
    print(f"sweep    {sweep.folder / 'sweep.csv'} (and sweep.json; yours alone)")
    if curves := [curve for group in groups(jobs) if (curve := curve_of(group))]:
        draw(curves, finished, sweep.folder)
        print(f"picture  {sweep.folder / 'quality.svg'} (and quality.png; yours alone)")
    return True
