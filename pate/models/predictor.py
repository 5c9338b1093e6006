"""A model with all it needs to answer about raw inputs: the encoder, the classes, and for tables their columns."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from pate.data.encoding import Columns
from pate.data.labels import CONTROL
from pate.data.split import Private, Public
from pate.features.encoder import Encoder
from pate.models.decision import Decision
from pate.models.model import Floats, Model
from pate.workspace.artifact import Arrays, Artifact
from pate.workspace.files import parsing
from pate.workspace.versions import MODEL, version_of

_LARGEST = 1 << 22  # numbers in one input


@dataclass(frozen=True)
class Predictor(Artifact):
    """What is published: one safetensors file and its facts.

    `shape` and `dtype` are those of one input; `columns` say how the rows of a table become such an input; `decision`
    which class is answered, if not the most probable one.
    """

    format: ClassVar[str] = "safetensors"

    encoder: Encoder
    model: Model
    classes: list[str]
    shape: list[int]
    dtype: str
    columns: dict[str, Any] | None = None
    decision: Decision | None = None

    @classmethod
    def modules(cls) -> list[str]:
        return [*Encoder.modules(), *Model.modules()]

    @classmethod
    def of(cls, model: Model, encoder: Encoder, records: Public | Private) -> Predictor:
        """The model of what `encoder` makes of records like these."""
        x = records.x
        return cls(encoder, model, list(records.classes), list(x.shape[1:]), str(x.dtype), records.columns)

    def answers(self, belief: np.ndarray) -> np.ndarray:
        """The class that is answered, given the probabilities of all."""
        return belief.argmax(axis=1) if self.decision is None else self.decision.answers(belief)

    def rows(self, inputs: np.ndarray, advance: Callable[[int], None] = lambda _: None) -> Floats:
        """What the model reads of these inputs."""
        if list(inputs.shape[1:]) != self.shape or str(inputs.dtype) != self.dtype:
            raise ValueError(
                f"inputs of shape {inputs.shape[1:]} {inputs.dtype}: this model was made for "
                f"{tuple(self.shape)} {self.dtype}"
            )
        low, high = self.encoder.low, self.encoder.high
        if len(inputs) and low is not None and high is not None and self.columns is None:
            far = high - low  # new inputs may go beyond the public ones, but not by this much
            if inputs.min() < low - far or inputs.max() > high + far:
                raise ValueError(f"some values lie far outside: this model was made for {low:g} to {high:g}")
        return self.encoder.transform(inputs, advance)

    def rows_at_hand(self, inputs: np.ndarray, encoder: Encoder, features: Floats) -> Floats:
        """The same where the run's encoder has already made features of these inputs."""
        return features if self.encoder.same(encoder) else self.encoder.transform(inputs)

    def check(self) -> None:
        """Its parts fit each other, and it answers about a blank input: else whoever asks it would find out."""
        if not self.shape or min(self.shape) < 1 or math.prod(self.shape) > _LARGEST or len(self.shape) > 3:
            raise ValueError("inputs of a shape that none have")
        if not re.fullmatch(r"bool|u?int(8|16|32|64)|float(16|32|64)", self.dtype):
            raise ValueError("inputs of a type that none have")
        if len(set(self.classes)) < len(self.classes) or any(not name or CONTROL.search(name) for name in self.classes):
            raise ValueError("classes must have names, each another one")
        if self.columns is not None and [Columns.of(self.columns).width] != self.shape:
            raise ValueError("the columns of the table do not make such inputs")
        if self.encoder.width(self.shape) != self.model.features or len(self.classes) != self.model.classes:
            raise ValueError("model, encoder and classes do not fit each other")
        with parsing("model that answers"), np.errstate(all="ignore"):
            belief = self.model.proba(self.encoder.transform(np.zeros((1, *self.shape), self.dtype)))
        if belief.shape != (1, len(self.classes)) or not np.isfinite(belief).all():
            raise ValueError("the model does not answer")

    def split(self) -> tuple[Arrays, dict[str, Any]]:
        arrays: Arrays = {}
        facts: dict[str, Any] = {
            "version": MODEL,
            "classes": self.classes,
            "shape": self.shape,
            "dtype": self.dtype,
            "columns": self.columns,
            "decision": None if self.decision is None else self.decision.plain(),
        }
        for name, part in (("encoder", self.encoder), ("model", self.model)):
            inner, facts[name] = part.split()
            arrays |= {f"{name}.{key}": array for key, array in inner.items()}
        return arrays, facts

    @classmethod
    def join(cls, arrays: Arrays, facts: dict[str, Any]) -> Self:
        version_of(facts, MODEL)  # the first two knew no decision: then the most probable class is answered
        facts = {name: fact for name, fact in facts.items() if name != "version"} if isinstance(facts, dict) else {}
        if not {"encoder", "model"} <= facts.keys():
            raise ValueError("a predictor has an encoder and a model")
        own = {
            name: {key.removeprefix(f"{name}."): array for key, array in arrays.items() if key.startswith(f"{name}.")}
            for name in ("encoder", "model")
        }
        encoder = Encoder.join(own["encoder"], facts["encoder"])
        model = Model.join(own["model"], facts["model"])
        decision = Decision.of(facts.get("decision"), model.classes)
        return super().join({}, facts | {"encoder": encoder, "model": model, "decision": decision})
