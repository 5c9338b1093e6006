"""What MLflow is told of a run, read back through its own client; and that a run needs no tracker to stand."""

import errno
import json
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import yaml

import pate as package
from pate.errors import ConfigError
from pate.noise import SEEDED
from pate.report.tracking.figures import flat
from pate.report.tracking.mlflow import MLflow, _Run
from pate.report.tracking.tracking import Followed

SMALL = ["teachers=ridge", "teachers.count=20", "student=supervised", "dpsgd.epochs=3", "dpsgd.epsilon=3", "n_jobs=1"]
SMALL += ["labels.queries=20"]
# A real process, outside of what MLflow takes for a test: there it would never call home.
QUIET = """
import sys
calls = []
sys.addaudithook(lambda event, args: calls.append(args) if event in ("socket.connect", "socket.getaddrinfo") else None)
from pate.app.cli import main
main()
import mlflow.telemetry
assert not calls, calls
assert mlflow.telemetry.get_telemetry_client() is None
"""
WITHOUT = "import sys; sys.modules['mlflow'] = None; from pate.app.cli import main; main()"


def process(code, *arguments, cwd):
    tests = ("PYTEST_CURRENT_TEST", "CI", "GITHUB_ACTIONS", "DO_NOT_TRACK", "MLFLOW_DISABLE_TELEMETRY")
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=cwd,
        env={name: value for name, value in os.environ.items() if name not in tests},
        capture_output=True,
        text=True,
        timeout=300,
    )


def client(folder):
    from mlflow.tracking import MlflowClient

    return MlflowClient(tracking_uri=f"sqlite:///{folder.resolve() / 'mlflow.db'}")


def runs(folder, experiment="pate"):
    """The runs of a store, first to last."""
    found = client(folder)
    number = found.get_experiment_by_name(experiment).experiment_id
    return found.search_runs([number], order_by=["attributes.start_time ASC"])


@pytest.fixture
def tracked(tmp_path, with_tables):
    """A run from Python, with its results."""

    def run(*overrides):
        store = tmp_path / "workspace" / "mlflow"
        if not store.exists() and not any(one.startswith("tracking.folder=") for one in overrides):
            with_tables(store)
        return package.run([
            "tracking=mlflow", f"workspace={tmp_path / 'workspace'}", f"hydra.run.dir={tmp_path / 'run'}", *overrides
        ])  # fmt: skip

    return run


