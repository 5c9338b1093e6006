"""An artifact is a frozen dataclass: its arrays are stored as arrays, everything else as JSON."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Artifact:
    """What a stage hands to the next one; `format` says how its arrays are written."""

    format: ClassVar[str] = "npz"

    def split(self) -> tuple[Arrays, dict[str, Any]]:
        """The fields as (arrays, facts); a field that holds several arrays flattens to `field.key`."""
        arrays: Arrays = {}
        facts: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                arrays[field.name] = value
            elif isinstance(value, dict) and value and all(isinstance(v, np.ndarray) for v in value.values()):
                arrays |= {f"{field.name}.{key}": v for key, v in value.items()}
            else:
                facts[field.name] = value
        return arrays, facts

    @classmethod
    def join(cls, arrays: Arrays, facts: dict[str, Any]) -> Self:
        """The inverse of `split`."""
        values: dict[str, Any] = {}
        for name, array in arrays.items():
            field, _, key = name.partition(".")
            if key:
                values.setdefault(field, {})[key] = array
            else:
                values[field] = array
        return cls(**(facts | values))
