"""The command line as a person meets it, in real processes."""

import json
import os
import shlex
import signal
import stat
import subprocess
import time

import pexpect
import pytest

from tests.command_line import MAIN

FAST = ["teachers=ridge", "teachers.count=20", "student=supervised", "dpsgd.epochs=1", "n_jobs=1"]


def test_the_whole_pipeline_twice(pate, tmp_path):
    first = pate(*FAST, "hydra.run.dir=one")
    assert first.returncode == 0, first.stderr
    for word in ("PATE", "DP-SGD", "non-private bound", "epsilon", "delta", "holds for", "test accuracy"):
        assert word in first.stdout
    assert first.stdout.count("neighbours: one record replaced by nothing (zero-out adjacency)") == 1
    assert "one/results.json" in first.stdout
    assert "student" in first.stderr  # one summary line a stage
    file = tmp_path / "one" / "results.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    found = json.loads(file.read_text())
    assert [row["name"] for row in found["methods"]] == [
        "pate",
        "dpsgd",
        "dpsgd_publishable",
        "consensus",
        "nonprivate",
    ]
    keys = {"name", "epsilon", "delta", "epsilon_publishable", "guarantee", "relation", "accuracy", "seconds"}
    assert all(keys <= set(row) for row in found["methods"])
    assert found["methods"][1]["epsilon"] <= found["methods"][0]["epsilon"]
    assert not any(stage["reused"] for stage in found["stages"].values())
    assert {"queries", "label_accuracy", "teacher_accuracy", "epsilon"} <= set(found["pate"])
    assert found["config"]["teachers"]["count"] == 20

    second = pate(*FAST, "hydra.run.dir=two")
    assert "nothing to do: every stage was up to date" in second.stdout
    again = json.loads((tmp_path / "two" / "results.json").read_text())
    assert all(stage["reused"] for stage in again["stages"].values())
    assert again["methods"] == found["methods"]


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("tachers.count=3", "tachers: no such key; there are account, aggregator, balance, budget, clean, compare"),
        (
            "teachers.cuont=3",
            "teachers.cuont: no such key; there are count",
        ),
        ("teachers.count=many", "teachers.count: Value 'many' of type 'str' could not be converted to Integer"),
        ("teachers=llama", "Available options in 'teachers'"),
        ("aggregator.gamma=-1", "aggregator.gamma must be a positive number, got -1.0"),
        ("delta=2", "delta must lie strictly between 0 and 1"),
        ("teachers.count=1201", "there are only 1200 private records"),
        ("labels.queries=398", "the public pool has only 397 inputs"),
    ],
)
def test_bad_input_is_one_line_exit_code_2_and_nothing_written(pate, tmp_path, override, words):
    done = pate(override)
    assert done.returncode == 2, done.stderr
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


SLOW = """
import time
from dataclasses import dataclass
from pathlib import Path
import numpy as np
from pate.teachers.ensemble import Teachers

@dataclass(frozen=True)
class Slow(Teachers):
    wait: float = 0.3

    def predict_one(self, x, y, public, classes, seed):
        with open("trained.txt", "a") as file:
            file.write(f"{seed}\\n")
        time.sleep(self.wait)
        while Path("held").exists() and len(Path("trained.txt").read_text().split()) > 5:
            time.sleep(0.01)
        return np.random.default_rng(seed).integers(classes, size=len(public))
"""


@pytest.fixture
def slow(tmp_path):
    """A user's own teacher, in a folder and a config group of their own."""
    (tmp_path / "mine" / "teachers").mkdir(parents=True)
    (tmp_path / "mine" / "slow_teacher.py").write_text(SLOW)
    (tmp_path / "mine" / "teachers" / "slow.yaml").write_text("_target_: slow_teacher.Slow\ncount: 12\nwait: 0.3\n")
    return {
        "arguments": ["--config-dir", "mine", "teachers=slow", "stage=teachers", "n_jobs=2"],
        "environment": os.environ | {"PYTHONPATH": f"{tmp_path / 'mine'}:{os.environ.get('PYTHONPATH', '')}"},
        "trained": tmp_path / "trained.txt",
    }


def stored(workspace):
    return {file.name for file in (workspace / "private" / "teachers").glob("*.pieces/[0-9]*.npy")}


def wait_for_pieces(workspace, at_least, timeout=300):
    deadline = time.monotonic() + timeout
    while len(stored(workspace)) < at_least:
        assert time.monotonic() < deadline, "no teacher was stored in time"
        time.sleep(0.02)


def predictions(workspace):
    (file,) = (workspace / "private" / "teachers").glob("*/predictions.npz")
    return file.read_bytes()


