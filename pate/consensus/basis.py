"""A public basis: where an input stands among the public ones, as a vector of length at most 1.

It is made from public inputs alone, and reads each record by itself: of no other private record does phi(x) know.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from pate.models.model import Model
from pate.workspace.artifact import Arrays, Artifact
from pate.workspace.plugins import Kinds

_KINDS: Kinds[Basis] = Kinds("pate.consensus", "pate.bases")


@dataclass(frozen=True)
class Basis(Artifact):
    """A subclass declares its `kind`, and says what stands below."""

    kind: ClassVar[str] = ""  # its name in files, for good; not inherited

    def __init_subclass__(cls, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        if "kind" in cls.__dict__:
            _KINDS.declare(cls, cls.kind)

    @property
    def components(self) -> int:
        """How many numbers tell where an input stands."""
        raise TypeError(f"{type(self).__name__} does not say how many components it has")

    def read(self, x: np.ndarray) -> np.ndarray:
        """Where these features stand (records x components): each at most of length 1, or nothing. One that is not
        finite stands nowhere: it is masked before it is computed with, so that no other one meets it."""
        known = np.isfinite(x).all(axis=1, keepdims=True)
        return np.asarray(np.where(known, self.places(np.where(known, x, np.float32(0))), 0.0))

    def places(self, x: np.ndarray) -> np.ndarray:
        """The same for finite features."""
        raise TypeError(f"{type(self).__name__} does not read")

    def pool(self, x: np.ndarray) -> np.ndarray:
        """The same for the public inputs it was made from, each as if it were not one of them."""
        return self.read(x)

    def as_records(self, x: np.ndarray, pool: np.ndarray) -> np.ndarray:
        """Where these public inputs would stand if they were records: what they say of those that are. `pool` is where
        they stand as public inputs."""
        return pool

    def predictor(self, weights: np.ndarray, belief: np.ndarray, x: np.ndarray) -> Model:
        """The model of phi(x)' weights (components x classes); `belief` are shares of the public inputs `x`."""
        raise TypeError(f"{type(self).__name__} does not predict")

    def check(self) -> None:
        if any(not array.size or not np.isfinite(array).all() for array in self.split()[0].values()):
            raise ValueError("a basis must hold finite numbers")

    def split(self) -> tuple[Arrays, dict[str, Any]]:
        arrays, facts = super().split()
        return arrays, facts | {"kind": self.kind}

    @classmethod
    def modules(cls) -> list[str]:
        return _KINDS.modules()

    @classmethod
    def join(cls, arrays: Arrays, facts: dict[str, Any]) -> Self:
        found = _KINDS.find(facts.get("kind") if isinstance(facts, dict) else None)
        if found is None or not issubclass(found, cls):
            raise ValueError("a basis of an unknown kind: install the package that brings it (pate.bases)")
        rest = {name: fact for name, fact in facts.items() if name != "kind"}
        return super(Basis, found).join(arrays, rest)  # type: ignore[return-value]
