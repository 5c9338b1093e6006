"""Stages by name, in the order of the flow, known to whoever asks first."""

import subprocess
import sys

from pate.app.stages import stages


def test_a_stage_stands_behind_those_it_reads_from():
    names = list(stages())
    for earlier, later in (("data", "teachers"), ("teachers", "votes"), ("votes", "labels"), ("labels", "student")):
        assert names.index(earlier) < names.index(later)
    assert all(one.name == name for name, some in stages().items() for one in some)


def test_they_are_declared_when_somebody_asks_and_not_before():
    code = (
        "import sys; from pate.app.stages import stages; before = 'pate.pipelines' in sys.modules; "
        "print(before, 'labels' in stages())"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert told.stdout == "False True\n", told.stderr
