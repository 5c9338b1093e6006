"""A model and its student of somebody else's, in a file beside the data: no file of pate/ knows them."""

import json
import os
import subprocess
import sys

import numpy as np
import onnxruntime
import pytest
from sklearn.datasets import load_digits

import pate
from pate.release.predict import predict, published
from tests.plugged import installed

TOY = '''
"""The nearest mean: a class's score is minus the squared distance to the mean of its labelled inputs."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pate.models.model import Model
from pate.students.student import Student


@dataclass(frozen=True)
class ToyMeans(Model):
    kind: ClassVar[str] = "ToyMeans"

    means: np.ndarray
    sharpness: float = 1.0

    @property
    def features(self):
        return self.means.shape[1]

    @property
    def classes(self):
        return len(self.means)

    @property
    def carried(self):
        return f"{len(self.means)} means of them"

    def _forward(self, x):
        return -self.sharpness * np.square(x[:, None] - self.means).sum(axis=2, dtype=np.float32)

    def to_onnx(self, graph, rows):
        apart = graph("Sub", graph("Unsqueeze", rows, [1]), self.means)
        squared = graph("ReduceSumSquare", apart, [2], keepdims=0)
        return graph("Softmax", graph("Mul", squared, np.float32(-self.sharpness)), axis=1)


@dataclass(frozen=True)
class NearestMean(Student):
    sharpness: float = 1.0

    def fit(self, lesson, checkpoint=None):
        x, far = lesson.features[lesson.index], np.full(lesson.features.shape[1], 1e3, np.float32)
        means = [x[lesson.label == c].mean(axis=0) if (lesson.label == c).any() else far for c in range(lesson.classes)]
        return ToyMeans(np.stack(means).astype(np.float32), self.sharpness)
'''
ENTRIES = {
    "pate.students": ["toy_means = toy_means_plugin:NearestMean"],
    "pate.models": ["ToyMeans = toy_means_plugin:ToyMeans"],
}
SMALL = ["teachers=ridge", "teachers.count=10", "labels.queries=60", "aggregator.gamma=1", "features=pca",
         "features.components=20", "stage=release", "n_jobs=1"]  # fmt: skip
IMAGES = (load_digits().images[-200:] / 16).astype(np.float32)


@pytest.fixture
def folder(tmp_path):
    """Where somebody works: their module, and a file to ask about."""
    (tmp_path / "toy_mine.py").write_text(TOY)
    np.save(tmp_path / "x.npy", IMAGES)
    return tmp_path


def started(folder, *arguments):
    """As the installed command starts: the current folder is on nobody's path."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-P", "-c", "from pate.app.cli import main; main()", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=170, env=environment)


def agrees(folder, wanted):
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    np.testing.assert_allclose(session.run(None, {"input": IMAGES})[0], wanted, atol=1e-4)
    assert len(set(wanted.argmax(axis=1))) > 5


@pytest.mark.slow
def test_a_module_in_the_current_folder_learns_is_released_and_answers(folder):
    done = started(folder, *SMALL, "student=toy_mine.NearestMean", "student.sharpness=3", "output=out")
    assert done.returncode == 0, done.stderr
    facts = json.loads((folder / "out" / "model.json").read_text())["model"]
    assert facts == {"kind": "ToyMeans", "sharpness": 3.0}
    assert "This model carries 10 means of them." in (folder / "out" / "MODEL_CARD.md").read_text()
    asked = ["stage=predict", "student_path=out", "input=x.npy"]
    done = started(folder, *asked, "student=toy_mine.NearestMean", "output=y.npz")
    assert done.returncode == 0, done.stderr
    agrees(folder / "out", np.load(folder / "y.npz")["probability"])
    refused = started(folder, *asked)
    assert refused.returncode == 2
    assert "a model of an unknown kind: install the package that brings it" in refused.stderr
    assert "student=MODULE.CLASS" in refused.stderr


def test_the_same_as_an_installed_package(tmp_path):
    with installed(tmp_path / "plugin", {"toy_means_plugin": TOY.replace("toy_mine", "toy_means_plugin")}, ENTRIES):
        pate.run([*SMALL, "student=toy_means", f"workspace={tmp_path / 'w'}", f"output={tmp_path / 'out'}"])
        student, _ = published(tmp_path / "out")
        wanted = predict(student, IMAGES)
        centred = student.encoder.transform(IMAGES)[:, None] - student.model.means
        nearest = np.square(centred.astype(float)).sum(axis=2).argmin(axis=1)
        np.testing.assert_array_equal(wanted.argmax(axis=1), nearest)
        agrees(tmp_path / "out", wanted)


def test_what_is_found_nowhere_is_said_with_where_it_could_be(folder):
    refused = started(folder, "student=toy_elsewhere.NearestMean")
    assert refused.returncode == 2
    assert f"nor toy_elsewhere.py in {folder}, nor on PYTHONPATH" in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1


def test_fields_of_another_choice_are_named_with_the_way_out(folder):
    refused = started(folder, "student=self_training", "student._target_=toy_mine.NearestMean")
    assert refused.returncode == 2
    assert "student=toy_mine.NearestMean" in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1


def test_no_file_in_the_current_folder_stands_in_for_a_library(folder):
    (folder / "colorsys.py").write_text("raise SystemExit('taken in')")
    (folder / "toy_uses.py").write_text("import colorsys\nfrom toy_mine import NearestMean")
    done = started(folder, "stage=data", "student=toy_uses.NearestMean")
    assert done.returncode == 0, done.stderr
