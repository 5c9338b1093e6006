"""Teachers from scikit-learn: any classifier, named by its import path."""

from __future__ import annotations

import inspect
import warnings
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from pate.choice import ALWAYS_SAID
from pate.teachers.ensemble import Teachers


@dataclass(frozen=True)
class Sklearn(Teachers):
    """One scikit-learn classifier per partition; `estimator` holds `_target_` and its arguments."""

    kind: ClassVar[str] = "sklearn"
    frozen: ClassVar[dict[str, Any]] = {"estimator": {}}

    estimator: dict[str, Any] = field(
        default_factory=lambda: {"_target_": "sklearn.ensemble.RandomForestClassifier"}, metadata=ALWAYS_SAID
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self._build(0)

    def predict_one(self, x: np.ndarray, y: np.ndarray, public: np.ndarray, classes: int, seed: int) -> np.ndarray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a teacher of 20 records may well not converge: its votes still count
            return np.asarray(self._build(seed).fit(x, y).predict(public))

    def modules(self) -> list[str]:
        return [*super().modules(), str(self.estimator.get("_target_", "")).rpartition(".")[0]]

    def _build(self, seed: int) -> Any:
        from sklearn.base import is_classifier

        arguments = dict(self.estimator)
        module, _, name = str(arguments.pop("_target_", "")).rpartition(".")
        try:
            kind = getattr(import_module(module), name)
            if "random_state" in inspect.signature(kind).parameters:
                arguments.setdefault("random_state", seed)
            model = kind(**arguments)
        except (ImportError, AttributeError, ValueError, TypeError) as error:
            raise ValueError(f"estimator._target_={module}.{name} cannot be built: {error}") from error
        if not is_classifier(model):
            raise ValueError(f"estimator._target_={module}.{name} is no classifier")
        try:
            model._validate_params()  # what scikit-learn itself checks first, an hour earlier
        except ValueError as error:
            raise ValueError(f"estimator: {error}") from error
        return model
