"""Encoders turn inputs into feature vectors. They are fitted on public inputs, or on nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from threadpoolctl import threadpool_limits

from pate.choice import Choice
from pate.workspace.artifact import Arrays, Artifact
from pate.workspace.plugins import Kinds

if TYPE_CHECKING:
    from pate.models.onnx import OnnxGraph

_ROWS = 1024  # encoded together: bounds memory, and fixed, so that no record's features depend on how many there are
_FIRST = ("scattering", "patches")  # what the encoders that name no kind in their files may or may not hold
_KINDS: Kinds[Encoder] = Kinds("pate.features", "pate.encoders")


@dataclass(frozen=True)
class Encoded(Artifact):
    """Feature vectors (records x features), float32, in the order of the records."""

    x: np.ndarray

    def check(self) -> None:
        if self.x.ndim != 2 or self.x.dtype != np.float32 or not np.isfinite(self.x).all():
            raise ValueError("features must be a table of finite float32")


@dataclass(frozen=True)
class Encoder(Artifact):
    """What makes features of inputs; its fields are all it learned from public ones.

    A subclass declares its `kind`, and says `encode`, `width` and, for ONNX files, `to_onnx`.
    """

    kind: ClassVar[str] = ""  # its name in files, for good; not inherited

    low: float | None = field(default=None, kw_only=True)  # the public inputs' range: what lies far outside
    high: float | None = field(default=None, kw_only=True)  # was scaled differently

    def __init_subclass__(cls, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        if "kind" in cls.__dict__:
            _KINDS.declare(cls, cls.kind)

    def encode(self, x: np.ndarray) -> np.ndarray:
        """Features of a few inputs, or of none, float32 (records x features).

        Each record is encoded alone: no other one, nor how many there are, nor where among them it stands, reaches its
        features, not by a rounding error.
        """
        raise TypeError(f"{type(self).__name__} does not encode")

    def width(self, shape: Sequence[int]) -> int:
        """How many features an input of this shape has, computed without one; a ValueError if it cannot be encoded."""
        raise TypeError(f"{type(self).__name__} does not say how many features it makes")

    def to_onnx(self, graph: OnnxGraph, x: str, shape: Sequence[int]) -> str:
        """What `encode` computes of `scaled` inputs of this shape, as operators of the graph; not inherited."""
        raise TypeError(f"{type(self).__name__} has no operators")

    @classmethod
    def modules(cls) -> list[str]:
        return _KINDS.modules()

    def check(self) -> None:
        arrays = list(self.split()[0].values())
        if any(array.dtype.kind != "f" or not array.size or not np.isfinite(array).all() for array in arrays):
            raise ValueError("an encoder's arrays must hold finite numbers")
        if (self.low is None) != (self.high is None) or not _finite_range(self.low, self.high):
            raise ValueError("low and high must be finite, the lower one first")

    def same(self, other: Encoder) -> bool:
        """Whether it makes the same features."""
        mine, theirs = self.split(), other.split()
        arrays = mine[0].keys() == theirs[0].keys() and all(
            np.array_equal(array, theirs[0][name]) for name, array in mine[0].items()
        )
        return arrays and mine[1] == theirs[1]

    def transform(self, x: np.ndarray, advance: Callable[[int], None] = lambda _: None) -> np.ndarray:
        """Features, float32 (records x features)."""
        blocks = []
        with threadpool_limits(1, user_api="blas"):  # the same features on any number of cores
            for start in range(0, max(len(x), 1), _ROWS):
                blocks.append(self.encode(x[start : start + _ROWS]))
                advance(len(blocks[-1]))
        return np.concatenate(blocks)

    def split(self) -> tuple[Arrays, dict[str, Any]]:
        if "kind" not in type(self).__dict__:
            raise TypeError(f"{type(self).__name__} declares no kind, without which nobody could read it back")
        arrays, facts = super().split()
        return arrays, facts | {"kind": self.kind}

    @classmethod
    def join(cls, arrays: Arrays, facts: dict[str, Any]) -> Self:
        """What names no kind is one of the first ones, which are told apart by what they hold."""
        told = dict(facts) if isinstance(facts, dict) else {"": facts}
        if "kind" not in told:
            told = {name: fact for name, fact in told.items() if name not in _FIRST or fact is not None}
        found = _KINDS.find(told.pop("kind", "scattering" if "scattering" in told else "linear"))
        if found is None:
            raise ValueError(
                "an encoder of an unknown kind: install the package that brings it (an entry point of pate.encoders), "
                "or name what made it, as in features=MODULE.CLASS"
            )
        if not issubclass(found, cls):
            raise ValueError(f"an encoder of kind {found.kind} where a {cls.__name__} was expected")
        return super(Encoder, found).join(arrays, told)  # type: ignore[return-value]


def scaled(x: np.ndarray) -> np.ndarray:
    """Inputs as float32, pixels that are bytes in [0, 1]."""
    floats = x.astype(np.float32)
    return floats / np.float32(255) if x.dtype == np.uint8 else floats


def _finite_range(low: float | None, high: float | None) -> bool:
    return low is None or high is None or (math.isfinite(low) and math.isfinite(high) and low <= high)


@dataclass(frozen=True)
class Features(Choice):
    """How an encoder is made; its fields are its configuration."""

    def fit(self, public: np.ndarray) -> Encoder:
        raise TypeError(f"{type(self).__name__} does not fit an encoder")
