"""A trained model as plain arrays: what the student, DP-SGD and the non-private bound hand over."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from pate.workspace.artifact import Arrays, Artifact

Floats = NDArray[np.float32]
_BATCH = 8192  # rows scored at once, so that memory does not grow with the data
_KINDS = {  # what a file may hold
    "Classifier": "pate.models.classifier",
    "KernelMachine": "pate.models.kernel_machine",
    "Neighbours": "pate.models.neighbours",
    "ConvNet": "pate.models.convnet",
    "TanhNet": "pate.models.tanhnet",
}


@dataclass(frozen=True)
class Model(Artifact):
    """Scores for records of features. Stored as safetensors beside a line that says which kind of model it is."""

    format: ClassVar[str] = "safetensors"

    @property
    def features(self) -> int:
        """How many numbers describe a record."""
        raise TypeError(f"{type(self).__name__} does not say what it reads")

    @property
    def classes(self) -> int:
        """How many classes are told apart."""
        raise TypeError(f"{type(self).__name__} does not say what it tells apart")

    def _forward(self, x: Floats) -> Floats:
        raise TypeError(f"{type(self).__name__} does not score")

    def scores(self, x: Floats) -> Floats:
        """Logits, or what stands for them: one row a record, the highest wins."""
        if x.ndim != 2 or x.shape[1] != self.features:
            raise ValueError(f"records of shape {x.shape}: this model reads (n, {self.features})")
        out = np.empty((len(x), self.classes), dtype=np.float32)
        for start in range(0, len(x), _BATCH):
            out[start : start + _BATCH] = self._forward(x[start : start + _BATCH].astype(np.float32, copy=False))
        return out

    def proba(self, x: Floats) -> Floats:
        """Softmax of the scores."""
        scores = self.scores(x)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True), dtype=np.float32)

    def views(self, x: Floats) -> Floats | None:
        """Probabilities averaged over moved copies of each input; None for a model that was not asked for that."""
        return None

    def predict(self, x: Floats) -> NDArray[np.int64]:
        """The class of the highest score."""
        return np.asarray(self.scores(x).argmax(axis=1), dtype=np.int64)

    def check(self) -> None:
        for array in self.split()[0].values():
            if not array.size or not np.isfinite(array).all():
                raise ValueError("weights are missing, nan or infinite")

    def split(self) -> tuple[Arrays, dict[str, Any]]:
        arrays, facts = super().split()
        return arrays, facts | {"kind": type(self).__name__}

    @classmethod
    def join(cls, arrays: Arrays, facts: dict[str, Any]) -> Self:
        kind = facts.get("kind") if isinstance(facts, dict) else None
        if not isinstance(kind, str) or kind not in _KINDS:
            raise ValueError(f"a model of an unknown kind: expected one of {', '.join(_KINDS)}")
        found = getattr(import_module(_KINDS[kind]), kind)
        if not issubclass(found, cls):
            raise ValueError(f"a model of kind {kind} where a {cls.__name__} was expected")
        rest = {name: value for name, value in facts.items() if name != "kind"}
        return super(Model, found).join(arrays, rest)  # type: ignore[return-value]
