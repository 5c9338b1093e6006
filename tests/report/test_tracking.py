"""What MLflow is told of a run, read back through its own client; and that a run needs no tracker to stand."""

import errno
import json
import os
import stat
import subprocess
import sys

import pytest
from pate.pipelines.artifacts import PRIVATE

import pate as package
from pate import pipelines
from pate.errors import ConfigError
from pate.methods.method import Entry, Method
from pate.models.predictor import Predictor
from pate.noise import SEEDED
from pate.report.tracking import MLflow, flat, on_the_way, prices
from pate.workspace.stage import Stage, owned
from tests.evaluation.made_up import typed

SMALL = ["teachers=ridge", "teachers.count=20", "student=supervised", "dpsgd.epochs=3", "dpsgd.epsilon=3", "n_jobs=1"]
SMALL += ["labels.queries=20"]
OTHER = owned("other", Predictor)
ours = pipelines.methods()
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
OFF = "import sys; from pate.app.cli import main; main(); assert not {'mlflow', 'sqlalchemy'} & set(sys.modules)"


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


def tracked(tmp_path, *overrides):
    """A run from Python, with its results."""
    return package.run([
        "tracking=mlflow", f"workspace={tmp_path / 'workspace'}", f"hydra.run.dir={tmp_path / 'run'}", *overrides
    ])  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A whole run from the command line, with a report in its folder."""
    folder = tmp_path_factory.mktemp("whole")
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


def test_a_run_is_named_after_its_folder_and_finished(run):
    assert (run.info.run_name, run.info.status) == ("mine", "FINISHED")
    assert run.info.user_id == "unknown"


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


class Another(Method):
    """Of somebody else's: trains on private records, and its model is kept."""

    key = "another"

    def stages(self, settings):
        return [Stage("other", lambda run: None, reads=(PRIVATE,), writes=(OTHER,))]

    def entries(self, settings):
        return [Entry("another", "another", OTHER, (OTHER,), stages=("other",), kept=True)]


def test_what_is_told_on_the_way_hangs_on_what_a_method_declares(settings, monkeypatch):
    """By its stage, as figures are named: also of a method of somebody else's."""
    monkeypatch.setattr(pipelines, "methods", lambda: ours | {"another": Another()})
    told = on_the_way(settings("methods=[pate,dpsgd,nonprivate,another]"))
    losses = {name for name in told if name.endswith("_loss")}
    assert losses == {"dpsgd_loss", "dpsgd_publishable_loss", "nonprivate_loss", "other_loss"}  # no student's: public
    assert all(told[name].startswith("the owner's") for name in losses)
    for stage in ("dpsgd", "dpsgd_publishable", "other"):
        assert told[f"{stage}_epsilon_so_far"].startswith("for every data set (the owner's, not publishable)")
    assert on_the_way(settings("dpsgd.epsilon=2"))["dpsgd_epsilon_so_far"].startswith(
        "for every data set (publishable)"
    )


def test_results_and_report_are_kept_with_it(whole, run):
    store = client(whole / "workspace" / "mlflow")
    assert {one.path for one in store.list_artifacts(run.info.run_id)} == {"results.json", "report.html"}
    (kept,) = (whole / "workspace" / "mlflow").rglob("results.json")
    assert kept.read_bytes() == (whole / "mine" / "results.json").read_bytes()


def test_the_store_is_the_owners_alone(whole):
    folder = whole / "workspace" / "mlflow"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(one.stat().st_mode) & 0o077 == 0 for one in folder.rglob("*"))
    assert {one.name for one in whole.iterdir()} == {"mine", "workspace"}  # nothing anywhere else


def test_by_default_nothing_of_mlflow_is_imported(tmp_path):
    done = process(OFF, "stage=data", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "workspace" / "mlflow").exists()


