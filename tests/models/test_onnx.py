"""The ONNX file answers as the predictor does: every kind of model on every kind of encoder."""

import importlib
import json
import pkgutil
from dataclasses import dataclass, replace

import numpy as np
import onnxruntime
import pytest

import pate.models
from pate.models.decision import Decision
from pate.models.kernel_machine import KernelMachine
from pate.models.model import Model
from pate.models.onnx import NotExpressible, onnx_model
from pate.models.predictor import Predictor
from tests.release.predictors import FEATURES, INPUTS, MODELS, asked, plain, predictor

CLOSE = 1e-4


def session(content):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def agree(one, kind):
    x = asked(kind)
    found = session(onnx_model(one)).run(None, {"input": x})[0]
    wanted = one.model.proba(one.rows(x))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, wanted, rtol=0, atol=CLOSE)
    np.testing.assert_array_equal(found.argmax(axis=1), wanted.argmax(axis=1))
    assert len(set(wanted.argmax(axis=1))) > 1  # the test tells something
    assert wanted.max() - wanted.min() > 100 * CLOSE


@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize("model", MODELS)
def test_every_model_on_every_encoder(model, features):
    kind = INPUTS[MODELS.index(model) % 2 * 2 + list(FEATURES).index(features) % 2]  # two of the four for each
    agree(predictor(model, features, kind), kind)


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize(
    ("model", "features"), [("convnet", "identity"), ("linear", "scattering"), ("tanh", "patches")]
)
def test_every_kind_of_image(model, features, kind):
    agree(predictor(model, features, kind), kind)


@pytest.mark.parametrize("model", ["relu", "kernel"])
def test_other_ways_to_the_same_models(model):
    agree(predictor(model, "pca", "bytes"), "bytes")


def test_the_network_of_dpsgd():
    agree(predictor("tanhnet", kind="large"), "large")


def test_no_kind_is_left_out():
    made = [type(predictor(name).model) for name in MODELS] + [type(predictor("tanhnet", kind="large").model)]
    offered = {kind for kind in subclasses(Model) if kind.__module__.startswith("pate.")}
    assert set(made) == offered


def subclasses(base):
    for module in pkgutil.iter_modules(pate.models.__path__):
        importlib.import_module(f"pate.models.{module.name}")
    return {kind for one in base.__subclasses__() for kind in {one, *subclasses(one)}}


@pytest.mark.parametrize("count", [1, 7])
def test_any_number_of_inputs(count):
    one = predictor("kernel", "patches_flip", "bytes")
    running = session(onnx_model(one))
    whole = running.run(None, {"input": asked("bytes")})[0]
    np.testing.assert_allclose(running.run(None, {"input": asked("bytes")[:count]})[0], whole[:count], atol=1e-5)


def test_the_file_names_its_classes_input_and_output():
    running = session(onnx_model(plain()))
    assert json.loads(running.get_modelmeta().custom_metadata_map["classes"]) == ["no", "yes"]
    assert [(end.name, end.shape, end.type) for end in (*running.get_inputs(), *running.get_outputs())] == [
        ("input", ["batch", 3], "tensor(float)"),
        ("probabilities", ["batch", 2], "tensor(float)"),
    ]


@pytest.mark.parametrize(
    "decision",
    [
        Decision([float(one) for one in np.geomspace(0.4, 0.01, 10)]),
        Decision(None, 3, 0.1),
        Decision([float(one) for one in np.geomspace(0.4, 0.01, 10)], 9, 0.3),
    ],
    ids=["shares", "threshold", "both"],
)
def test_it_answers_as_the_model_decides(decision):
    one = replace(predictor("linear"), decision=decision)
    running = session(onnx_model(one))
    assert [end.name for end in running.get_outputs()] == ["probabilities", "answer"]
    belief, answer = running.run(None, {"input": asked("floats")})
    np.testing.assert_array_equal(answer, one.answers(belief))
    assert (answer != belief.argmax(axis=1)).any()


def test_the_same_model_is_the_same_bytes():
    assert onnx_model(predictor("kernel", "patches")) == onnx_model(predictor("kernel", "patches"))


def test_a_network_of_another_kind_is_not_taken_for_one_of_ours():
    @dataclass(frozen=True)
    class Other(type(predictor("convnet").model)):
        pass

    ours = predictor("convnet")
    other = Predictor(ours.encoder, Other(ours.model.layers, ours.model.shape), ours.classes, ours.shape, ours.dtype)
    with pytest.raises(NotExpressible, match="Other"):
        onnx_model(other)


def test_large_weights_that_cancel_do_not_spoil_the_answer():
    one = predictor("kernel", "pca", "bytes")
    hard = KernelMachine.fit(one.model.centres, one.model.weights, 0.05, 1e-5).sharpened(0.1)
    x = asked("bytes")
    squared = np.square(one.rows(x)[:, None].astype(np.float64) - hard.centres).sum(axis=2)
    scores = np.exp(-hard.gamma * squared) @ hard.weights.astype(np.float64)
    wanted = np.exp(scores - scores.max(axis=1, keepdims=True))
    found = session(onnx_model(replace(one, model=hard))).run(None, {"input": x})[0]
    np.testing.assert_allclose(found, wanted / wanted.sum(axis=1, keepdims=True), atol=1e-6)
    assert np.abs(hard.weights).max() > 100
