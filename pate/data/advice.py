"""What to type about a column, so that it can be pasted: quoted for the shell, escaped for Hydra or YAML."""

from __future__ import annotations

import json
import re
import shlex

_PLAIN = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)
_KEY = re.compile(
    r"[\w /\-\\+.$%*@?|()\[\]{}:=,]+", re.ASCII
)  # what Hydra's grammar lets a dictionary's key be made of


def drop(name: str) -> str:
    return shlex.quote(f"dataset.drop=[{_quoted(name)}]")


def keep(name: str) -> str:
    return shlex.quote(f"dataset.keep=[{_quoted(name)}]")


def kind(name: str, kind: str) -> str:
    if not _KEY.fullmatch(name):
        key = json.dumps(name, ensure_ascii=False)
        return f"kinds: {{{key}: {kind}}} under dataset: in a file of settings (--config-dir)"
    escaped = re.sub(r"([\\()\[\]{}:=,])", r"\\\1", name)  # a key of a dictionary may not be quoted
    return shlex.quote(f"dataset.kinds={{{escaped}: {kind}}}")


def group_by(name: str) -> str:
    return shlex.quote(f"partition.group_by={_quoted(name)}")


def _quoted(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else '"' + name.replace('"', '\\"') + '"'
