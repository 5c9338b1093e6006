"""What keeps every epsilon of a run from being published: notes that void the promise, inherited by all that is made.

Whoever knows the seed can subtract the noise. Where the classes were read off private labels, one record decides which
answers there can be: an answer that was impossible without it becomes possible, and no epsilon bounds that ratio.
"""

from __future__ import annotations

from collections.abc import Iterable

from pate.data.labels import CLASSES_FROM_PRIVATE
from pate.noise import SEEDED

_MARKS = {SEEDED: SEEDED, CLASSES_FROM_PRIVATE: "not publishable: classes read from private labels"}
_WHY = {
    SEEDED: "whoever knows the seed can subtract the noise. For evaluation only.",
    CLASSES_FROM_PRIVATE: "one record decides which answers there can be, which no epsilon covers. Declare "
    "dataset.classes.",
}


def withheld(notes: Iterable[str]) -> str:
    """What an epsilon of something with these notes says in place of `publishable`; empty where nothing forbids it."""
    return "; ".join(_MARKS[note] for note in _voiding(notes))


def banners(notes: Iterable[str]) -> list[str]:
    """The same with the reason, for the top of a page."""
    return [f"{_MARKS[note]}: {_WHY[note]}" for note in _voiding(notes)]


def _voiding(notes: Iterable[str]) -> list[str]:
    """A note may stand within a longer one."""
    carried = list(notes)
    return [void for void in _MARKS if any(void in note for note in carried)]
