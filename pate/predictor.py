"""A model with all it needs to answer about raw inputs: the encoder, the classes, and for tables their columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from pate.artifact import Arrays, Artifact
from pate.data.split import Private, Public
from pate.features.encoder import Encoder
from pate.model import Floats, Model


@dataclass(frozen=True)
class Predictor(Artifact):
    """What is published: one safetensors file and its facts.

    `shape` and `dtype` are those of one input; `columns` say how the rows of a table become such an input.
    """

    format: ClassVar[str] = "safetensors"

    encoder: Encoder
    model: Model
    classes: list[str]
    shape: list[int]
    dtype: str
    columns: dict[str, Any] | None = None

    @classmethod
    def of(cls, model: Model, encoder: Encoder, records: Public | Private) -> Predictor:
        """The model of what `encoder` makes of records like these."""
        x = records.x
        return cls(encoder, model, list(records.classes), list(x.shape[1:]), str(x.dtype), records.columns)

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
                raise ValueError(
                    f"values from {inputs.min():g} to {inputs.max():g}: this model was made for {low:g} to {high:g}"
                )
        return self.encoder.transform(inputs, advance)

    def rows_at_hand(self, inputs: np.ndarray, encoder: Encoder, features: Floats) -> Floats:
        """The same where the run's encoder has already made features of these inputs."""
        return features if self.encoder.same(encoder) else self.encoder.transform(inputs)

    def split(self) -> tuple[Arrays, dict[str, Any]]:
        arrays: Arrays = {}
        facts: dict[str, Any] = {
            "classes": self.classes,
            "shape": self.shape,
            "dtype": self.dtype,
            "columns": self.columns,
        }
        for name, part in (("encoder", self.encoder), ("model", self.model)):
            inner, facts[name] = part.split()
            arrays |= {f"{name}.{key}": array for key, array in inner.items()}
        return arrays, facts

    @classmethod
    def join(cls, arrays: Arrays, facts: dict[str, Any]) -> Self:
        own = {
            name: {key.removeprefix(f"{name}."): array for key, array in arrays.items() if key.startswith(f"{name}.")}
            for name in ("encoder", "model")
        }
        parts = {"encoder": Encoder.join(own["encoder"], facts["encoder"])}
        return cls(**(facts | parts | {"model": Model.join(own["model"], facts["model"])}))
