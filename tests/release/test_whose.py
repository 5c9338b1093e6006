"""A model of the owner's is known by where it lies and by its manifest, and answers nobody by accident."""

import json
import shutil
import stat
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits

import pate
from pate.errors import ConfigError
from pate.release.whose import NO_MANIFEST, owners

FAST = ["teachers=ridge", "teachers.count=20", "student=supervised", "dpsgd.epochs=1", "n_jobs=1", "labels.queries=20"]
OWNERS = ("dpsgd", "dpsgd_publishable", "nonprivate")


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """The folder of every model of a run, the owner's and those that may leave."""
    folder = tmp_path_factory.mktemp("models")
    np.save(folder / "images.npy", load_digits().images[-5:].astype(np.float32) / 16)
    for overrides in (["stage=compare"], ["stage=dpsgd", "dpsgd.epsilon=3"]):
        pate.run([*FAST, f"workspace={folder / 'workspace'}", f"hydra.run.dir={folder / 'run'}", *overrides])
    found = {name: next((folder / "workspace" / "private" / name).iterdir()) for name in OWNERS}
    released = {f"released {name}": folder / "workspace" / "release" / name for name in ("student", "dpsgd")}
    return found | {name: next(place.iterdir()) for name, place in released.items()}


@pytest.fixture
def ask(models, tmp_path):
    def asked(model, *overrides):
        given = f"input={models['dpsgd'].parents[3] / 'images.npy'}"
        run = f"hydra.run.dir={tmp_path / 'answers'}"
        return pate.run(["stage=predict", f"student_path={model}", given, run, *overrides])

    return asked


def older(folder):
    """The manifest as it was before it named a side."""
    told = json.loads((folder / "manifest.json").read_text())
    del told["side"]
    (folder / "manifest.json").write_text(json.dumps(told))
    return folder


@pytest.mark.parametrize("name", OWNERS)
def test_a_model_of_the_private_side_answers_its_owner_only(models, ask, tmp_path, name):
    copy = shutil.copytree(models[name], tmp_path / "copy")
    link = tmp_path / "link"
    link.symlink_to(models[name])
    places = {
        models[name]: "it lies in the private side",
        link: "it lies in the private side",
        copy: "its manifest says it comes from the private side",
        older(shutil.copytree(copy, tmp_path / "older")): "its manifest says it comes from the private side",
    }
    for place, why in places.items():
        with pytest.raises(ConfigError, match=f"is the owner's: {why}.*owner=true"):
            ask(place)
        assert not (tmp_path / "answers").exists()
    found = ask(copy, "owner=true")
    assert found["owners"].startswith("its manifest says")
    file = Path(found["output"])
    assert file == tmp_path / "answers" / "owners_predictions.csv"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["released student", "released dpsgd"])
def test_a_model_that_may_leave_answers_anybody(models, ask, tmp_path, name):
    assert ask(models[name])["owners"] == ""
    copy = shutil.copytree(models[name], tmp_path / "private" / "copy")  # a folder of that name is no workspace's
    assert ask(copy)["owners"] == ask(older(copy))["owners"] == ""


def test_a_model_of_seeded_noise_is_known_by_the_evaluations_it_lies_among(models, tmp_path):
    workspace = tmp_path / "w"
    (workspace / "private").mkdir(parents=True)
    (workspace / "private" / "secret").touch()
    place = shutil.copytree(models["released student"], workspace / "evaluation" / "student" / "key")
    assert "evaluations" in owners(place / "student.safetensors")


def test_of_a_copy_without_a_manifest_it_is_said_that_nothing_can_be_told(models, ask, tmp_path):
    copy = shutil.copytree(models["nonprivate"], tmp_path / "copy")
    (copy / "manifest.json").unlink()
    assert ask(copy)["notes"] == [NO_MANIFEST]


def test_it_says_whose_it_is(models, pate, tmp_path):
    shutil.copy(models["dpsgd"].parents[3] / "images.npy", tmp_path)
    command = ["stage=predict", f"student_path={models['nonprivate']}", "input=images.npy"]
    refused = pate(*command)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert len(refused.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "workspace").exists()
    told = pate(*command, "owner=true")
    assert "note: the owner's model: it lies in the private side of a workspace" in told.stdout
    assert "owners_predictions.csv (yours alone)" in told.stdout
    quiet = pate(*command, "owner=true", "--quiet")
    assert quiet.stderr == "warning: the owner's model: it lies in the private side of a workspace\n"
    other = pate("stage=data", "owner=true")
    assert other.stderr == "pate: owner is for stage=predict, and this is stage=data\n"
