"""A trained model as plain arrays: what the student, DP-SGD and the non-private bound hand over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from pate.workspace.artifact import Arrays, Artifact
from pate.workspace.plugins import Kinds

if TYPE_CHECKING:
    from pate.models.onnx import OnnxGraph

Floats = NDArray[np.float32]
_BATCH = 8192  # rows scored at once, so that memory does not grow with the data
_KINDS: Kinds[Model] = Kinds("pate.models", "pate.models")


@dataclass(frozen=True)
class Model(Artifact):
    """Scores for records of features. Stored as safetensors beside a line that says which kind of model it is.

    A subclass declares its `kind`, and says `features`, `classes`, `_forward` and, for ONNX files, `to_onnx`.
    """

    format: ClassVar[str] = "safetensors"
    kind: ClassVar[str] = ""  # its name in files, for good; not inherited

    def __init_subclass__(cls, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        if "kind" in cls.__dict__:
            _KINDS.declare(cls, cls.kind)

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
        """Probabilities averaged over copies of each input (test-time augmentation); None for a model that was not
        asked for that."""
        return None

    @property
    def viewed(self) -> str:
        """Which copies `views` averages over, in words; nothing where it is None."""
        return ""

    @property
    def carried(self) -> str:
        """What of the public inputs it holds and thereby publishes, in words, if anything."""
        return ""

    def to_onnx(self, graph: OnnxGraph, rows: str) -> str:
        """What `proba` computes of rows of features, as operators of the graph; not inherited."""
        raise TypeError(f"{type(self).__name__} has no operators")

    def predict(self, x: Floats) -> NDArray[np.int64]:
        """The class of the highest score."""
        return np.asarray(self.scores(x).argmax(axis=1), dtype=np.int64)

    def check(self) -> None:
        for array in self.split()[0].values():
            if not array.size or not np.isfinite(array).all():
                raise ValueError("weights are missing, nan or infinite")

    def split(self) -> tuple[Arrays, dict[str, Any]]:
        if "kind" not in type(self).__dict__:
            raise TypeError(f"{type(self).__name__} declares no kind, without which nobody could read it back")
        arrays, facts = super().split()
        return arrays, facts | {"kind": self.kind}

    @classmethod
    def modules(cls) -> list[str]:
        """Where models are: see `Artifact.modules`."""
        return _KINDS.modules()

    @classmethod
    def join(cls, arrays: Arrays, facts: dict[str, Any]) -> Self:
        found = _KINDS.find(facts.get("kind") if isinstance(facts, dict) else None)
        if found is None:
            raise ValueError(
                "a model of an unknown kind: install the package that brings it (an entry point of "
                "pate.models), or name what made it, as in student=MODULE.CLASS"
            )
        if not issubclass(found, cls):
            raise ValueError(f"a model of kind {found.kind} where a {cls.__name__} was expected")
        rest = {name: value for name, value in facts.items() if name != "kind"}
        return super(Model, found).join(arrays, rest)  # type: ignore[return-value]
