"""The stages together, from Python."""

import json
import stat
from pathlib import Path

import hydra
import numpy as np
import pytest

import pate
from pate.errors import ConfigError, PateError

FAST = ["teachers=ridge", "teachers.count=20", "student=supervised", "dpsgd.epochs=1", "n_jobs=1"]


@pytest.fixture
def run(tmp_path):
    def execute(*overrides):
        return pate.run([*FAST, f"workspace={tmp_path / 'workspace'}", f"hydra.run.dir={tmp_path / 'run'}", *overrides])

    return execute


def method(found, name):
    return next(row for row in found["methods"] if row["name"] == name)


def test_everything_and_what_it_says(run, tmp_path):
    found = run()
    ours, baseline, bound = (method(found, name) for name in ("pate", "dpsgd", "nonprivate"))
    assert ours["accuracy"] > 0.5
    assert baseline["accuracy"] > 0.3
    assert bound["accuracy"] > 0.9
    assert baseline["epsilon"] <= ours["epsilon"]
    assert baseline["delta"] == ours["delta"] == 1e-4
    assert ours["relation"] == baseline["relation"] == "one record replaced by nothing"
    assert baseline["epsilon_publishable"] is None  # calibrated to PATE's epsilon: the owner's
    assert bound["epsilon"] is None
    assert 0 < found["pate"]["teacher_accuracy"] < found["pate"]["plurality_accuracy"] <= 1
    assert json.loads((tmp_path / "run" / "results.json").read_text()) == found
    assert stat.S_IMODE((tmp_path / "run").stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("stage", "made"),
    [
        ("data", {"data"}),
        ("teachers", {"data", "features", "encode", "teachers"}),
        ("labels", {"data", "features", "encode", "teachers", "votes", "queries", "labels", "account"}),
        ("nonprivate", {"data", "features", "encode", "nonprivate"}),
        ("student", {"data", "features", "encode", "teachers", "votes", "queries", "labels", "account", "student"}),
    ],
)
def test_a_stage_alone_runs_what_it_needs_and_nothing_else(run, stage, made):
    assert set(run(f"stage={stage}")["stages"]) == {"check"} | made


def test_a_stage_that_was_killed_or_changed_reruns_alone(run):
    run()
    changed = run("student=self_training")["stages"]
    assert {name for name, stage in changed.items() if not stage["reused"]} == {
        "student",
        "nonprivate",
        "compare",
        "report",
    }
    forced = run("force=[student]")["stages"]
    assert {name for name, stage in forced.items() if not stage["reused"]} == {"student"}


def test_another_delta_prices_the_same_labels_again(run, tmp_path):
    first = run("stage=labels")
    second = run("stage=labels", "delta=1e-6")
    assert second["stages"]["labels"]["reused"]
    assert not second["stages"]["account"]["reused"]
    assert method(second, "pate")["epsilon"] > method(first, "pate")["epsilon"]


def test_fresh_labels_on_request_reach_the_student(run):
    first = run("stage=student", "aggregator.gamma=0.01")
    second = run("stage=student", "aggregator.gamma=0.01", "force=[labels]")
    assert not second["stages"]["labels"]["reused"]
    assert not second["stages"]["student"]["reused"]
    assert first["stages"]["student"]["key"] != second["stages"]["student"]["key"]


def test_votes_from_a_file_need_no_teachers(run, tmp_path):
    run("stage=votes")
    (file,) = (tmp_path / "workspace" / "private" / "votes").glob("*/votes.npz")
    with np.load(file) as archive:
        np.savez(tmp_path / "counts.npz", counts=archive["counts"])
        np.savez(tmp_path / "predictions.npz", predictions=archive["predictions"])
    for name in ("counts", "predictions"):
        found = run(f"votes.path={tmp_path / name}.npz")
        assert "teachers" not in found["stages"]
        assert method(found, "pate")["accuracy"] > 0.5
    assert found["pate"]["teacher_accuracy"] > 0.3


def test_labels_from_a_file_need_no_private_data(run, tmp_path):
    from sklearn.datasets import load_digits

    x, y = load_digits(return_X_y=True)
    (tmp_path / "open").mkdir()
    np.savez(tmp_path / "open" / "public.npz", x=x[:500] / 16)
    np.savez(tmp_path / "open" / "test.npz", x=x[500:900] / 16, y=y[500:900])
    np.savez(tmp_path / "labels.npz", index=np.arange(200), label=y[:200])
    classes = "dataset.classes=[" + ",".join(map(str, range(10))) + "]"
    found = run(
        "dataset=arrays", f"dataset.path={tmp_path / 'open'}", classes, f"labels.path={tmp_path / 'labels.npz'}"
    )
    assert [row["name"] for row in found["methods"]] == ["pate"]
    ours = method(found, "pate")
    assert ours["accuracy"] > 0.7
    assert ours["epsilon"] is ours["epsilon_publishable"] is None
    assert any("what they cost is not known here" in note for note in found["notes"])


