"""What can be set: keys, types and defaults from dataclasses and YAML files, meanings from the comments beside them."""

from __future__ import annotations

import importlib
import inspect
import json
import re
import types
import typing
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import yaml

CONF = Path(__file__).resolve().parents[2] / "conf"
GROUPS = {
    "dataset": "where the records come from, and how they are split",
    "features": "the encoder, fitted on public inputs",
    "teachers": "how each partition is learned",
    "aggregator": "the mechanism: how votes become an answer",
    "student": "what learns from public inputs and noisy labels",
    "consensus": "one noisy sum in a public basis, instead of votes",
    "dpsgd": "the baseline that learns from the private records",
    "budget": "what may be released from an account",
    "tracking": "who follows a run",
}


@dataclass(frozen=True)
class Key:
    """One thing that can be set."""

    name: str
    type: str
    default: str
    meaning: str
    owner: type | None = None  # the class that declares it: what is said of it there once holds for its subclasses

    def cells(self) -> tuple[str, str, str, str]:
        return f"`{self.name}`", self.type, f"`{self.default}`", self.meaning


def comments(text: str) -> dict[str, str]:
    """What stands behind each key of a YAML file, by its dotted name; lines of comment below a key belong to it."""
    found: dict[str, str] = {}
    above: list[tuple[int, str]] = []
    for line in text.splitlines():
        if key := re.match(r"( *)\"?([\w]+)\"?:(?: [^#]*?)?\s*(?:# ?(.*))?$", line):
            above = [one for one in above if one[0] < len(key[1])] + [(len(key[1]), key[2])]
            found[".".join(name for _, name in above)] = (key[3] or "").strip()
        elif above and (more := re.match(r"\s*# ?(.*)$", line)):
            name = ".".join(name for _, name in above)
            found[name] = f"{found[name]}\n{more[1].strip()}".strip()
    return found


def header(text: str) -> str:
    """The lines of comment a file begins with."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# ").strip())
    return " ".join(line for line in lines if not line.startswith("@package"))


def read(group: str, name: str) -> tuple[dict[str, Any], dict[str, str]]:
    """The values and comments of a choice, with those of the choice it builds on."""
    text = (CONF / group / f"{name}.yaml").read_text()
    values, said = yaml.safe_load(text) or {}, comments(text)
    for base in values.pop("defaults", []):
        if isinstance(base, str) and base != "_self_":
            below, before = read(group, base)
            values, said = below | values, before | {key: told for key, told in said.items() if told}
    return values, said


def field_comments(kind: type) -> dict[str, str]:
    """What stands behind the fields of a dataclass in its source, of the nearest class that says something."""
    found: dict[str, str] = {}
    for one in reversed([one for one in kind.__mro__ if is_dataclass(one)]):
        for line in inspect.getsource(one).splitlines():
            if told := re.match(r"    (\w+): [^#]+# (.+)$", line):
                found[told[1]] = told[2].strip()
    return found


def type_of(hint: Any) -> str:
    """A type in words a user of YAML knows."""
    origin, within = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        parts = [type_of(one) for one in within if one is not type(None)]
        return " or ".join([*parts, *["null"] * (type(None) in within)])
    if origin is typing.Literal:
        return " or ".join(f"`{one}`" for one in within)
    if origin in (list, tuple):
        return f"list of {type_of(within[0])}" if within else "list"
    if hint is Any:
        return "text or number"
    named = {"int": "whole number", "float": "number", "str": "text", "bool": "true or false", "dict": "mapping"}
    bare = (origin or hint).__name__
    return named.get(bare, bare)


def shown(value: Any) -> str:
    """A default as one would type it."""
    if isinstance(value, list | tuple):
        return "[" + ", ".join(shown(one) for one in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {shown(one)}" for key, one in value.items()) + "}"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return f"{value:g}" if isinstance(value, float) and value != int(value) else str(value)


def target(values: dict[str, Any]) -> type:
    """The dataclass a choice names."""
    module, _, name = values["_target_"].rpartition(".")
    return getattr(importlib.import_module(module), name)


def keys_of(kind: type, values: dict[str, Any], said: dict[str, str], prefix: str = "") -> list[Key]:
    """Every field of a dataclass, with the default its YAML or else the class gives it."""
    hints, behind = typing.get_type_hints(kind), field_comments(kind)
    found = []
    for field in fields(kind):
        usual = field.default_factory() if field.default_factory is not MISSING else field.default
        value = values.get(field.name, None if usual is MISSING else usual)
        meaning = said.get(field.name) or behind.get(field.name, "")
        meaning = "; ".join(meaning.splitlines())
        owner = next(one for one in kind.__mro__ if field.name in inspect.get_annotations(one))
        found.append(Key(prefix + field.name, type_of(hints[field.name]), shown(value), meaning, owner))
    return found


def root_keys() -> list[Key]:
    """Those of conf/config.yaml that are in no group, sections with a dot."""
    from pate.app.compose import Config

    text = (CONF / "config.yaml").read_text()
    values, said, hints = yaml.safe_load(text), comments(text), typing.get_type_hints(Config)
    found = []
    for field in fields(Config):
        name = field.name
        if name in GROUPS:
            continue
        if is_dataclass(hints[name]):
            within = {key.partition(".")[2]: told for key, told in said.items() if key.startswith(f"{name}.")}
            found += keys_of(hints[name], values.get(name) or {}, within, f"{name}.")
        else:
            default = values.get(name, field.default)
            meaning = said.get(name) or field_comments(Config).get(name, "")
            meaning = "what to bring up to date: [stages](stages.md)" if name == "stage" else meaning
            found.append(Key(name, type_of(hints[name]), shown(default), "; ".join(meaning.splitlines())))
    order = {name: place for place, name in enumerate(values)}
    return sorted(found, key=lambda key: order.get(key.name.partition(".")[0], len(order)))


def own_keys() -> dict[str, list[Key]]:
    """Those that methods bring, by the method's key."""
    from pate.pipelines import methods

    owned = {key: method.own for key, method in methods().items() if method.own is not None}
    return {key: keys_of(kind, {}, {}, f"{key}.") for key, kind in owned.items()}


def choices(group: str) -> list[str]:
    """What a group offers."""
    return sorted(file.stem for file in (CONF / group).glob("*.yaml"))


def group_keys(group: str) -> dict[str, list[Key]]:
    """The keys of each of its choices."""
    from pate.settings import BudgetConfig

    found = {}
    for name in choices(group):
        values, said = read(group, name)
        found[name] = keys_of(target(values) if "_target_" in values else BudgetConfig, values, said, f"{group}.")
    return _with_meanings(found)


def _with_meanings(keys: dict[str, list[Key]]) -> dict[str, list[Key]]:
    """What is said of a key once holds for the choices that share its class and say nothing of it."""
    known = {(key.name, key.owner): key.meaning for several in keys.values() for key in several if key.meaning}
    return {
        name: [replace(key, meaning=key.meaning or known.get((key.name, key.owner), "")) for key in several]
        for name, several in keys.items()
    }
