"""Whoever reads may stop reading: the command ends quietly, and a run comes to its results all the same."""

import json
import os
import subprocess

import pytest

from tests.command_line import MAIN

FAST = ["stage=student", "teachers=ridge", "teachers.count=20", "student=supervised", "n_jobs=1"]


@pytest.fixture
def unread(tmp_path):
    """The command with pipes that nobody reads any more, closed before its first word: no race decides."""

    def run(*arguments, streams=("stdout",)):
        reader, writer = os.pipe()
        os.close(reader)
        ends = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | dict.fromkeys(streams, writer)
        try:
            return subprocess.run([*MAIN, *arguments], cwd=tmp_path, text=True, timeout=300, **ends)
        finally:
            os.close(writer)

    return run


@pytest.mark.parametrize("word", ["--help", "--version", "--hydra-help"])
def test_a_closed_pipe_is_no_error(unread, word):
    done = unread(word)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_a_run_that_nobody_listens_to_leaves_its_results(unread, tmp_path):
    silent = unread(*FAST, "hydra.run.dir=one", streams=("stdout", "stderr"))
    assert silent.returncode == 0
    assert "student" in json.loads((tmp_path / "one" / "results.json").read_text())["stages"]
    ledger = unread("stage=ledger", "hydra.run.dir=two")
    assert (ledger.returncode, ledger.stderr) == (0, "")
    assert json.loads((tmp_path / "two" / "ledger.json").read_text())["entries"]
    swept = unread("-m", "stage=data", "delta=0.001,0.002", "hydra.sweep.dir=swept", streams=("stdout", "stderr"))
    assert swept.returncode == 0
    assert (tmp_path / "swept" / "sweep.csv").exists()


def test_an_error_keeps_its_exit_code(unread):
    assert unread("delta=2", streams=("stdout", "stderr")).returncode == 2


def test_head_gets_its_line(tmp_path):
    command = " ".join(f"'{word}'" for word in MAIN)
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command} --help | head -1"], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("PATE from the command line")
