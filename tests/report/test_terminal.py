"""What people and scripts get to see: quiet runs, no escape codes where none are wanted, help for a newcomer."""

import os
import stat
from pathlib import Path

import pexpect
import pytest

from pate.noise import SEEDED
from tests.command_line import MAIN

FAST = ["stage=student", "teachers=ridge", "teachers.count=20", "student=supervised", "n_jobs=1"]


def test_quiet_is_the_path_of_the_results_and_nothing_else(pate, tmp_path):
    done = pate(*FAST, "--quiet", "hydra.run.dir=one")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{tmp_path / 'one' / 'results.json'}\n"
    assert done.stderr == ""
    assert "student" in (tmp_path / "one" / "pate.log").read_text()  # the log keeps what the terminal is spared
    ledger = pate("stage=ledger", "--quiet", "hydra.run.dir=two")
    assert ledger.stdout == f"{tmp_path / 'two' / 'ledger.json'}\n"
    seeded = pate("--quiet", *FAST, "noise.seed=1", "hydra.run.dir=three")
    assert seeded.stdout == f"{tmp_path / 'three' / 'results.json'}\n"
    assert seeded.stderr == f"warning: {SEEDED}\n"
    spent = pate(*FAST, "--quiet", "labels.queries=120", "budget.epsilon=1")
    assert spent.returncode == 0
    assert spent.stderr.startswith("warning: ")
    assert "the budget of account digits is epsilon 1.000" in spent.stderr
    wrong = pate("--quiet", "delta=2")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("pate: delta must lie strictly between 0 and 1")


def test_a_quiet_sweep_is_the_path_of_its_table_and_a_failed_one_only_errors(pate, tmp_path):
    done = pate("-m", "--quiet", "stage=data", "delta=0.0001,0.0002", "hydra.sweep.dir=swept")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{tmp_path / 'swept' / 'sweep.csv'}\n"
    assert stat.S_IMODE((tmp_path / "swept" / "sweep.json").stat().st_mode) == 0o600
    failed = pate("-m", "stage=data", "delta=0.0001,2", "--quiet")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert "job 1 (delta=2): delta must lie strictly between 0 and 1" in failed.stderr
    refused = pate("-m", "stage=data", "delta=0.0001,2", "sweep.epsilon=-1")
    assert refused.returncode == 2
    assert refused.stderr == "pate: sweep.epsilon must be a positive number, got -1.0\n"


def on_a_terminal(tmp_path, *arguments, **environment):
    child = pexpect.spawn(
        MAIN[0], [*MAIN[1:], *arguments], cwd=tmp_path, env=os.environ | {"TERM": "xterm-256color"} | environment,
        dimensions=(40, 120), encoding="utf-8", timeout=300,
    )  # fmt: skip
    text = child.read()
    child.close()
    return child.exitstatus, text


@pytest.mark.slow
def test_no_escape_code_is_written_where_none_is_wanted(pate, tmp_path):
    code, coloured = on_a_terminal(tmp_path, *FAST)
    assert code == 0
    assert "\x1b[" in coloured
    for arguments in (["force=[teachers]", *FAST], ["-m", "stage=data", "delta=2,0.001"]):
        _, plain = on_a_terminal(tmp_path, *arguments, NO_COLOR="1")
        assert "\x1b" not in plain
        piped = pate(*arguments)
        assert "\x1b" not in piped.stdout + piped.stderr
    code, quiet = on_a_terminal(tmp_path, "--quiet", *FAST)
    assert code == 0
    assert Path("".join(quiet.split())).name == "results.json"


def test_a_small_encoding_is_no_reason_to_fail(pate):
    done = pate(*FAST[:-1], "n_jobs=1", env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()


def test_help_names_stages_groups_examples_and_exit_codes(pate, tmp_path):
    from pate.app.verbs import asked

    done = pate("--help")
    assert done.returncode == 0, done.stderr
    for stage in asked()[1:]:
        assert f"\n{stage} " in done.stdout
    for group in (entry.name for entry in Path(__file__).parents[2].joinpath("conf").iterdir() if entry.is_dir()):
        assert f"{group}: " in done.stdout or group in ("hydra", "__pycache__")
    for line in (
        "--quiet ",
        "0    done",
        "1    failed",
        "2    the configuration",
        "3    the budget",
        "130  interrupted",
    ):
        assert line in done.stdout
    examples = [line.split("#")[0].split()[1:] for line in done.stdout.splitlines() if line.startswith("pate ")]
    assert len([one for one in examples if "[--quiet]" not in one]) == 6
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_the_examples_of_the_help_compose(pate):
    lines = [line.split("#")[0] for line in pate("--help").stdout.splitlines() if line.startswith("pate ")]
    for line in lines[1:]:
        arguments = [one for one in line.split()[1:] if one != "-m" and "," not in one]
        assert pate("--cfg", "job", *arguments).returncode == 0, line
