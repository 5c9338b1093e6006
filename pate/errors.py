"""Errors written for the person who sees them; each kind has its own exit code."""

from __future__ import annotations


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
