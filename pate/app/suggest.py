"""Did you mean ...? The nearest thing that exists to what somebody typed."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from difflib import get_close_matches

_ALIKE = 0.6  # as difflib has it


def nearest(word: str, known: Iterable[str]) -> str:
    """The one that is most like it, if any is."""
    return next(iter(get_close_matches(word, list(known), 1, _ALIKE)), "")


def did_you_mean(word: str, known: Iterable[str], before: str = "") -> str:
    """The end of a sentence that says what is wrong with it."""
    best = nearest(word, known)
    return f"; did you mean {before}{best}?" if best else ""


def mended(wrong: str, right: str) -> str:
    """What was typed, with a key of it put right: `labels.querys=5` as `labels.queries=5`."""
    for typed in sys.argv[1:]:
        if f"{typed.lstrip('+~').partition('=')[0]}.".startswith(f"{wrong}."):
            return typed.replace(wrong, right, 1)
    return right
