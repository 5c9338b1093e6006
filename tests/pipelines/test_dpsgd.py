"""The dpsgd stage: every model through the pipeline, and a real kill in the middle of its training."""

import json
import re
import signal
from functools import partial

import numpy as np
import pytest

from pate.dpsgd import descent
from pate.errors import ConfigError
from pate.noise import SEEDED
from tests.command_line import dies_after_checkpoints

ALONE = ["dataset.public=0", "dpsgd.epsilon=4", "n_jobs=1"]


@pytest.mark.parametrize(
    ("model", "least"),
    [
        (["dpsgd=linear"], 0.8),
        (["dpsgd=linear", "dpsgd.schedule=cosine", "dpsgd.average=0.9"], 0.8),
        (["dpsgd=mlp"], 0.8),
        (["dpsgd=mlp", "dpsgd.pca=20", "dpsgd.pca_noise=4"], 0.6),
        (["dpsgd=scatter_linear", "dpsgd.lot=256", "dpsgd.learning_rate=2"], 0.7),
        (["dpsgd=linear", "dpsgd.noise_multiplier=3"], 0.5),
    ],
)
def test_models_say_how_good_they_are_and_what_they_cost(run, model, least, tmp_path):
    assert run(*ALONE, *model, "noise.seed=0")["methods"][0]["accuracy"] > least  # unlucky noise is no model's fault
    (found,) = run(*ALONE, *model, "dpsgd.epochs=2")["methods"]
    assert found["epsilon"] <= found["epsilon_publishable"] <= 4
    assert found["epsilon"] < found["details"]["epsilon_rdp"]
    assert found["epsilon"] < found["details"]["epsilon_replace_one"]
    assert found["relation"] == "one record replaced by nothing"
    facts = json.loads(next((tmp_path / "workspace/release/dpsgd").glob("*/spent.json")).read_text())
    assert facts["epsilon"] == found["epsilon"]
    assert facts["delta"] == found["delta"]


def test_beside_pate_a_model_may_have_features_of_its_own(run):
    ours = ["teachers=ridge", "teachers.count=20", "aggregator.gamma=1", "student=supervised", "n_jobs=1"]
    theirs = ["dpsgd=scatter_linear", "dpsgd.lot=256", "dpsgd.epsilon=4"]
    found = run(*ours, *theirs, "noise.seed=0", "stage=compare")
    accuracy = {row["name"]: row["accuracy"] for row in found["methods"]}
    assert min(accuracy.values()) > 0.6


