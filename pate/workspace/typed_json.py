"""Dataclasses as JSON and back, checked against the types they declare; and the schema of what is written.

A class may declare `derived`, names of its properties that are written along, for whoever reads the file without this
program; they are not read back. One with `plain` and `of` says itself how it is written.
"""

from __future__ import annotations

import math
from dataclasses import MISSING, fields, is_dataclass
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from pate.workspace.artifact import fits

T = TypeVar("T")
_NAMES: dict[Any, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}


def to_json(value: Any) -> Any:
    """Plain values; JSON knows no infinity: null stands for it."""
    if is_dataclass(value) and not isinstance(value, type):
        if hasattr(value, "plain"):
            return to_json(value.plain())
        names = [item.name for item in fields(value)] + list(getattr(value, "derived", ()))
        return {name: to_json(getattr(value, name)) for name in names}
    if isinstance(value, dict):
        return {key: to_json(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def from_json(kind: type[T], plain: Any) -> T:
    """The value these facts stand for; a ValueError names the first that does not fit. What is missing has its default,
    and what is not known is left out."""
    return _read(kind, plain, kind.__name__)


def _read(hint: Any, plain: Any, place: str) -> Any:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        if plain is None and type(None) in inner:
            return None
        return _read(next(one for one in inner if one is not type(None)), plain, place)
    if origin in (list, tuple) and isinstance(plain, list):
        return origin(_read(inner[0], one, f"{place}[{at}]") for at, one in enumerate(plain))
    if origin is dict and isinstance(plain, dict):
        return {key: _read(inner[1], one, f"{place}.{key}") for key, one in plain.items()}
    if is_dataclass(hint) and isinstance(hint, type):
        return _dataclass(hint, plain, place)
    if origin is None and fits(plain, hint):
        return plain
    raise ValueError(f"{place}: not what is written there")


def _dataclass(kind: type, plain: Any, place: str) -> Any:
    if not isinstance(plain, dict):
        raise ValueError(f"{place}: not what is written there")
    if hasattr(kind, "plain"):
        try:
            return kind.of(plain)  # type: ignore[attr-defined]
        except (KeyError, TypeError, ValueError):
            raise ValueError(f"{place}: not what is written there") from None
    hints, values = get_type_hints(kind), {}
    for item in fields(kind):
        if item.name in plain:
            values[item.name] = _read(hints[item.name], plain[item.name], f"{place}.{item.name}")
        elif item.default is MISSING and item.default_factory is MISSING:
            raise ValueError(f"{place} lacks {item.name}")
    return kind(**values)


def schema(kind: type) -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of what `to_json` writes of a class."""
    found: dict[str, Any] = {}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | _of(kind, found) | {"$defs": found}


def _of(hint: Any, found: dict[str, Any]) -> dict[str, Any]:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return {"anyOf": [{"type": "null"} if one is type(None) else _of(one, found) for one in inner]}
    if origin in (list, tuple):
        return {"type": "array", "items": _of(inner[0], found)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _of(inner[1], found)}
    if hint is float:
        return {"type": ["number", "null"]}  # null: infinite
    if hint in _NAMES:
        return {"type": _NAMES[hint]}
    if is_dataclass(hint) and isinstance(hint, type):
        return {"$ref": f"#/$defs/{_define(hint, found)}"}
    return {}


def _define(kind: type, found: dict[str, Any]) -> str:
    name = kind.__name__
    if name not in found:
        found[name] = {}  # it may hold itself
        hints = {} if hasattr(kind, "plain") else {item.name: get_type_hints(kind)[item.name] for item in fields(kind)}
        derived = getattr(kind, "written", {}) | {
            one: get_type_hints(getattr(kind, one).fget)["return"] for one in getattr(kind, "derived", ())
        }
        hints |= derived
        found[name] = {
            "type": "object",
            "description": (kind.__doc__ or "").split("\n\n")[0].replace("\n", " ").strip(),
            "properties": {one: _of(hint, found) for one, hint in hints.items()},
            "required": list(hints),
        }
    return name
