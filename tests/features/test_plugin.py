"""An encoder of somebody else's: no file of pate/ knows it, and it reaches the release, its ONNX file, predictions."""

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from sklearn.datasets import load_digits

import pate
from pate.errors import ConfigError
from pate.release.predict import predict, published
from tests.command_line import MAIN
from tests.plugged import installed

TOY = '''
"""Means over blocks of pixels, less those of the public inputs."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pate.features.encoder import Encoder, Features, scaled


@dataclass(frozen=True)
class BlockEncoder(Encoder):
    kind: ClassVar[str] = "toy_blocks"

    mean: np.ndarray
    side: int

    def encode(self, x):
        n, height, width = x.shape
        blocks = scaled(x).reshape(n, height // self.side, self.side, width // self.side, self.side)
        return blocks.mean(axis=(2, 4), dtype=np.float32).reshape(n, self.width((height, width))) - self.mean

    def width(self, shape):
        if len(shape) != 2 or shape[0] % self.side or shape[1] % self.side:
            raise ValueError(f"images of {tuple(shape)} have no blocks of {self.side}")
        return shape[0] * shape[1] // self.side**2

    def to_onnx(self, graph, x, shape):
        planes = graph("Reshape", x, [-1, 1, *shape])
        means = graph("AveragePool", planes, kernel_shape=[self.side] * 2, strides=[self.side] * 2)
        return graph("Sub", graph("Flatten", means), self.mean)


@dataclass(frozen=True)
class Blocks(Features):
    side: int = 4

    def fit(self, public):
        blank = BlockEncoder(np.zeros((), np.float32), self.side)
        return BlockEncoder(blank.encode(public).mean(axis=0), self.side)
'''
ENTRIES = {"pate.encoders": ["toy_blocks = toy_blocks_plugin:Blocks"]}
SMALL = ["teachers=ridge", "teachers.count=10", "labels.queries=60", "aggregator.gamma=1", "student=supervised",
         "n_jobs=1"]  # fmt: skip


@pytest.fixture(scope="module")
def plugged(tmp_path_factory):
    with installed(tmp_path_factory.mktemp("plugin"), {"toy_blocks_plugin": TOY}, ENTRIES) as folder:
        yield folder


@pytest.fixture(scope="module")
def released(plugged, tmp_path_factory):
    """The folder of a release, made with `features=toy_blocks features.side=2`."""
    output = tmp_path_factory.mktemp("released") / "out"
    place = [f"workspace={output.parent / 'workspace'}", f"output={output}"]
    pate.run([*SMALL, "stage=release", "features=toy_blocks", "features.side=2", *place])
    return output


@pytest.fixture(scope="module")
def swept(plugged, tmp_path_factory):
    """A sweep over its side, in processes of its own; its folder, and what it printed."""
    place = tmp_path_factory.mktemp("swept")
    environment = os.environ | {"PYTHONPATH": str(plugged)}
    wanted = ["-m", *SMALL, "stage=report", "methods=[pate]", "features=toy_blocks", "features.side=2,4"]
    command = [*MAIN, *wanted, "hydra.sweep.dir=swept"]
    done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return place, done


def test_it_is_in_csv_table_and_pages(swept):
    place, done = swept
    with open(place / "swept" / "sweep.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["features.side"] for row in rows] == ["2", "4"]
    assert all(float(row["pate_accuracy"]) > 0.1 for row in rows)
    assert "features.side" in done.stdout
    assert "blocks, 16 features" in done.stderr
    page = (place / "swept" / "0" / "report.html").read_text()
    assert "blocks, 16 features" in page
    assert re.search(r"_target_: toy_blocks\n +side: 2\n", page)
    assert "features.side" in (place / "swept" / "report.html").read_text()


def test_votes_in_other_features_are_other_releases(swept, plugged):
    """All the ledger has to tell of an encoder: what was asked of votes in its features adds up by itself."""
    place, _ = swept
    told = pate.run(["stage=ledger", f"workspace={place / 'workspace'}"])
    assert [one["kind"] for one in told["entries"]] == ["labels", "labels"]
    assert len({one["artifact"] for one in told["entries"]}) == 2
    assert told["accounts"][0]["releases"] == 2


def test_its_onnx_file_answers_the_same(released):
    images = (load_digits().images[-200:] / 16).astype(np.float32)
    student, _ = published(released)
    wanted = predict(student, images)
    session = onnxruntime.InferenceSession(str(released / "model.onnx"), providers=["CPUExecutionProvider"])
    found = session.run(None, {"input": images})[0]
    np.testing.assert_allclose(found, wanted, atol=1e-4)
    blocks = images.reshape(200, 4, 2, 4, 2).mean(axis=(2, 4)).reshape(200, 16)
    rows = blocks - student.encoder.mean
    layers = student.model.layers
    scores = rows @ layers["0.weight"].T + layers["0.bias"]
    np.testing.assert_array_equal(wanted.argmax(axis=1), scores.argmax(axis=1))
    assert len(set(wanted.argmax(axis=1))) > 5


def test_its_file_names_its_kind_and_nothing_of_the_first_encoders(released):
    facts = json.loads((released / "model.json").read_text())["encoder"]
    assert facts == {"kind": "toy_blocks", "side": 2, "low": 0.0, "high": 1.0}


@pytest.mark.parametrize("there", [True, False])
def test_another_process_reads_it_where_its_package_is_installed(there, released, plugged, tmp_path):
    np.save(tmp_path / "x.npy", (load_digits().images[:5] / 16).astype(np.float32))
    asked = [f"student_path={released}", f"input={tmp_path / 'x.npy'}", f"workspace={tmp_path / 'w'}"]
    path = f"import sys; sys.path += [{str(plugged)!r}] * {there}; "
    command = [sys.executable, "-c", f"{path}from pate.app.cli import main; main()", "stage=predict", *asked]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert done.returncode == (0 if there else 2), done.stderr
    if not there:
        assert "an encoder of an unknown kind: install the package that brings it" in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1


def test_the_answers_need_no_pate(released, tmp_path):
    images = (load_digits().images[:20] / 16).astype(np.float32)
    np.save(tmp_path / "x.npy", images)
    command = [sys.executable, str(released / "predict.py"), str(tmp_path / "x.npy"), str(tmp_path / "y.npz")]
    subprocess.run(command, check=True, timeout=120, cwd=tmp_path)
    found = np.load(tmp_path / "y.npz")["probability"]
    np.testing.assert_allclose(found, predict(published(released)[0], images), atol=1e-4)


def test_a_plug_in_that_is_not_there_or_is_broken_is_refused_in_one_line(tmp_path):
    with pytest.raises(ConfigError, match="features=toy_blok: no such choice"):
        pate.run(["features=toy_blok", f"workspace={tmp_path / 'w'}"])
    with pytest.raises(ConfigError, match=r"features\._target_=toy_blok: no installed package brings it"):
        pate.run(["features._target_=toy_blok", f"workspace={tmp_path / 'w'}"])
    broken = {"pate.encoders": ["toy_broken = toy_broken_plugin:Broken"]}
    with (
        installed(tmp_path / "broken", {"toy_broken_plugin": "raise RuntimeError('half done')"}, broken),
        pytest.raises(ConfigError, match=r"toy_broken .* cannot be loaded: half done"),
    ):
        pate.run(["features=toy_broken", f"workspace={tmp_path / 'w'}"])
    assert not (Path(tmp_path) / "w").exists()
