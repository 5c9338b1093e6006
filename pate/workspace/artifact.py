"""An artifact is a frozen dataclass: its arrays are stored as arrays, everything else as JSON."""

from __future__ import annotations

from dataclasses import dataclass, fields
from types import UnionType
from typing import Any, ClassVar, Literal, Self, Union, get_args, get_origin, get_type_hints

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
        """The inverse of `split`; a ValueError if what was read is not of the types the fields declare."""
        values: dict[str, Any] = dict(facts) if isinstance(facts, dict) else {"": facts}
        for name, array in arrays.items():
            field, _, key = name.partition(".")
            if not key:
                values[field] = array
            elif isinstance(values.setdefault(field, {}), dict):
                values[field][key] = array
        hints = get_type_hints(cls)
        wrong = [name for name in (field.name for field in fields(cls)) if name in values]
        wrong = [name for name in wrong if not fits(values[name], hints[name])]
        if wrong:
            raise ValueError(f"{', '.join(wrong)}: not what a {cls.__name__} holds there")
        try:
            joined = cls(**values)
        except TypeError:
            raise ValueError(f"fields are missing, or not those of a {cls.__name__}") from None
        joined.check()
        return joined

    @classmethod
    def modules(cls) -> list[str]:
        """Where the code is, beside its own, that carries out what is stored: an edit there runs its readers again."""
        return []

    def check(self) -> None:
        """Refuse with a ValueError, which shows no value, what no stage could have written: asked when it is read."""


def fits(value: Any, hint: Any) -> bool:
    """Whether a value that was read from a file is of the type a field declares."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(fits(value, one) for one in inner)
    if origin is Literal:
        return isinstance(value, str) and value in inner
    if origin is np.ndarray:
        wanted = get_args(inner[1])[0]
        return isinstance(value, np.ndarray) and (wanted is Any or np.issubdtype(value.dtype, wanted))
    if origin is list:
        return isinstance(value, list) and all(fits(one, inner[0]) for one in value)
    if origin is dict:
        return isinstance(value, dict) and all(fits(k, inner[0]) and fits(v, inner[1]) for k, v in value.items())
    if hint in (int, float):
        return isinstance(value, int if hint is int else int | float) and not isinstance(value, bool)
    return hint is Any or isinstance(value, origin or hint)
