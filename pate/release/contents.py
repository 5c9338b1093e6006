"""What a release holds: every file as bytes, the same for the same model, labels, statement and notes."""

from __future__ import annotations

import hashlib
import io
import json
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from pate.aggregation.labels import Labels
from pate.errors import PateError
from pate.models.onnx import OPSET, NotExpressible, onnx_model
from pate.models.predictor import Predictor
from pate.noise import SEEDED
from pate.release.card import FILES, card
from pate.release.statement import Statement
from pate.release.withheld import withheld
from pate.workspace.versions import RELEASE

MANIFEST = "manifest.json"
STAGE = "release"  # what the manifest of a release says it is


def contents(
    predictor: Predictor, labels: Labels | None, statement: Statement, notes: Sequence[str] = ()
) -> dict[str, bytes]:
    """The files by name. Refused where the promise is void: of seeded noise, or of classes read off private labels."""
    seeded = (SEEDED,) * (labels is not None and bool(np.any(labels.seeded)))
    if why := withheld((*notes, *seeded)):
        raise PateError(
            f"{why}, so it may not leave: draw it afresh without noise.seed and with dataset.classes declared, which "
            "spends privacy"
        )
    from safetensors.numpy import save

    arrays, facts = predictor.split()
    files = {
        "model.safetensors": save({name: np.ascontiguousarray(array) for name, array in arrays.items()}),
        "model.json": _json(facts),
    }
    without_onnx = None
    try:
        files["model.onnx"] = onnx_model(predictor)
        files["predict.py"] = Path(__file__).with_name("predict_alone.py").read_bytes()
    except NotExpressible as reason:
        without_onnx = str(reason)
    if labels is not None:
        files["labels.npz"] = _npz(labels.split()[0])
    known = (*files, "MODEL_CARD.md", MANIFEST)
    files["MODEL_CARD.md"] = card(predictor, statement, notes, known, _versions(), without_onnx).encode()
    files[MANIFEST] = _json(_manifest(files, statement, notes))
    return {name: files[name] for name in FILES if name in files}


def fingerprint(files: Mapping[str, bytes]) -> str:
    """A hash of the whole release: its manifest names the hash of every other file."""
    return _sha256(files[MANIFEST])


def _manifest(files: Mapping[str, bytes], statement: Statement, notes: Sequence[str]) -> dict[str, Any]:
    """As every manifest of this program: hashes by file, and what it is about."""
    found = statement.guarantee
    return {
        "version": RELEASE,
        "files": {name: _sha256(content) for name, content in sorted(files.items())},
        "bytes": {name: len(content) for name, content in sorted(files.items())},
        "about": {
            "stage": STAGE,
            "data": statement.data,
            "method": statement.method,
            "epsilon": found.epsilon if found else None,
            "delta": found.delta if found else None,
            "relation": str(found.relation) if found else None,
            "chosen": statement.chosen.plain() if statement.chosen else None,
            "notes": list(notes),
        },
    }


def _versions() -> dict[str, str]:
    found = {"Python": platform.python_version()}
    for package in ("pate-pipelines", "numpy", "onnx", "opendp", "dp-accounting", "torch"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # run from a source tree that was never installed
            found[package] = "not installed"
    return found | {"ONNX operators": f"set {OPSET}"}


def _npz(arrays: Mapping[str, np.ndarray]) -> bytes:
    """numpy dates what it writes to 1980, so that the same arrays are the same bytes."""
    stream = io.BytesIO()
    np.savez(stream, **arrays)  # type: ignore[arg-type]
    return stream.getvalue()


def _json(facts: Any) -> bytes:
    return (json.dumps(facts, sort_keys=True, indent=1) + "\n").encode()


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