def test_a_missing_package_is_one_line_before_anything_runs(tmp_path):
    done = process(WITHOUT, "tracking=mlflow", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.strip() == (
        "pate: tracking=mlflow needs packages that are not here: pip install 'pate-pipelines[mlflow]'"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("prepare", "words"),
    [
        (lambda folder: folder.mkdir(mode=0o755), "can be read by others"),
        (lambda folder: folder.symlink_to(folder.parent), "is a symbolic link"),
        (lambda folder: folder.symlink_to("nowhere"), "is a symbolic link"),
        (lambda folder: folder.write_text(""), "a file, and no folder"),
    ],
)
def test_a_store_that_is_not_the_owners_is_refused(tmp_path, settings, prepare, words):
    prepare(tmp_path / "store")
    with pytest.raises(ConfigError, match=words):
        settings("tracking=mlflow", f"tracking.folder={tmp_path / 'store'}")


@pytest.mark.parametrize(
    "override", ["tracking.folder='http://example.org'", "tracking.experiment=''", "tracking.folder=''"]
)
def test_what_is_no_local_store_is_refused(settings, override):
    with pytest.raises(ConfigError, match=r"^tracking\.(folder|experiment)"):
        settings("tracking=mlflow", override)


@pytest.fixture
def warned(monkeypatch):
    """Warnings of the run, as they would be logged."""
    said = []
    monkeypatch.setattr("pate.report.tracking.log.warning", lambda line, *given: said.append(line % given))
    return said


def test_a_damaged_store_is_a_warning(tmp_path, warned):
    (tmp_path / "workspace" / "mlflow").mkdir(mode=0o700, parents=True)
    (tmp_path / "workspace" / "mlflow" / "mlflow.db").write_bytes(b"no database" * 1000)
    found = tracked(tmp_path, "stage=data")
    assert "data" in found["stages"]
    assert (tmp_path / "run" / "results.json").is_file()
    (line,) = warned
    assert "file is not a database" in line
    assert "\n" not in line


@pytest.mark.slow
def test_a_store_that_fails_half_way_leaves_the_results(tmp_path, warned, monkeypatch):
    from mlflow.tracking import MlflowClient

    log, left = MlflowClient.log_batch, [3]  # the configuration, the first steps, and then the disk is full

    def failing(*given, **named):
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return log(*given, **named)

    monkeypatch.setattr(MlflowClient, "log_batch", failing)
    found = tracked(tmp_path, *SMALL, "dataset.public=0", "stage=dpsgd")
    assert [method["name"] for method in found["methods"]] == ["dpsgd"]
    assert json.loads((tmp_path / "run" / "results.json").read_text())["methods"] == found["methods"]
    assert len([line for line in warned if "No space left on device" in line]) == 1
    (run,) = runs(tmp_path / "workspace" / "mlflow")
    assert run.info.status == "RUNNING"
    assert "dpsgd_loss" in run.data.metrics
    assert "dpsgd_accuracy" not in run.data.metrics


def test_an_experiment_whose_files_lie_elsewhere_is_left_alone(tmp_path, warned):
    tracked(tmp_path, "stage=data")
    (tmp_path / "workspace" / "mlflow").rename(tmp_path / "moved")
    tracked(tmp_path, "stage=data", f"tracking.folder={tmp_path / 'moved'}")
    (line,) = warned
    assert "keeps its files in file://" in line
    assert len(runs(tmp_path / "moved")) == 1
    assert not (tmp_path / "workspace" / "mlflow").exists()


def test_seeded_noise_is_marked_and_long_values_are_cut(tmp_path):
    many = ",".join(["0.125"] * 2000)
    tracked(tmp_path, *SMALL[:2], "n_jobs=1", "stage=labels", "noise.seed=7", f"quality.gammas=[{many}]")
    (run,) = runs(tmp_path / "workspace" / "mlflow")
    assert run.data.tags["noise"] == SEEDED
    assert run.data.tags["mlflow.note.content"].startswith(f"- {SEEDED}")
    assert f"for this data set ({SEEDED})" in run.data.tags["pate_epsilon"]
    assert "pate_epsilon_publishable" not in run.data.metrics
    assert run.data.params["noise.seed"] == "7"
    assert len(run.data.params["quality.gammas"]) == 6000


@pytest.mark.parametrize(("error", "status"), [(KeyboardInterrupt, "KILLED"), (ZeroDivisionError, "FAILED")])
def test_a_run_that_ends_early_says_so(tmp_path, settings, error, status):
    chosen = MLflow(str(tmp_path / "store"), "mine")
    with pytest.raises(error), chosen.follow(settings(), "one"):
        raise error
    (run,) = runs(tmp_path / "store", "mine")
    assert run.info.status == status


@pytest.mark.slow
def test_every_job_of_a_sweep_is_a_run(tmp_path):
    done = process(
        "from pate.app.cli import main; main()", "-m", "tracking=mlflow", "stage=data", "dataset.seed=1,2",
        "hydra.sweep.dir=all", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    jobs = runs(tmp_path / "workspace" / "mlflow")
    assert [(one.info.run_name, one.data.params["dataset.seed"]) for one in jobs] == [("all/0", "1"), ("all/1", "2")]


@pytest.mark.slow
def test_runs_that_begin_at_once_share_a_store(tmp_path):
    command = [sys.executable, "-c", "from pate.app.cli import main; main()", "tracking=mlflow", "stage=data"]
    both = [subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    said = [one.communicate(timeout=300)[1] for one in both]
    assert not any("warning" in lines for lines in said), said
    assert [one.info.status for one in runs(tmp_path / "workspace" / "mlflow")] == ["FINISHED"] * 2


def test_an_infinite_epsilon_is_said_and_no_metric():
    method = {"name": "pate", "epsilon": float("inf"), "epsilon_publishable": None, "delta": 1e-5}
    method |= {"relation": "one record replaced by nothing", "guarantee": "every data set"}
    told = prices(typed({"methods": [method]}))
    promise = "delta 1e-05, one record replaced by nothing"
    assert told["pate_epsilon"] == f"epsilon infinite for every data set (the owner's, not publishable), {promise}"


def test_a_configuration_is_flat_under_the_names_it_is_overridden_by():
    plain = {"a": {"b": 1, "c": {"d": None}}, "e": [1, "x"], "f": "text", "g": {}}
    assert flat(plain) == {"a.b": "1", "a.c.d": "null", "e": '[1, "x"]', "f": "text", "g": "{}"}
