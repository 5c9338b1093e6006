"""Plain files, read back with the standard library; and that no run loses the row of another."""

import csv
import json
import math
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import pate as package
from pate.learning.telling import tell, telling
from pate.noise import SEEDED
from pate.report.tracking.csv_files import CSV, _Run
from pate.report.tracking.figures import flat, measured, prices
from pate.report.tracking.tracking import Followed
from pate.workspace.owner import owned_folder
from tests.evaluation.made_up import typed

SMALL = ["teachers=ridge", "teachers.count=20", "dpsgd.epochs=2", "dpsgd.epsilon=3", "n_jobs=1", "labels.queries=20"]


def read(file):
    with open(file, newline="") as handle:
        return list(csv.DictReader(handle))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run from Python, and what it returned."""
    folder = tmp_path_factory.mktemp("csv")
    given = ["tracking=csv", f"workspace={folder / 'workspace'}", f"hydra.run.dir={folder / 'mine'}", *SMALL]
    return folder / "workspace" / "tracked", package.run([*given, "methods=[pate,dpsgd]", "stage=compare"])


def test_metrics_are_those_of_the_results_and_of_the_way(whole):
    folder, found = whole
    rows = read(folder / "mine" / "metrics.csv")
    last = {row["name"]: float(row["value"]) for row in rows if not row["step"]}
    for method in found["methods"]:
        for key in ("accuracy", "epsilon", "epsilon_publishable", "seconds"):
            assert last.get(f"{method['name']}_{key}") == method[key]
    way = [row for row in rows if row["step"]]
    epsilons = [(int(row["step"]), float(row["value"])) for row in way if row["name"] == "dpsgd_epsilon_so_far"]
    assert epsilons == sorted(epsilons)
    assert epsilons[-1] == (found["methods"][1]["details"]["steps"], found["methods"][1]["epsilon"])
    assert len([row for row in way if row["name"] == "dpsgd_loss"]) == len(epsilons) > 1


def test_no_epsilon_and_no_loss_stands_alone(whole):
    folder, _ = whole
    rows = [row for row in read(folder / "mine" / "metrics.csv") if "epsilon" in row["name"]]
    assert len(rows) >= 6
    assert all("delta 0.0001, one record replaced by " in row["terms"] for row in rows)
    losses = [
        row
        for row in read(folder / "mine" / "metrics.csv")
        if row["name"].endswith("_loss") and "log_loss" not in row["name"]
    ]
    assert losses
    assert all(row["terms"].startswith("the owner's") for row in losses)
    (run,) = read(folder / "runs.csv")
    figures = [name for name in run if "epsilon" in name and not name.endswith("_terms")]
    assert len(figures) >= 4
    for name in figures:
        assert "delta 0.0001, one record replaced by " in run[f"{name}_terms"]


def test_parameters_are_the_whole_configuration(whole):
    folder, found = whole
    assert json.loads((folder / "mine" / "params.json").read_text()) == flat(found["config"])


def test_a_run_has_one_row(whole):
    folder, found = whole
    (run,) = read(folder / "runs.csv")
    assert (run["run"], run["status"], run["noise"]) == ("mine", "FINISHED", "")
    assert run["title"].startswith("teachers=ridge teachers.count=20 dpsgd.epochs=2")
    assert float(run["pate_accuracy"]) == found["methods"][0]["accuracy"]
    assert run["notes"] == " | ".join(found["notes"])


def test_all_of_it_is_the_owners(whole):
    folder, _ = whole
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(one.stat().st_mode) & 0o077 == 0 for one in folder.rglob("*"))
    assert {one.name for one in folder.rglob("*")} == {"mine", "metrics.csv", "params.json", "runs.csv", "lock"}


@pytest.mark.parametrize(("error", "status"), [(KeyboardInterrupt, "KILLED"), (ZeroDivisionError, "FAILED")])
def test_a_run_that_ends_early_has_a_row_and_what_it_told(tmp_path, settings, error, status):
    run = Followed(settings("noise.seed=1"), tmp_path / "one", [], None)

    def learn():
        with CSV(str(tmp_path / "tracked")).follow(run), telling("dpsgd"):
            tell(7, loss=1.5, epsilon_so_far=math.inf)
            raise error

    with pytest.raises(error):
        learn()
    (row,) = read(tmp_path / "tracked" / "runs.csv")
    assert (row["status"], row["noise"]) == (status, SEEDED)
    (told,) = read(tmp_path / "tracked" / "one" / "metrics.csv")
    assert (told["step"], told["name"], told["value"]) == ("7", "dpsgd_loss", "1.5")


def found(name, accuracy):
    return typed({"methods": [{"name": name, "accuracy": accuracy}], "notes": ['a, "b"', SEEDED]})


def test_rows_of_other_methods_share_a_table(tmp_path, settings):
    """Each has its own columns; what a run does not know is empty, and no cell moves."""
    chosen, told = CSV(str(tmp_path / "tracked")), [found("pate", 0.5), found("dpsgd", 0.25), found("pate", 0.75)]
    for one in told:
        with chosen.follow(Followed(settings(), tmp_path / "same")) as track:
            track(one, None)
    rows = read(tmp_path / "tracked" / "runs.csv")
    assert [row["run"] for row in rows] == ["same", "same-2", "same-3"]
    assert [row["pate_accuracy"] for row in rows] == ["0.5", "", "0.75"]
    assert [row["dpsgd_accuracy"] for row in rows] == ["", "0.25", ""]
    assert {row["notes"] for row in rows} == {f'a, "b" | {SEEDED}'}
    for row, one in zip(rows, told, strict=True):
        assert {name: float(row[name]) for name in measured(one)} == measured(one)
        assert {name: row[f"{name}_terms"] for name in prices(one)} == prices(one)


def test_jobs_at_once_lose_no_row(tmp_path, settings):
    folder, given = owned_folder(tmp_path / "tracked"), settings()

    def job(number):
        """Of its own process, as far as files know."""
        diary = _Run(folder, Followed(given, tmp_path / "all" / "same", [f"seed={number}"], tmp_path))
        diary.begin()
        diary.finish(found(f"m{number % 5}", number / 100), None)
        diary.end("FINISHED")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(job, range(40)))
    rows = read(tmp_path / "tracked" / "runs.csv")
    assert sorted(row["overrides"] for row in rows) == sorted(f"seed={number}" for number in range(40))
    assert len({row["run"] for row in rows}) == 40
    for row in rows:
        number = int(row["overrides"].removeprefix("seed="))
        assert float(row[f"m{number % 5}_accuracy"]) == number / 100


@pytest.mark.slow
def test_every_job_of_a_sweep_has_a_row(tmp_path):
    command = ["-m", "tracking=csv", "stage=data", "dataset.seed=1,2", "hydra.sweep.dir=all"]
    done = subprocess.run(
        [sys.executable, "-m", "pate.app", *command], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    rows = read(tmp_path / "workspace" / "tracked" / "runs.csv")
    assert [row["run"] for row in rows] == ["all_0", "all_1"]
    assert {row["sweep"] for row in rows} == {str((tmp_path / "all").resolve())}
    assert [row["title"] for row in rows] == [f"stage=data dataset.seed={seed} (all/{seed - 1})" for seed in (1, 2)]
