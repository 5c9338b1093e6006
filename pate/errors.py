"""Errors written for the person who sees them; each kind has its own exit code."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches

_ALIKE = 0.6  # as difflib has it


class PateError(Exception):
    """Something the user can mend: shown as one line, without a traceback."""

    exit_code = 1


class ConfigError(PateError):
    """The configuration, or a file it names, asks for something impossible."""

    exit_code = 2


class BudgetExceeded(PateError):
    """A release does not fit what is left of an account's budget; nothing was drawn for it."""

    exit_code = 3


class GraphError(PateError):
    """Stages are wired in a way that would carry private data across the barrier."""


class UndeclaredSetting(GraphError, AttributeError):
    """A stage reads a setting that is no part of what it declares."""


class DamagedArtifact(PateError):
    """A stored artifact does not match its manifest."""


def one_of(name: str, value: str, allowed: Collection[str]) -> None:
    """Refuse any other word, with the one that was probably meant."""
    if value not in allowed:
        raise ConfigError(f"{name}={value}: expected one of {', '.join(allowed)}{did_you_mean(value, allowed)}")


def did_you_mean(word: str, known: Iterable[str], before: str = "") -> str:
    """The end of a sentence that says what is wrong with it."""
    best = nearest(word, known)
    return f"; did you mean {before}{best}?" if best else ""


def nearest(word: str, known: Iterable[str]) -> str:
    """The one that is most like it, if any is."""
    return next(iter(get_close_matches(word, list(known), 1, _ALIKE)), "")