def test_the_network_for_images_through_the_pipeline(run, tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    x = (rng.random((300, 16, 18, 3)) * 100 + 100 * y[:, None, None, None]).astype(np.uint8)
    np.savez(tmp_path / "colours.npz", x=x, y=y)
    own = ["dataset=arrays", f"dataset.path={tmp_path / 'colours.npz'}", "dataset.private=250", "dataset.public=0"]
    brief = ["dpsgd=cnn", "dpsgd.lot=50", "dpsgd.epochs=4", "dpsgd.epsilon=8", "delta=1e-3", "noise.seed=0"]
    assert run(*own, *brief)["methods"][0]["accuracy"] > 0.9


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (["dpsgd.epsilon=1e-7", "delta=1e-12", "dpsgd.lot=1200", "dpsgd.epochs=100000"], "the least reachable is"),
        (["dpsgd.epsilon=1e9"], "ask for less than"),
        (["dpsgd.noise_multiplier=0.5", "dpsgd.epsilon=0.1"], "one step costs"),
        (["dpsgd=mlp", "dpsgd.pca=20", "dpsgd.pca_noise=0.8"], "principal components alone cost"),
        (["delta=1e-14"], "delta"),
        (["dpsgd.epochs=1e12"], "steps"),
        (["dpsgd.clip=1e38"], "clip"),
        (["dpsgd=mlp", "dpsgd.pca=20", "dpsgd.pca_noise=0.001"], "pca_noise"),
        (["dpsgd=cnn"], "at least 16 x 16 pixels, not 8 x 8"),
        (["dpsgd=cnn", "dataset.public=397", "dpsgd.epsilon=pate"], "at least 16 x 16 pixels, not 8 x 8"),
        (["dataset.public=397", "dpsgd.epsilon=pate", "delta=1e-13"], "DP-SGD is priced from 1e-12 on"),
        (["dpsgd.lot=5000"], "only"),
        (["dpsgd.schedule=stairs"], "constant, linear, cosine"),
        (["dpsgd=scatter_linear", "dpsgd.groups=26"], "groups must divide"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_written(run, change, says, tmp_path):
    with pytest.raises(ConfigError, match=says):
        run(*ALONE, *change)
    assert not (tmp_path / "workspace").exists()


@pytest.mark.parametrize("model", ["scatter_linear", "cnn"])
def test_a_model_for_images_is_refused_for_a_table(run, model, tmp_path):
    (tmp_path / "people.csv").write_text("age,ill\n" + "\n".join(f"{age},{age > 50}" for age in range(20, 90)))
    table = ["dataset=arrays", f"dataset.path={tmp_path / 'people.csv'}", "dataset.label=ill", "dataset.private=40"]
    with pytest.raises(ConfigError, match=r"dpsgd=.*needs images"):
        run(*table, "dataset.public=0", f"dpsgd={model}", "dpsgd.epsilon=2", "dpsgd.lot=10", "teachers.count=5")


def test_what_means_the_same_is_not_drawn_twice(run):
    run(*ALONE, "stage=dpsgd", "dpsgd.epochs=2")
    for same in (["dpsgd.epsilon=4.0"], ["dpsgd.micro_batch=100"], ["dpsgd.learning_rate=4"], ["delta=0.0001"]):
        assert run(*ALONE, "stage=dpsgd", "dpsgd.epochs=2", *same)["stages"]["dpsgd"]["reused"], same
    assert not run(*ALONE, "stage=dpsgd", "dpsgd.epochs=2", "dpsgd.clip=0.1")["stages"]["dpsgd"]["reused"]


def test_what_may_be_published_is_said_where_epsilons_are(run, tmp_path):
    brief = ["stage=dpsgd", "dpsgd.epochs=2"]

    def told(side, *overrides):
        run(*brief, *overrides)
        (made,) = (tmp_path / "workspace" / side / "dpsgd").glob("*/manifest.json")
        return json.loads(made.read_text())["about"]["summary"]

    owners = told("private", "teachers=ridge", "teachers.count=20", "n_jobs=1")
    released, seeded = told("release", *ALONE), told("evaluation", *ALONE, "noise.seed=1")
    assert re.search(r": epsilon 4\.000 ", released)
    for summary, use in ((owners, "the owner's, not publishable"), (released, "publishable"), (seeded, SEEDED)):
        each = re.findall(
            r"epsilon [\d.]+ for every data set \((.*?)\), delta 0.0001, one record (\w+ by \w+)", summary
        )
        assert each == [(use, "replaced by nothing"), (use, "replaced by another")]


def test_a_second_draw_is_told_of_though_it_was_interrupted(run, monkeypatch):
    run(*ALONE, "stage=dpsgd", "dpsgd.epochs=2")
    real = descent.add_noise
    monkeypatch.setattr(descent, "add_noise", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(*ALONE, "stage=dpsgd", "dpsgd.epochs=2", "force=[dpsgd]")
    monkeypatch.setattr(descent, "add_noise", real)
    found = run(*ALONE, "stage=dpsgd", "dpsgd.epochs=2")
    assert not found["stages"]["dpsgd"]["reused"]
    assert any("prices of all draws add up" in note for note in found["notes"])


def interrupted(*_):
    raise KeyboardInterrupt


@pytest.mark.slow
def test_killed_in_the_middle_it_goes_on_with_the_same_spend(pate, tmp_path):
    """To the same weights too, where the noise is seeded."""
    brief = ["dpsgd=mlp", "dpsgd.hidden=[32]", "dpsgd.epochs=3", "dpsgd.momentum=0.5", "dpsgd.lot=128"]
    command = [*ALONE, *brief, "noise.seed=0", "stage=dpsgd"]
    killed = pate(*command, "workspace=broken", prepare=partial(dies_after_checkpoints, 7))
    assert killed.returncode == -signal.SIGKILL
    kept = tmp_path / "broken" / "private" / "dpsgd"
    assert list(kept.glob("*.pieces/*.npy"))
    again = pate(*command, "workspace=broken")
    assert again.returncode == 0, again.stderr
    assert re.search(r"resuming: 7 of \d\d steps were taken before", again.stderr)
    whole = pate(*command, "workspace=unbroken")
    assert whole.returncode == 0, whole.stderr
    for name in ("dpsgd.safetensors", "spent.json"):
        one, two = (
            next((tmp_path / place / "evaluation" / "dpsgd").glob(f"*/{name}")).read_bytes()
            for place in ("unbroken", "broken")
        )
        assert one == two
    assert not list(kept.glob("*.pieces"))


def test_dpsgd_at_pates_epsilon_stays_with_the_owner(run, tmp_path):
    run("stage=dpsgd", "teachers=ridge", "teachers.count=20", "dpsgd.epochs=1", "n_jobs=1")
    assert (tmp_path / "workspace" / "private" / "dpsgd").exists()
    assert not (tmp_path / "workspace" / "release" / "dpsgd").exists()
