"""What is computed of public inputs alone, and asked for again at once: their second moments by every draw of a
forecast, the axes of a basis by the stage after the one that makes it.

Nothing is computed otherwise for being kept: whoever asks first is told the same bits as whoever asks again.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from pate.consensus.answers import Floats

Made = TypeVar("Made")

_last: list[tuple[weakref.ref[Floats], Floats, Floats]] = []  # of one pool, as long as somebody else holds it


def second_moments(pool: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues, smallest first, and eigenvectors of the mean of phi phi' over public inputs (rows). These are never
    written to once they are made, so that the same array has the same moments."""
    for known, values, directions in _last:
        if known() is pool:
            return values, directions
    values, directions = np.linalg.eigh(pool.T @ pool / len(pool))
    _last[:] = [(weakref.ref(pool), values, directions)]
    return values, directions


_stays: ContextVar[bool] = ContextVar("stays", default=False)
_LEFT: list[list[Any]] = []


@contextmanager
def staying() -> Iterator[None]:
    """For many runs over the same public inputs: what was made last is handed on to all of them, and forgotten then."""
    token = _stays.set(True)
    try:
        yield
    finally:
        _stays.reset(token)
        for left in _LEFT:
            left.clear()


def handed_on(make: Callable[..., Made]) -> Callable[..., Made]:
    """What was made last, for whoever is next to ask for it of equal features and settings; then it is forgotten, lest
    large matrices stay in memory, unless it is `staying`."""
    left: list[tuple[Floats, tuple[Any, ...], Made]] = []
    _LEFT.append(left)

    @wraps(make)
    def asked(features: Floats, *settings: Any) -> Made:
        if left:
            known, same, made = left[0] if _stays.get() else left.pop()
            if settings == same and np.array_equal(features, known):
                return made
        made = make(features, *settings)
        left[:] = [(features, settings, made)]
        return made

    return asked
