"""A sweep summed up: unit tests on made-up jobs, and real sweeps in real processes."""

import csv
import json
import stat
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from pate.report.draw.picture import FOOTNOTE
from pate.report.sweep.jobs import Sweep
from pate.report.sweep.summary import sum_up
from pate.report.sweep.unfinished import Unfinished
from tests.report.sweep.made_up import facts, job, quality, write


def test_notes_and_jobs_that_did_not_finish_are_told_and_brackets_are_kept(tmp_path, capsys):
    jobs = [
        job("0", "force=[labels] seed=0", notes=["all of them", "one of them"]),
        job("1", "force=[labels] seed=1", notes=["all of them"]),
        replace(job("2", "force=[labels] seed=2", finished=False), unfinished=Unfinished("why", "pate seed=2")),
    ]
    assert sum_up(Sweep(tmp_path, None, {}), jobs)
    told = capsys.readouterr()
    out, errors = " ".join(told.out.split()), " ".join(told.err.split())
    assert "sweep: force=[labels]" in out
    assert "note: all of them" in out
    assert "note (1 of 2 jobs): one of them" in out
    assert "1 of 3 jobs did not finish: job 2 (seed=2): why to resume: pate seed=2" in errors
    facts = json.loads((tmp_path / "sweep.json").read_text())
    assert [(one["job"], one["error"], one["resume"]) for one in facts["failed"]] == [("2", "why", "pate seed=2")]
    assert [row["finished"] for row in facts["jobs"]] == [True, True, False]


@pytest.mark.parametrize("count", [1, 7, 9])
def test_a_picture_of_few_and_of_many_lines(tmp_path, count, capsys):
    for number in range(count):
        results = facts(quality=quality(0.5, [0.1, 0.1 * number]))
        write(tmp_path / str(number), [f"labels.queries={number}"], results)
    sweep = Sweep(tmp_path, ".hydra", {})
    assert sum_up(sweep, sweep.jobs())
    text = "".join(ElementTree.parse(tmp_path / "quality.svg").getroot().itertext())
    for name in [f"labels.queries={number}" for number in range(count)] if count > 1 else ["5 teachers"]:
        assert name in text
    assert (tmp_path / "quality.png").read_bytes().startswith(b"\x89PNG")


RIDGE = ["stage=quality", "teachers=ridge", "n_jobs=1"]


def test_a_real_sweep_is_summed_up(pate, tmp_path):
    done = pate("-m", *RIDGE, "teachers.count=5,20", "seed=0,1", "hydra.sweep.dir=swept")
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "swept"
    assert f"picture  {folder / 'quality.svg'}" in done.stdout
    for name in ("sweep.csv", "sweep.json", "quality.svg", "quality.png"):
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600
    with open(folder / "sweep.csv", newline="") as file:
        table = list(csv.DictReader(file))
    assert [(row["teachers.count"], row["seed"]) for row in table] == [("5", "0"), ("5", "1"), ("20", "0"), ("20", "1")]
    assert "stage" not in table[0]
    found = [json.loads((folder / row["job"] / "results.json").read_text()) for row in table]
    for row, one in zip(table, found, strict=True):
        for key in ("epsilon", "delta", "epsilon_publishable"):
            assert float(row[f"pate_{key}"]) == one["methods"][0][key]
        assert row["pate_guarantee"] == one["methods"][0]["guarantee"]
        assert row["pate_relation"] == one["methods"][0]["relation"]
        assert row["pate_accuracy"] == ""
        assert float(row["quality_label_accuracy"]) == one["quality"]["label_accuracy"]
        at = [float(row[f"quality_accuracy_at_{gamma:g}"]) for gamma in one["quality"]["gammas"]]
        assert at == one["quality"]["accuracy_at"]
    for row, plain in zip(table, json.loads((folder / "sweep.json").read_text())["jobs"], strict=True):
        assert list(row) == list(plain)
        assert row["pate_epsilon"] == str(plain["pate_epsilon"])
    labels = [one["quality"]["pool_accuracy"] for one in found[2:]]
    assert f"{np.mean(labels):.2%} ± {stats.sem(labels):.2%}" in done.stdout
    text = "".join(ElementTree.parse(folder / "quality.svg").getroot().itertext())
    for part in ("5 teachers", "20 teachers", "Laplace noise of scale 1/gamma", "mean of 2 runs", FOOTNOTE):
        assert part in text


def test_a_failed_job_is_named_and_the_finished_ones_are_summed_up(pate, tmp_path):
    done = pate("-m", *RIDGE, "teachers.count=5,5000", "aggregator=gnmax")
    assert done.returncode == 1
    assert "pate: job 1 failed: teachers.count=5000: there are only 1200 private records" in done.stderr
    assert "1 of 2 jobs did not finish:" in done.stderr
    (file,) = tmp_path.rglob("sweep.json")
    assert [row["finished"] for row in json.loads(file.read_text())["jobs"]] == [True, False]
    assert "Gaussian noise of sigma = 1/gamma" in (file.parent / "quality.svg").read_text()


def test_a_summary_that_fails_is_seen_and_spares_the_sweep(pate, tmp_path):
    (tmp_path / "swept" / "sweep.csv").mkdir(parents=True)
    done = pate("-m", "stage=data", "delta=0.0001,0.0002", "hydra.sweep.dir=swept")
    assert done.returncode == 0
    assert "pate: the sweep was not summed up; its jobs' results are there" in done.stderr
    assert "IsADirectoryError" in done.stderr
    assert len(list(tmp_path.rglob("results.json"))) == 2