@pytest.fixture(scope="module")
def whole(tmp_path_factory, with_tables):
    """A whole run from the command line, with a report in its folder."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "workspace").mkdir(mode=0o700)
    with_tables(folder / "workspace" / "mlflow")
    (folder / "mine").mkdir()
    (folder / "mine" / "report.html").write_text("<p>what was found</p>")
    (folder / "mine" / "report.html").chmod(0o600)
    done = process(QUIET, "tracking=mlflow", "stage=compare", *SMALL, "hydra.run.dir=mine", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "mlflow/store" not in done.stderr  # nothing but our own lines
    return folder


@pytest.fixture(scope="module")
def run(whole):
    (found,) = runs(whole / "workspace" / "mlflow")
    return found


@pytest.fixture(scope="module")
def results(whole):
    return json.loads((whole / "mine" / "results.json").read_text())


def test_a_run_is_named_after_what_was_chosen_and_its_folder_and_finished(run):
    assert run.info.run_name == (
        "stage=compare teachers=ridge teachers.count=20 student=supervised dpsgd.epochs=3 dpsgd.epsilon=3 "
        "labels.queries=20 (mine)"
    )
    assert run.info.status == "FINISHED"
    assert run.info.user_id == "unknown"
    assert "mlflow.parentRunId" not in run.data.tags


def test_parameters_are_the_whole_configuration(run, results):
    assert run.data.params == flat(results["config"])
    expected = {"teachers.count": "20", "dpsgd.epsilon": "3.0", "noise.seed": "null", "delta": "0.0001"}
    assert expected.items() <= run.data.params.items()


def test_metrics_are_those_of_the_results(run, results):
    metrics = run.data.metrics
    for method in results["methods"]:
        for key in ("accuracy", "epsilon", "epsilon_publishable", "seconds"):
            assert metrics.get(f"{method['name']}_{key}") == method[key]
    for name, stage in results["stages"].items():
        assert metrics[f"seconds_{name}"] == stage["seconds"]


def test_dpsgd_is_followed_step_by_step(whole, run, results):
    store, spent = client(whole / "workspace" / "mlflow"), results["methods"][1]
    epsilons = sorted(store.get_metric_history(run.info.run_id, "dpsgd_epsilon_so_far"), key=lambda one: one.step)
    assert len(epsilons) >= 3
    assert [one.value for one in epsilons] == sorted(one.value for one in epsilons)
    assert (epsilons[-1].step, epsilons[-1].value) == (spent["details"]["steps"], spent["epsilon"])
    losses = store.get_metric_history(run.info.run_id, "dpsgd_loss")
    assert [one.step for one in losses] == [one.step for one in epsilons]


def test_no_epsilon_stands_alone(run):
    epsilons = [name for name in run.data.metrics if "epsilon" in name]
    assert len(epsilons) >= 6
    for name in epsilons:
        assert "delta 0.0001, one record replaced by " in run.data.tags[name]
    assert "for this data set (the owner's, not publishable)" in run.data.tags["pate_epsilon"]
    assert "for every data set (publishable)" in run.data.tags["pate_epsilon_publishable"]
    assert run.data.tags["dpsgd_epsilon_so_far"].startswith("for every data set (publishable), delta")
    assert "replaced by another" in run.data.tags["dpsgd_epsilon_replace_one"]
    assert run.data.tags["dpsgd_loss"].startswith("the owner's")
    assert "noise" not in run.data.tags


def test_results_and_report_are_kept_with_it(whole, run):
    store = client(whole / "workspace" / "mlflow")
    assert {one.path for one in store.list_artifacts(run.info.run_id)} == {"results.json", "report.html"}
    (kept,) = (whole / "workspace" / "mlflow").rglob("results.json")
    assert kept.read_bytes() == (whole / "mine" / "results.json").read_bytes()


def test_models_are_kept_with_their_signatures(whole, run):
    """Read back by MLflow: what goes in, what comes out, and what its training data were promised."""
    from mlflow.types.schema import Schema

    store = client(whole / "workspace" / "mlflow")
    kept = {one.name: one for one in store.search_logged_models([run.info.experiment_id])}
    assert set(kept) == {"pate", "dpsgd"}  # not the one without privacy, nor consensus, which was made to be compared
    assert {one.model_id for one in store.get_run(run.info.run_id).outputs.model_outputs} == {
        one.model_id for one in kept.values()
    }
    for name, model in kept.items():
        assert (str(model.status), model.source_run_id) == ("READY", run.info.run_id)
        assert model.tags["privacy"].startswith("epsilon ")
        assert "for every data set (publishable), delta 0.0001, one record replaced by nothing" in model.tags["privacy"]
        assert model.tags["privacy"] == run.data.tags[f"{name}_epsilon_every_data_set"]
        told = store.list_logged_model_artifacts(model.model_id)
        assert {one.path for one in told} == {"MLmodel", "model.onnx", "model.json", "model.safetensors"}
        (described,) = (whole / "workspace" / "mlflow").glob(f"files/models/{model.model_id}/artifacts/MLmodel")
        about = yaml.safe_load(described.read_text())
        (given,), (out,) = (Schema.from_json(about["signature"][side]).inputs for side in ("inputs", "outputs"))
        assert (given.type, given.shape) == ("float32", (-1, 8, 8))
        assert out.shape == (-1, 10)
        assert about["metadata"]["privacy"] == model.tags["privacy"]


def test_a_store_begins_with_tables_of_its_own(migrated):
    assert stat.S_IMODE((migrated / "mlflow.db").stat().st_mode) == 0o600
    assert stat.S_IMODE(migrated.stat().st_mode) == 0o700
    assert len(runs(migrated, "template")) == 1


def test_the_store_is_the_owners_alone(whole):
    folder = whole / "workspace" / "mlflow"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(one.stat().st_mode) & 0o077 == 0 for one in folder.rglob("*"))
    assert {one.name for one in whole.iterdir()} == {"mine", "workspace"}  # nothing anywhere else


def test_a_missing_package_is_one_line_before_anything_runs(tmp_path):
    done = process(WITHOUT, "tracking=mlflow", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.strip() == (
        "pate: tracking=mlflow needs packages that are not here: pip install 'pate-pipelines[mlflow]'"
    )
    assert list(tmp_path.iterdir()) == []


def test_an_experiment_needs_a_name(settings):
    with pytest.raises(ConfigError, match=r"^tracking\.experiment"):
        settings("tracking=mlflow", "tracking.experiment=''")


@pytest.fixture
def warned(monkeypatch):
    """Warnings of the run, as they would be logged."""
    said = []
    monkeypatch.setattr("pate.report.tracking.tracking.log.warning", lambda line, *given: said.append(line % given))
    return said


def test_a_damaged_store_is_a_warning(tmp_path, warned, tracked):
    (tmp_path / "workspace" / "mlflow").mkdir(mode=0o700, parents=True)
    (tmp_path / "workspace" / "mlflow" / "mlflow.db").write_bytes(b"no database" * 1000)
    found = tracked("stage=data")
    assert "data" in found["stages"]
    assert (tmp_path / "run" / "results.json").is_file()
    (line,) = warned
    assert "file is not a database" in line
    assert "\n" not in line


@pytest.mark.slow
def test_a_store_that_fails_half_way_leaves_the_results(tmp_path, warned, tracked, monkeypatch):
    from mlflow.tracking import MlflowClient

    log, left = MlflowClient.log_batch, [3]  # the configuration, the first steps, and then the disk is full

    def failing(*given, **named):
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return log(*given, **named)

    monkeypatch.setattr(MlflowClient, "log_batch", failing)
    found = tracked(*SMALL, "dataset.public=0", "stage=dpsgd")
    assert [method["name"] for method in found["methods"]] == ["dpsgd"]
    assert json.loads((tmp_path / "run" / "results.json").read_text())["methods"] == found["methods"]
    assert len([line for line in warned if "No space left on device" in line]) == 1
    (run,) = runs(tmp_path / "workspace" / "mlflow")
    assert run.info.status == "RUNNING"
    assert "dpsgd_loss" in run.data.metrics
    assert "dpsgd_accuracy" not in run.data.metrics


def test_an_experiment_whose_files_lie_elsewhere_is_left_alone(tmp_path, warned, tracked):
    tracked("stage=data")
    (tmp_path / "workspace" / "mlflow").rename(tmp_path / "moved")
    tracked("stage=data", f"tracking.folder={tmp_path / 'moved'}")
    (line,) = warned
    assert "keeps its files in file://" in line
    assert len(runs(tmp_path / "moved")) == 1
    assert not (tmp_path / "workspace" / "mlflow").exists()


def test_seeded_noise_is_marked_and_long_values_are_cut(tmp_path, tracked):
    many = ",".join(["0.125"] * 2000)
    tracked(*SMALL[:2], "n_jobs=1", "stage=labels", "noise.seed=7", f"quality.gammas=[{many}]")
    (run,) = runs(tmp_path / "workspace" / "mlflow")
    assert run.data.tags["noise"] == SEEDED
    assert run.data.tags["mlflow.note.content"].startswith(f"- {SEEDED}")
    assert f"for this data set ({SEEDED})" in run.data.tags["pate_epsilon"]
    assert "pate_epsilon_publishable" not in run.data.metrics
    assert run.data.params["noise.seed"] == "7"
    assert len(run.data.params["quality.gammas"]) == 6000


@pytest.mark.parametrize(("error", "status"), [(KeyboardInterrupt, "KILLED"), (ZeroDivisionError, "FAILED")])
def test_a_run_that_ends_early_says_so(tmp_path, settings, with_tables, error, status):
    chosen = MLflow(str(tmp_path / "store"), "mine")
    with_tables(tmp_path / "store")
    with pytest.raises(error), chosen.follow(Followed(settings(), tmp_path / "one")):
        raise error
    (run,) = runs(tmp_path / "store", "mine")
    assert run.info.status == status


def jobs_of(store, parent):
    return [one for one in runs(store) if one.data.tags.get("mlflow.parentRunId") == parent.info.run_id]


def test_jobs_of_a_sweep_stand_under_one_run_whichever_way_they_begin(tmp_path, settings, with_tables):
    """One while another runs, two at once, and one on another day; another sweep has its own."""
    store, given = tmp_path / "store", settings()
    with_tables(store)
    sweep, other = tmp_path / "it's" / "all", tmp_path / "more"

    def begun(sweep, number):
        """As if of a process of its own: another client, another lock."""
        diary = _Run(
            store.resolve(), MLflow(str(store)), Followed(given, sweep / str(number), [f"seed={number}"], sweep)
        )
        diary.begin()
        return diary

    def parents():
        return [(one.info.run_name, one.info.status) for one in runs(store) if "sweep" in one.data.tags]

    first = begun(sweep, 0)
    assert parents() == [("sweep all", "RUNNING")]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda number: begun(sweep, number).end("FAILED"), (1, 2)))
    begun(other, 0).end("FINISHED")
    assert parents() == [("sweep all", "RUNNING"), ("sweep more", "FINISHED")]  # a job of the first still runs
    first.end("FINISHED")
    assert parents() == [("sweep all", "FINISHED"), ("sweep more", "FINISHED")]
    resumed = begun(sweep, 2)
    assert parents() == [("sweep all", "RUNNING"), ("sweep more", "FINISHED")]
    resumed.end("FINISHED")
    (parent, _) = [one for one in runs(store) if "sweep" in one.data.tags]
    told = sorted((one.info.run_name, one.info.status) for one in jobs_of(store, parent))
    done = ["FINISHED", "FAILED", "FAILED", "FINISHED"]
    assert told == sorted((f"seed={n} (all/{n})", status) for n, status in zip((0, 1, 2, 2), done, strict=True))


@pytest.mark.slow
def test_every_job_of_a_sweep_is_a_run_and_a_resumed_one_stands_with_them(tmp_path):
    command = ["-m", "tracking=mlflow", "stage=data", "dataset.seed=1,2", "hydra.sweep.dir=all"]
    for jobs in (command, ["tracking=mlflow", "stage=data", "dataset.seed=2", "hydra.run.dir=all/1"]):
        done = process("from pate.app.cli import main; main()", *jobs, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    store = tmp_path / "workspace" / "mlflow"
    (parent,) = [one for one in runs(store) if "sweep" in one.data.tags]
    assert (parent.info.run_name, parent.info.status) == ("sweep all", "FINISHED")
    told = [(one.info.run_name, one.data.params["dataset.seed"], one.info.status) for one in jobs_of(store, parent)]
    names = [f"stage=data dataset.seed={seed} (all/{seed - 1})" for seed in (1, 2, 2)]
    assert told == [(name, seed, "FINISHED") for name, seed in zip(names, "122", strict=True)]


@pytest.mark.slow
def test_runs_that_begin_at_once_share_a_store(tmp_path):
    command = [sys.executable, "-c", "from pate.app.cli import main; main()", "tracking=mlflow", "stage=data"]
    both = [subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    said = [one.communicate(timeout=300)[1] for one in both]
    assert not any("warning" in lines for lines in said), said
    assert [one.info.status for one in runs(tmp_path / "workspace" / "mlflow")] == ["FINISHED"] * 2
