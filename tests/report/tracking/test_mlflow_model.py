"""An MLmodel says what goes in and what comes out, and lies beside files that answer as the model does."""

import json
from dataclasses import replace

import numpy as np
import pytest
import yaml
from onnxruntime import InferenceSession
from safetensors.numpy import load_file

from pate.data.encoding import Columns
from pate.features.identity import Identity
from pate.models.classifier import Classifier
from pate.models.decision import Decision
from pate.models.onnx import NotExpressible
from pate.models.predictor import Predictor
from pate.report.tracking.mlflow_model import FILE, write_model
from tests.release.predictors import asked, predictor

CLAIM = "epsilon 1.000 for every data set (publishable), delta 1e-05, one record replaced by nothing"


def described(folder, one):
    write_model(folder, one, CLAIM, "the run", "m-1", "file:///there")
    return yaml.safe_load((folder / "MLmodel").read_text())


@pytest.mark.parametrize("kind", ["floats", "bytes", "colours"])
@pytest.mark.parametrize("model", ["linear", "neighbours"])
def test_what_its_signature_says_is_what_its_onnx_takes_and_gives(tmp_path, model, kind):
    from mlflow.types.schema import Schema

    one, x = predictor(model, kind=kind), asked(kind)
    about = described(tmp_path, one)
    (given,), (told,) = (Schema.from_json(about["signature"][side]).inputs for side in ("inputs", "outputs"))
    session = InferenceSession((tmp_path / about["flavors"]["onnx"]["data"]).read_bytes())
    (answer,) = session.run([told.name], {given.name: x})
    assert (given.type, given.shape[1:]) == (x.dtype, x.shape[1:])
    assert (told.type, told.shape[1:]) == (answer.dtype, answer.shape[1:])
    assert answer == pytest.approx(one.model.proba(one.rows(x)), abs=1e-4)
    assert about["metadata"]["classes"] == list("0123456789")
    assert about["metadata"]["privacy"] == CLAIM
    assert (about["run_id"], about["model_id"], about["artifact_path"]) == ("the run", "m-1", "file:///there")


def test_its_own_files_are_the_whole_model(tmp_path):
    one, x = predictor("linear"), asked("floats")
    described(tmp_path, one)
    arrays, facts = load_file(tmp_path / "model.safetensors"), json.loads((tmp_path / "model.json").read_text())
    back = Predictor.join(arrays, facts)
    assert np.array_equal(back.model.proba(back.rows(x)), one.model.proba(one.rows(x)))


def test_without_onnx_there_is_no_flavour_and_a_reason(tmp_path, monkeypatch):
    def refuse(given):
        raise NotExpressible("a model of kind Mine")

    monkeypatch.setattr("pate.report.tracking.mlflow_model.onnx_model", refuse)
    about = described(tmp_path, predictor("linear"))
    assert about["flavors"] == {}
    assert about["metadata"]["without_onnx"] == "a model of kind Mine"
    assert not (tmp_path / FILE).exists()
    assert about["signature"]["inputs"]


def test_a_model_that_decides_has_its_answer_beside_the_probabilities(tmp_path):
    about = described(tmp_path, replace(predictor("linear"), decision=Decision(None, 3, 0.1)))
    told = json.loads(about["signature"]["outputs"])
    assert [one["name"] for one in told] == ["probabilities", "answer"]


def test_the_columns_of_a_table_are_named(tmp_path):
    columns = {"numeric": [["age", 40.0, 10.0]], "categorical": [["work", ["none", "some"]]]}
    shape = [Columns.of(columns).width]
    encoder = Identity().fit(np.zeros((4, *shape), np.float32))
    layers = {"0.weight": np.zeros((2, *shape), np.float32), "0.bias": np.zeros(2, np.float32)}
    model = Classifier(layers, "none")
    about = described(tmp_path, Predictor(encoder, model, ["no", "yes"], shape, "float32", columns))
    assert about["metadata"]["columns"] == ["age", "work"]
    assert about["metadata"]["classes"] == ["no", "yes"]