@pytest.mark.slow
def test_killed_while_training_only_missing_teachers_are_trained_again(pate, tmp_path, slow):
    arguments, environment = slow["arguments"], slow["environment"]
    whole = pate(*arguments, "teachers.wait=0", "workspace=unbroken", env=environment)
    assert whole.returncode == 0, whole.stderr
    slow["trained"].unlink()

    (tmp_path / "held").write_text("")  # the sixth teacher and those behind it do not come to an end
    process = subprocess.Popen(
        [*MAIN, *arguments, "workspace=broken"], cwd=tmp_path, env=environment, stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip
    wait_for_pieces(tmp_path / "broken", 3)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stderr.close()
    kept = len(stored(tmp_path / "broken"))
    assert 3 <= kept < 12
    slow["trained"].unlink()
    (tmp_path / "held").unlink()

    resumed = pate(*arguments, "workspace=broken", env=environment)
    assert resumed.returncode == 0, resumed.stderr
    assert len(slow["trained"].read_text().split()) == 12 - kept
    assert f"resuming: {kept} of 12 teachers were trained before" in resumed.stderr
    assert predictions(tmp_path / "broken") == predictions(tmp_path / "unbroken")
    assert stored(tmp_path / "broken") == set()


def heeds_interrupts():
    """Also where the tests run in the background, and SIGINT is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.slow
@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_says_how_to_resume(tmp_path, slow, signum):
    arguments = [*slow["arguments"], "teachers.wait=1", "n_jobs=1"]
    process = subprocess.Popen(
        [*MAIN, *arguments], cwd=tmp_path, env=slow["environment"], stderr=subprocess.PIPE, text=True,
        preexec_fn=heeds_interrupts,
    )  # fmt: skip
    wait_for_pieces(tmp_path / "workspace", 1)
    process.send_signal(signum)
    _, stderr = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "to resume: pate --config-dir mine teachers=slow stage=teachers n_jobs=2 teachers.wait=1 n_jobs=1" in stderr
    assert "Traceback" not in stderr


def test_a_crash_says_how_to_resume(pate, tmp_path, slow):
    (tmp_path / "mine" / "slow_teacher.py").write_text(SLOW.replace("time.sleep(self.wait)", "1 / 0"))
    done = pate(*slow["arguments"], "n_jobs=1", env=slow["environment"])
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr
    assert "to resume: pate --config-dir mine" in done.stderr


def test_resuming_does_not_force_again(tmp_path, slow):
    arguments = [*slow["arguments"], "teachers.wait=1", "n_jobs=1", "force=[data,teachers,labels]"]
    process = subprocess.Popen(
        [*MAIN, *arguments], cwd=tmp_path, env=slow["environment"], stderr=subprocess.PIPE, text=True,
        preexec_fn=heeds_interrupts,
    )  # fmt: skip
    wait_for_pieces(tmp_path / "workspace", 1)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=300)
    assert "n_jobs=1 'force=[labels]'" in stderr.strip().splitlines()[-1]


def test_two_runs_at_once_draw_one_set_of_labels(tmp_path):
    command = [*MAIN, "stage=student", *FAST[:3], "n_jobs=1"]
    both = [subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    logs = [process.communicate(timeout=300)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], logs
    assert len(list((tmp_path / "workspace" / "release" / "student").iterdir())) == 1
    assert len(list(tmp_path.rglob("results.json"))) == 2


def test_a_workspace_that_cannot_be_written_is_one_line(pate, tmp_path):
    (tmp_path / "file").write_text("")
    done = pate("stage=data", "workspace=file/inside", "hydra.run.dir=run")
    assert done.returncode == 2
    assert "workspace=file/inside cannot be written" in done.stderr
    done = pate("stage=data", "hydra.run.dir=file/inside")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_what_a_hydra_user_expects(pate, tmp_path):
    shown = pate("--cfg", "job", "--resolve", "+experiment=pate2017_mnist", "delta=1e-6")
    assert shown.returncode == 0, shown.stderr
    assert "count: 250" in shown.stdout
    assert "delta: 1.0e-06" in shown.stdout
    assert "name: mnist" in shown.stdout
    assert not (tmp_path / "workspace").exists()
    completion = pate("-sc", "query=bash", env=os.environ | {"COMP_LINE": "pate teachers=", "COMP_POINT": "14"})
    assert "teachers=ridge" in completion.stdout


def test_a_sweep_over_students_trains_the_teachers_once(pate, tmp_path):
    swept = pate("-m", "stage=student", "student=supervised,self_training", *FAST[:2], "n_jobs=1")
    assert swept.returncode == 0, swept.stderr
    jobs = [json.loads(file.read_text()) for file in sorted(tmp_path.rglob("results.json"))]
    assert [job["stages"]["teachers"]["reused"] for job in jobs] == [False, True]
    assert [job["stages"]["labels"]["reused"] for job in jobs] == [False, True]
    assert [job["stages"]["student"]["reused"] for job in jobs] == [False, False]


def test_a_sweep_goes_on_after_a_bad_job_and_fails_at_its_end(pate, tmp_path):
    swept = pate("-m", "stage=data", "delta=2,0.001,0.002", "hydra.sweeper.max_batch_size=1")
    assert swept.returncode == 1
    assert "delta must lie strictly between 0 and 1" in swept.stderr
    assert len(list(tmp_path.rglob("results.json"))) == 2
    assert [file.parent.name for file in tmp_path.rglob("unfinished.json")] == ["0"]


@pytest.mark.slow
def test_a_terminal_shows_a_bar_with_the_time_left(tmp_path, slow):
    child = pexpect.spawn(
        MAIN[0], [*MAIN[1:], *slow["arguments"], "n_jobs=1"], cwd=tmp_path, env=slow["environment"] | {"TERM": "xterm"},
        dimensions=(30, 120), encoding="utf-8", codec_errors="replace", timeout=300,
    )  # fmt: skip
    child.expect(r"teachers .*/12.* left .*\d:\d\d:\d\d")
    child.expect("12 slow teachers")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def test_the_command_in_results_says_where_settings_of_the_owners_lie(pate, tmp_path):
    (tmp_path / "my settings" / "experiment").mkdir(parents=True)
    (tmp_path / "my settings" / "experiment" / "few.yaml").write_text("# @package _global_\nlabels:\n  queries: 7\n")
    done = pate("--config-dir=my settings", "+experiment=few", "stage=queries", "hydra.run.dir=here")
    assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / "here" / "results.json").read_text())
    again = pate(*shlex.split(told["command"])[1:], "hydra.run.dir=again")
    assert again.returncode == 0, again.stderr
    assert json.loads((tmp_path / "again" / "results.json").read_text())["config"]["labels"]["queries"] == 7
    assert told["overrides"] == ["+experiment=few", "stage=queries"]
