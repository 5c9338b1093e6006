"""The stages together: which of them a configuration runs, which run again, what is refused before any does."""

import json
import shutil

import hydra
import pytest

from pate.errors import ConfigError

FAST = ["teachers=ridge", "teachers.count=20", "student=supervised", "dpsgd.epochs=1", "n_jobs=1"]


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


def test_a_stage_that_was_killed_or_changed_reruns_alone(owners_run, small_run, tmp_path):
    workspace = shutil.copytree(owners_run[1].parents[1], tmp_path / "workspace", symlinks=True)
    changed = small_run("student=supervised", folder=workspace)[0]["stages"]
    assert {name for name, stage in changed.items() if not stage["reused"]} == {
        "student",
        "consensus_student",
        "nonprivate",
        "compare",
        "report",
    }
    forced = small_run("student=supervised", "force=[student]", folder=workspace)[0]["stages"]
    assert {name for name, stage in forced.items() if not stage["reused"]} == {"student"}


def test_dpsgd_alone_without_a_public_pool(run, tmp_path):
    found = run("dataset.public=0", "dpsgd.epsilon=5")
    assert [row["name"] for row in found["methods"]] == ["dpsgd"]
    assert found["methods"][0]["epsilon_publishable"] <= 5
    assert (tmp_path / "workspace" / "release" / "dpsgd").exists()
    assert not list((tmp_path / "workspace" / "private").glob("dpsgd/*"))  # its checkpoints are gone


def test_seeded_noise_is_stamped_on_everything(run, seeded_run, tmp_path):
    found, place = seeded_run
    assert "seeded noise: not private" in found["notes"]
    assert found["methods"][0]["epsilon_publishable"] is None
    (labels,) = (place.parents[1] / "evaluation" / "labels").glob("*/labels.npz")
    back = run(f"labels.path={labels}")  # the stamp travels with the file
    assert "seeded noise: not private" in back["notes"]
    manifests = [file for folder in (place.parents[1], tmp_path) for file in folder.rglob("manifest.json")]
    made = [json.loads(file.read_text())["about"] for file in manifests]
    stamped = {about["stage"] for about in made if "seeded noise: not private" in about["notes"]}
    assert stamped == {"labels", "account", "student", "dpsgd", "dpsgd_publishable", "compare", "report",
                       "consensus", "consensus_student"}  # fmt: skip


def test_seeded_runs_repeat(seeded_run, small_run):
    again, _ = small_run("stage=compare", "noise.seed=1")
    one, two = ([row | {"seconds": None} for row in found["methods"]] for found in (seeded_run[0], again))
    assert one == two


def test_it_runs_inside_another_hydra_application(run):
    with hydra.initialize_config_module(version_base="1.3", config_module="pate.conf"):
        run("stage=data")
        hydra.compose("config")  # the outer one is still there


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