def test_dpsgd_alone_without_a_public_pool(run, tmp_path):
    found = run("dataset.public=0", "dpsgd.epsilon=5")
    assert [row["name"] for row in found["methods"]] == ["dpsgd"]
    assert found["methods"][0]["epsilon_publishable"] <= 5
    assert (tmp_path / "workspace" / "release" / "dpsgd").exists()
    assert not list((tmp_path / "workspace" / "private").glob("dpsgd/*"))  # its checkpoints are gone


def test_labels_are_priced_whatever_dpsgd_is_asked_for(run):
    assert method(run("dpsgd.epsilon=5"), "pate")["epsilon"] > 0


def test_dpsgd_at_pates_epsilon_stays_with_the_owner(run, tmp_path):
    run("stage=dpsgd")
    assert (tmp_path / "workspace" / "private" / "dpsgd").exists()
    assert not (tmp_path / "workspace" / "release" / "dpsgd").exists()


def test_seeded_noise_is_stamped_on_everything(run, tmp_path):
    found = run("noise.seed=3")
    assert "seeded noise: not private" in found["notes"]
    assert method(found, "pate")["epsilon_publishable"] is None
    (labels,) = (tmp_path / "workspace" / "evaluation" / "labels").glob("*/labels.npz")
    back = run(f"labels.path={labels}")  # the stamp travels with the file
    assert "seeded noise: not private" in back["notes"]
    made = [json.loads(file.read_text())["about"] for file in (tmp_path / "workspace").rglob("manifest.json")]
    stamped = {about["stage"] for about in made if "seeded noise: not private" in about["notes"]}
    assert stamped == {"labels", "account", "student", "dpsgd", "dpsgd_publishable", "compare", "report"}


def test_labels_from_a_file_beside_private_data(run, tmp_path):
    np.savez(tmp_path / "labels.npz", index=np.arange(20), label=np.arange(20) % 10)
    found = run(f"labels.path={tmp_path / 'labels.npz'}")
    assert [row["name"] for row in found["methods"]] == ["pate", "nonprivate"]
    assert any("DP-SGD is left out" in note for note in found["notes"])
    assert "student" in run(f"labels.path={tmp_path / 'labels.npz'}", "stage=student")["stages"]
    np.savez(tmp_path / "labels.npz", index=np.arange(20), label=np.full(20, 10))
    with pytest.raises(ConfigError, match=r"labels must lie in 0\.\.9"):
        run(f"labels.path={tmp_path / 'labels.npz'}")


def test_it_runs_inside_another_hydra_application(run):
    with hydra.initialize_config_module(version_base="1.3", config_module="pate.conf"):
        run("stage=data")
        hydra.compose("config")  # the outer one is still there


def test_private_copies_for_workers_stay_in_the_private_store(tmp_path):
    pate.run(["stage=teachers", "teachers=ridge", "n_jobs=2", f"workspace={tmp_path}", f"hydra.run.dir={tmp_path}/run"])
    assert not list(tmp_path.rglob("scratch"))
    assert not list(tmp_path.rglob("*.pkl"))


def test_group_by_is_refused_where_it_cannot_be_checked(run, tmp_path):
    np.savez(tmp_path / "v.npz", counts=np.tile([[20] + [0] * 9], (397, 1)))
    with pytest.raises(ConfigError, match="cannot be checked for votes from a file"):
        run(f"votes.path={tmp_path / 'v.npz'}", "partition.group_by=patient")


def test_seeded_runs_repeat(tmp_path):
    found = [
        pate.run([*FAST, "noise.seed=1", f"workspace={tmp_path / name}", f"hydra.run.dir={tmp_path / name / 'run'}"])
        for name in ("a", "b")
    ]
    drop = ("seconds",)
    assert [{k: v for k, v in row.items() if k not in drop} for row in found[0]["methods"]] == [
        {k: v for k, v in row.items() if k not in drop} for row in found[1]["methods"]
    ]


def test_groups_go_to_one_teacher_and_are_named_in_the_relation(run, tmp_path):
    from sklearn.datasets import load_digits

    x, y = load_digits(return_X_y=True)
    (tmp_path / "own").mkdir()
    person = np.arange(1000) // 5
    np.savez(tmp_path / "own" / "private.npz", x=x[:1000] / 16, y=y[:1000], patient_id=person)
    np.savez(tmp_path / "own" / "public.npz", x=x[1000:1400] / 16)
    np.savez(tmp_path / "own" / "test.npz", x=x[1400:] / 16, y=y[1400:])
    found = run("dataset=arrays", f"dataset.path={tmp_path / 'own'}", "partition.group_by=patient_id")
    assert method(found, "pate")["relation"] == "all records of one patient_id replaced by nothing"
    assert any("DP-SGD protects one record, not all records of one patient_id" in note for note in found["notes"])
    assert any("dataset.classes" in note for note in found["notes"])


