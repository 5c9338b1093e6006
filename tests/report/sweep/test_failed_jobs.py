"""Jobs that fail: the sweep goes on, says which and why, and how each is resumed alone."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FRAGILE = """
from dataclasses import dataclass
from pathlib import Path
import numpy as np
from pate.teachers.ensemble import Teachers

@dataclass(frozen=True)
class Fragile(Teachers):
    truth: float = 0.9

    def predict_one(self, x, y, public, classes, seed):
        if Path("broken").exists() and self.count == 40 and self.truth == 0.8:
            raise ValueError(f"CANARY: the first label is {y[0]}")
        generator = np.random.default_rng(seed)
        return np.where(generator.random(len(public)) < self.truth, 3, generator.integers(classes, size=len(public)))
"""


@pytest.fixture
def fragile(tmp_path):
    """A user's own teacher, which fails in one of its settings until it is mended."""
    (tmp_path / "mine" / "teachers").mkdir(parents=True)
    (tmp_path / "mine" / "fragile.py").write_text(FRAGILE)
    (tmp_path / "mine" / "teachers" / "fragile.yaml").write_text("_target_: fragile.Fragile\ncount: 20\n")
    (tmp_path / "broken").write_text("")
    return os.environ | {
        "PYTHONPATH": f"{tmp_path / 'mine'}:{os.environ.get('PYTHONPATH', '')}",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }


@pytest.mark.slow
def test_of_twelve_jobs_one_fails_and_is_resumed_alone(pate, tmp_path, fragile):
    done = pate(
        "-m", "--config-dir", "mine", "teachers=fragile", "teachers.count=10,20,30,40", "+teachers.truth=0.7,0.8,0.9",
        "force=[labels]", "student=supervised", "dpsgd.epsilon=2", "dpsgd.epochs=1",
        "workspace=my work", "hydra.sweep.dir=my swept", "sweep.epsilon=6", "n_jobs=1", env=fragile,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    facts = json.loads((tmp_path / "my swept" / "sweep.json").read_text())
    assert [row["finished"] for row in facts["jobs"]].count(True) == 11
    (failed,) = facts["failed"]
    assert failed["job"] == "10"
    assert "Fragile teacher 0 failed with a ValueError" in failed["error"]
    assert "CANARY" not in done.stdout + done.stderr + json.dumps(facts)
    assert f"job 10 (teachers.count=40 teachers.truth=0.8): {failed['error']}" in done.stderr
    assert f"  to resume: {failed['resume']}\n" in done.stderr
    assert json.loads((tmp_path / "my swept" / "10" / "unfinished.json").read_text())["resume"] == failed["resume"]
    page = (tmp_path / "my swept" / "report.html").read_text()
    assert "1 of 12 jobs did not finish" in page
    assert "CANARY" not in page
    check_releases(facts, done.stdout)
    check_frontier(facts, done.stdout)

    (tmp_path / "broken").unlink()
    assert " -m " not in failed["resume"]
    again = subprocess.run(
        failed["resume"], shell=True, cwd=tmp_path, env=fragile, capture_output=True, text=True, timeout=120
    )
    assert again.returncode == 0, again.stderr
    found = json.loads((tmp_path / "my swept" / "10" / "results.json").read_text())
    assert (found["config"]["teachers"]["count"], found["config"]["teachers"]["truth"]) == (40, 0.8)
    assert found["stages"]["data"]["reused"]
    assert not (tmp_path / "workspace").exists()
    whole = pate("stage=compare", "compare.runs=['my swept']", "workspace=my work", env=fragile)
    assert whole.returncode == 0, whole.stderr
    assert "compare: 12 runs" in whole.stdout
    assert "did not finish" not in whole.stdout


def check_releases(facts, out):
    """Eleven sets of labels, and one DP-SGD model that all share; together they cost more than any of them."""
    (account,) = facts["releases"]["accounts"]
    assert account["releases"] == 12
    assert account["evaluations"] == 0
    dearest = max(row["pate_epsilon_publishable"] for row in facts["jobs"] if row["finished"])
    assert dearest < account["sweep"]["epsilon"] == account["account"]["epsilon"]
    assert "releases: 12 by this sweep from account digits, together epsilon" in out
    assert "for every data set (publishable), delta 0.0001, one record replaced by nothing" in out


def check_frontier(facts, out):
    kinds = {(one["method"], one["holds_for"], one["publishable"]): one for one in facts["frontier"]["kinds"]}
    assert set(kinds) == {
        ("pate", "this data set", False), ("pate", "every data set", True), ("dpsgd", "every data set", True),
        ("consensus", "every data set", False),
    }  # fmt: skip
    for kind in kinds.values():
        assert kind["best"] is None or kind["best"]["epsilon"] <= 6
        assert kind["frontier"]
    assert "best within epsilon 6: " in out
    assert "is tuning: no epsilon covers it" in out


def test_a_sweep_of_which_every_job_fails_says_so(pate, tmp_path):
    done = pate("-m", "stage=teachers", "teachers.count=5000,6000", "hydra.sweep.dir=swept")
    assert done.returncode == 1
    assert "2 of 2 jobs did not finish:" in done.stderr
    facts = json.loads((tmp_path / "swept" / "sweep.json").read_text())
    assert [one["overrides"]["teachers.count"] for one in facts["failed"]] == ["5000", "6000"]
    assert facts["groups"] == []


def test_where_no_summary_can_look_a_failed_job_fails_the_sweep_all_the_same(pate):
    done = pate("-m", "stage=data", "delta=2,0.001", "hydra.sweep.dir=/dev/null/${delta}")
    assert done.returncode != 0
    done = pate("-m", "stage=data", "delta=2,0.001", "hydra.sweep.subdir=a/${delta}")
    assert done.returncode == 1
    assert "pate: job 2.0 failed: " in done.stderr
