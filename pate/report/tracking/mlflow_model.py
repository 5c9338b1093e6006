"""A model as MLflow describes one: our own files, and an `MLmodel` that names its inputs, outputs and classes.

The file is written with MLflow's own classes, as far as the small package goes: its `ModelSignature` asks for pandas,
and is two schemas in JSON, which are its own too. The flavour is ONNX, where the model can be said in it: the whole
`mlflow` loads it with onnxruntime.
"""

from __future__ import annotations

import io
import json
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from pate.data.encoding import Columns
from pate.models.onnx import ANSWER, INPUT, OUTPUT, NotExpressible, onnx_model
from pate.models.predictor import Predictor

FLAVOUR, FILE = "onnx", "model.onnx"


def write_model(folder: Path, predictor: Predictor, claim: str, run: str, model: str, place: str) -> None:
    """Into an empty folder. `claim` is what its training data were promised, or why they were promised nothing."""
    import yaml
    from mlflow.models import Model
    from safetensors.numpy import save_file

    arrays, facts = predictor.split()
    save_file({name: np.ascontiguousarray(one) for name, one in arrays.items()}, folder / "model.safetensors")
    (folder / "model.json").write_text(json.dumps(facts))
    about: dict[str, Any] = {"classes": predictor.classes, "privacy": claim, "kind": type(predictor.model).__name__}
    if predictor.columns is not None:
        about["columns"] = list(Columns.of(predictor.columns).names)  # whose cells make the numbers of an input
    described = Model(artifact_path=place, run_id=run, model_id=model, metadata=about)
    try:
        (folder / FILE).write_bytes(onnx_model(predictor))
        described.add_flavor(FLAVOUR, onnx_version=version("onnx"), data=FILE, providers=["CPUExecutionProvider"])
        described.add_flavor(
            "python_function", loader_module="mlflow.onnx", data=FILE, python_version=platform.python_version()
        )
    except NotExpressible as reason:
        about["without_onnx"] = str(reason)
    text = io.StringIO()
    yaml.safe_dump(described.to_dict() | {"signature": signature(predictor)}, text)
    (folder / "MLmodel").write_text(text.getvalue())


def signature(predictor: Predictor) -> dict[str, str | None]:
    """What one batch of inputs is, and what comes of it: a probability for each class, in their order, and the class
    that is answered where that need not be the most probable one."""
    from mlflow.types.schema import Schema, TensorSpec

    given = TensorSpec(np.dtype(predictor.dtype), (-1, *predictor.shape), INPUT)
    told = [TensorSpec(np.dtype(np.float32), (-1, len(predictor.classes)), OUTPUT)]
    told += [TensorSpec(np.dtype(np.int64), (-1,), ANSWER)] * (predictor.decision is not None)
    return {"inputs": Schema([given]).to_json(), "outputs": Schema(told).to_json(), "params": None}
