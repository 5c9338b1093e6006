"""Hydra's and OmegaConf's errors in one line, and what was probably meant."""

from __future__ import annotations

import shlex
import sys

from hydra.errors import MissingConfigException, OverrideParseException
from omegaconf import DictConfig

from pate.errors import did_you_mean, nearest


def one_line(error: BaseException) -> str:
    """Hydra's and OmegaConf's errors as one line: the key, what was wrong with it, and what is allowed there."""
    if isinstance(error, OverrideParseException):
        return _unread(error.override)
    deepest = error
    while deepest.__cause__ is not None:
        deepest = deepest.__cause__
    key, parent = getattr(deepest, "full_key", None), getattr(deepest, "parent_node", None)
    message = (getattr(deepest, "msg", None) or str(deepest)).strip().splitlines()[0]
    if "not in struct" in message or "not in 'Config'" in message or "not in '" in message:
        allowed = sorted(str(name) for name in parent if name != "_target_") if isinstance(parent, DictConfig) else []
        there = f"; there are {', '.join(allowed)}" if allowed else ""
        return f"{key}: no such key{there}{_meant(str(key), allowed)}"
    if isinstance(error, MissingConfigException) and error.missing_cfg_file and error.options:
        group, _, choice = error.missing_cfg_file.rpartition("/")
        there = f"Available options in '{group}': {' '.join(error.options)}"
        return f"{group}={choice}: no such choice. {there}{did_you_mean(choice, error.options, f'{group}=')}"
    if deepest is error and key is None:
        return " ".join(line.strip() for line in str(error).strip().splitlines() if line.strip())
    return f"{key}: {message}" if key else message


def _unread(word: str) -> str:
    """A word that Hydra's grammar has no place for, and how it is written."""
    key, _, value = word.partition("=")
    if value.startswith(("[", "{", "(", '"', "'")):
        return (
            f"{word}: not understood. In a list, a name with letters beyond a-z or signs is quoted, as in "
            "'dataset.drop=[\"Größe\"]'; as a key of {key: value} it is written in a file of settings (--config-dir)"
        )
    quoted = key + '="' + value.replace('"', '\\"') + '"'
    return f"{word}: not understood. A value with letters beyond a-z or signs is quoted: {shlex.quote(quoted)}"


def _meant(key: str, allowed: list[str]) -> str:
    """The nearest key beside it, with the value that was given."""
    before, dot, last = key.rpartition(".")
    best = nearest(last, allowed)
    return f"; did you mean {_mended(key, before + dot + best)}?" if best else ""


def _mended(wrong: str, right: str) -> str:
    """What was typed, with a key of it put right: `labels.querys=5` as `labels.queries=5`."""
    for typed in sys.argv[1:]:
        if f"{typed.lstrip('+~').partition('=')[0]}.".startswith(f"{wrong}."):
            return typed.replace(wrong, right, 1)
    return right
