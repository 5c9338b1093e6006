"""Runs with a noise seed, in every shape a graph can have: nothing of what they drew lies where what may leave does."""

import json
from pathlib import Path

import numpy as np
import pytest
from pate.pipelines import graph

import pate as library
from pate.noise import SEEDED

FAST = ["teachers=ridge", "teachers.count=10", "student=supervised", "labels.queries=20", "n_jobs=1", "dpsgd.epochs=1"]
GNMAX = ["aggregator=gnmax", "aggregator.sigma=5", "aggregator.noise=continuous"]
SHAPES = {
    "lnmax": [],
    "gnmax, one epsilon": [*GNMAX, "dpsgd.epsilon=2"],
    "sanitised": [*GNMAX, "stage=sanitise"],
    "active": ["labels.selection=active", "labels.rounds=2"],
    "strict": ["budget=strict", "budget.epsilon=0.1", "dpsgd.epsilon=2"],  # evaluations are not counted
    "dpsgd alone": ["dataset.public=0", "dpsgd.epsilon=2"],
    "votes from a file": ["votes.path=votes.npz", "dpsgd.epsilon=2"],
    "labels from a seeded file": ["labels.path=seeded.npz", "dpsgd.epsilon=2"],
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.savez("votes.npz", counts=10 * np.eye(10, dtype=int)[np.arange(397) % 10])
    np.savez("seeded.npz", index=np.arange(20), label=np.arange(20) % 10, seeded=True)
    return tmp_path


def drawn_from(settings):
    """The stages that hold a draw, or anything made from one, as the graph declares them."""
    drawn: set[str] = {"labels"} if settings.labels.path else set()
    flow = graph(settings)
    for one in flow.stages:
        if one.crosses or "noise" in one.config or any(flow.maker(ref).name in drawn for ref in one.reads):
            drawn.add(one.name)
    return drawn


@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_drawn_with_a_seed_lies_on_the_releasable_side(files, settings, shape):
    overrides = [*FAST, "noise.seed=7", "stage=compare", *SHAPES[shape]]
    found = library.run([*overrides, "workspace=w", "hydra.run.dir=run"])
    drawn = drawn_from(settings(*overrides))
    assert SEEDED in found["notes"]
    releasable = {path.parts[2]: path for path in Path("w/release").glob("*/*/manifest.json")}
    assert set(releasable) <= {"data", "features", "queries", "basis"}
    assert not set(releasable) & drawn
    for path in releasable.values():
        assert SEEDED not in json.loads(path.read_text())["about"]["notes"]
    apart = {path.parts[2] for path in Path("w/evaluation").glob("*/*/manifest.json")}
    assert apart == drawn & set(found["stages"]) & {"labels", "student", "dpsgd", "sanitise"} - owners(overrides)
    again = library.run([*overrides, "workspace=w", "hydra.run.dir=again"])
    assert all(stage["reused"] for stage in again["stages"].values())


def owners(overrides):
    """DP-SGD at PATE's epsilon is on the private side."""
    return set() if "dpsgd.epsilon=2" in overrides else {"dpsgd"}


@pytest.mark.parametrize("shape", SHAPES)
def test_whatever_draws_declares_the_noise_it_depends_on(files, settings, shape):
    for one in graph(settings(*FAST, *SHAPES[shape])).stages:
        assert not one.crosses or "noise" in one.config, one.name


def test_without_a_seed_everything_lies_where_it_may_leave(files):
    library.run([*FAST, "stage=student", "workspace=w", "hydra.run.dir=run"])
    assert {path.name for path in Path("w/release").iterdir()} == {"data", "features", "queries", "labels", "student"}
    assert not list(Path("w/evaluation").iterdir())


def test_where_the_student_is_said_to_be_it_is_and_that_it_is_not_private(pate, tmp_path):
    done = pate(*FAST, "stage=student", "noise.seed=7")
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("predict")]
    (place,) = [word for word in line.split() if word.startswith("run=")]
    assert "owner=true" in line
    assert SEEDED in line
    assert f"apart    {Path('workspace') / 'evaluation'} ({SEEDED}" in done.stdout
    np.save(tmp_path / "new.npy", np.zeros((2, 8, 8), np.float32))
    told = pate("stage=predict", place, "input=new.npy", "owner=true")
    assert told.returncode == 0, told.stderr
    assert f"note: {SEEDED}" in told.stdout
    quiet = pate("--quiet", "stage=predict", place, "input=new.npy", "owner=true")
    assert "warning: the owner's model: it lies in a workspace's evaluations, of seeded noise" in quiet.stderr
    assert quiet.stdout.strip().endswith("predictions.csv")
