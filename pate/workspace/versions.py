"""The versions of what is kept: raised when a reader has to know of a change. Every reader reads all that came before,
and refuses in one line what is newer than itself. The first version of each named none."""

from __future__ import annotations

from typing import Any

from pate.workspace.artifact import fits
from pate.workspace.files import Unreadable

LEDGER = 2  # SQLite's user_version: an entry names the orders its divergences belong to
MANIFEST = 2  # of what a stage stored
RESULTS = 3  # results.json: leads of every method over every other, by every metric
MODEL = 3  # the facts beside a model's arrays: how it decides
CURVE = 1  # curve.json
RELEASE = 2  # the manifest of what leaves


class Newer(Unreadable):
    """Not damaged: a later version of this program wrote it."""


def version_of(found: Any, newest: int) -> int:
    """In which version facts were written."""
    version = found.get("version", 1) if isinstance(found, dict) else 1
    if not fits(version, int) or version < 1:
        raise Unreadable("names a version that is none")
    return not_newer(version, newest)


def not_newer(version: int, newest: int) -> int:
    if version > newest:
        raise Newer(
            f"was written by a newer version of this program (in version {version}, and this one reads up to "
            f"{newest}): use that one"
        )
    return version
