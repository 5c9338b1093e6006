"""A pool that does not stand for the private records: the owner is told before a draw, and nobody else ever."""

import json

import numpy as np
import pytest
from pate.pipelines import graph
from pate.pipelines.artifacts import SHIFT
from sklearn.datasets import load_digits

ALONE = ["methods=[consensus]", "n_jobs=1"]
WARNING = "the public pool does not stand for the private records"


@pytest.fixture
def data(tmp_path):
    """Digits, with public inputs as they are or otherwise."""
    x, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(x))
    x, y = (x[order] / 16).astype(np.float32), y[order]

    def split(changed):
        place = tmp_path / "mine"
        place.mkdir(exist_ok=True)
        np.savez(place / "private.npz", x=x[:1200], y=y[:1200])
        np.savez(place / "public.npz", x=changed(x[1200:1600]), y=y[1200:1600])
        np.savez(place / "test.npz", x=x[1600:], y=y[1600:])
        return ["dataset=arrays", f"dataset.path={place}", f"dataset.classes={list(range(10))}", "delta=1e-4"]

    return split


@pytest.mark.parametrize("asked", ["stage=quality", "stage=consensus", "stage=all"])
def test_shifted_inputs_are_said_to_the_owner(run, data, asked):
    found = run(asked, *ALONE, *data(lambda x: 1 - x))
    assert any(note.startswith(WARNING) for note in found["notes"])
    assert not any("stand for" in note for note in found["public_notes"])
    again = run(asked, *ALONE, *data(lambda x: 1 - x))
    assert again["stages"]["shift"]["reused"]
    assert any(note.startswith(WARNING) for note in again["notes"])


def test_an_honest_split_is_silent(run, data):
    found = run(*ALONE, *data(lambda x: x))
    assert not any("stand for" in note for note in found["notes"])
    assert "stands for" in found["stages"]["shift"]["summary"]


def test_it_is_known_before_the_draw(settings):
    names = [one.name for one in graph(settings(*ALONE)).stages]
    assert names.index("shift") < names.index("consensus")


def test_nothing_of_it_leaves(run, data, tmp_path):
    assert SHIFT.side == "private"
    inputs = data(lambda x: 1 - x)
    run("stage=report", *ALONE, *inputs, "report.audience=public")
    run("stage=release", *ALONE, *inputs, f"output={tmp_path / 'out'}")
    (page,) = (tmp_path / "workspace/published").glob("*.html")
    leaving = [page, *(tmp_path / "out").glob("*"), *(tmp_path / "workspace/release").rglob("*.json")]
    assert len(leaving) > 5
    for file in leaving:
        assert b"does not stand" not in file.read_bytes(), file
    assert "does not stand" in (tmp_path / "run/results.json").read_text()
    assert json.loads((tmp_path / "run/results.json").read_text())["notes"]
