"""What is computed, and asked for again at once: second moments of public inputs by every draw of a forecast, the axes
of a basis by the stage after the one that makes it, where records stand by the next run over the same ones.

Nothing is computed otherwise for being kept: whoever asks first is told the same bits as whoever asks again.
"""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from pate.consensus.answers import Floats

if TYPE_CHECKING:
    from pate.consensus.basis import Basis

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


_stood: list[Any] = []  # features, what the basis holds, and where these stand in it
_LEFT.append(_stood)


def standing(basis: Basis, features: Floats) -> Floats:
    """Where these stand in a basis; kept while many runs `stay`, and no longer: it is large, and of private records."""
    if not _stays.get():
        return basis.read(features)
    held = _held(basis)
    if not (_stood and _stood[1] == held and np.array_equal(_stood[0], features)):
        _stood[:] = [features, held, basis.read(features)]
    return np.asarray(_stood[2])


def _held(basis: Basis) -> bytes:
    """A hash of all that a basis is made of."""
    arrays, others = basis.split()
    found = hashlib.blake2b(f"{basis.kind} {sorted(others.items())}".encode())
    for name, array in sorted(arrays.items()):
        found.update(f"{name} {array.dtype} {array.shape}".encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.digest()


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
