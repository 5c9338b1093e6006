"""predict: a published student answers into a file; what cannot be asked is refused before, in one line."""

import csv

import numpy as np
import pytest

import pate
from pate.errors import ConfigError
from pate.release.contents import contents
from pate.release.predict import predict
from pate.release.publish import publish
from tests.release.made_up import LABELS, STATEMENT
from tests.release.predictors import plain

X = np.array([[0.5, 0.1, 0.9], [0.0, 1.0, 0.2], [0.9, 0.9, 0.1]], np.float32)


@pytest.fixture
def asked(tmp_path):
    publish(tmp_path / "student", contents(plain(), LABELS, STATEMENT, ["a note of the run"]))
    np.save(tmp_path / "x.npy", X)

    def ask(**changes):
        words = {"student_path": tmp_path / "student", "input": tmp_path / "x.npy", "hydra.run.dir": tmp_path / "run"}
        return pate.run(["stage=predict", *(f"{key}={value}" for key, value in (words | changes).items())])

    return ask


def test_a_release_may_be_asked_by_anybody(asked, tmp_path):
    found = asked()
    assert (found["inputs"], found["notes"], found["owners"]) == (3, ["a note of the run"], "")
    assert found["output"] == str(tmp_path / "run" / "predictions.csv")
    classes = [plain().classes[best] for best in predict(plain(), X).argmax(axis=1)]
    with open(found["output"], newline="") as file:
        assert [row["class"] for row in csv.DictReader(file)] == classes
    assert found["classes"] == {name: classes.count(name) for name in plain().classes}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"input": "nowhere.npy"}, "input=nowhere.npy: no such file"),
        ({"student_path": "nowhere"}, "student_path=nowhere: no such file"),
        ({"output": "answers.txt"}, "output=answers.txt: expected a name that ends in .csv or .npz"),
    ],
)
def test_what_cannot_be_asked_is_refused_before(asked, tmp_path, changes, message):
    with pytest.raises(ConfigError, match=message):
        asked(**changes)
    assert not (tmp_path / "run").exists()