def test_a_delta_as_large_as_one_record_is_a_warning(run):
    assert any("delta=0.01 is not below 1/1200" in note for note in run("stage=data", "delta=0.01")["notes"])


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (["stage=everything"], "stage=everything: expected one of all, fetch"),
        (["force=[students]"], "force=students: expected one of"),
        (["device=tpu"], "device=tpu: expected one of auto, cpu, cuda"),
        (["n_jobs=0"], "n_jobs must not be 0"),
        (["seed=-1"], "seed must lie between 0 and 2^32 - 1"),
        (["delta=0"], "delta must lie strictly between 0 and 1"),
        (["labels.queries=0"], "labels.queries must be at least 1"),
        (["labels.selection=best"], "labels.selection=best: expected one of random, first"),
        (["votes.path=absent.npz"], "votes.path=absent.npz: no such file"),
        (["dpsgd.epsilon=-1"], "dpsgd.epsilon must be a positive number or `pate`"),
        (["dpsgd.epsilon=alot"], "dpsgd.epsilon must be a positive number or `pate`"),
        (["dataset.public=0", "stage=dpsgd"], "dpsgd.epsilon=pate needs the epsilon PATE spent"),
        (["dataset.public=0", "stage=labels"], "stage=labels needs public inputs"),
        (["dataset.private=5000"], "5000"),
        (["dataset.path=mine.npz"], "for files of your own take dataset=arrays"),
        (["dpsgd.lot=5000"], "there are only 1200 private records"),
        (["aggregator.gamma=1e-30"], "gamma must lie between"),
        (["dataset=mnist", "dataset.path=nowhere"], "nowhere"),
        (["teachers._target_=os.system"], "must be a dataclass derived from pate.teachers.ensemble.Teachers"),
        (["teachers._target_=no.such.Thing"], "cannot be imported"),
        (["student.inverse_penalty=0"], "student.inverse_penalty must be a positive number"),
        (["aggregator.noise=loud"], "aggregator.noise must be discrete or continuous"),
    ],
)
def test_bad_settings_are_refused_in_one_line(run, tmp_path, overrides, words):
    with pytest.raises(ConfigError) as caught:
        run(*overrides)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "workspace").exists()


VOTES = Path(__file__).parents[1] / "accounting" / "votes_mnistlike_250.npz"


def test_accounting_alone_draws_nothing(run, tmp_path):
    ask = ["stage=account", f"votes.path={VOTES}", "labels.selection=first", "aggregator.gamma=0.05", "delta=1e-5"]
    found = run(*ask, "account.target_epsilon=1.0", "labels.queries=100", "aggregator.noise=continuous")
    assert set(found["stages"]) == {"votes", "queries", "account"}
    assert not (tmp_path / "workspace" / "release" / "labels").exists()
    keys = "basic advanced moments_independent optimal_independent argmax_independent pate2017 pate2017_optimal"
    assert set(found["pate"]["epsilon"]) == {*keys.split(), "exact_rdp", "exact_pld"}
    ours = method(found, "pate")
    assert ours["epsilon"] == pytest.approx(0.549, abs=0.002)
    assert ours["guarantee"] == "this data set"
    assert ours["epsilon_publishable"] == found["pate"]["epsilon"]["argmax_independent"]
    assert found["pate"]["plan"]["queries"] > 10
    assert "parameters chosen on private votes: not covered" not in found["notes"]
    marked = run(*ask, "account.target_epsilon=0.3", "account.on_votes=true", "labels.queries=20")
    assert marked["pate"]["plan"]["queries"] > found["pate"]["plan"]["queries"]
    assert "parameters chosen on private votes: not covered" in marked["notes"]


def test_gaussian_aggregators_run_through(run):
    found = run("aggregator=gnmax", "aggregator.sigma=5", "stage=student")
    assert {"gnmax2018", "argmax_independent", "teacher_resolved"} <= set(found["pate"]["epsilon"])
    confident = run("aggregator=confident_gnmax", "aggregator.sigma=3", "aggregator.threshold=12",
                    "aggregator.threshold_sigma=4", "stage=student")  # fmt: skip
    assert confident["pate"]["queries"] == 100
    assert 0 < confident["pate"]["answered"] < 100
    with pytest.raises(PateError, match="no query reached"):
        run("aggregator=confident_gnmax", "aggregator.threshold=10000", "stage=student")
