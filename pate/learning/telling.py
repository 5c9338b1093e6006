"""Numbers a training knows while it learns, for whoever follows the run: nobody, unless a tracker was asked for.

Training code tells plain numbers and knows no tracker. Where telling has a price of its own, as an epsilon so far has,
it asks first whether it is `followed`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

Follower = Callable[[int, Mapping[str, float]], None]
_follower: Follower | None = None
_stage = ""


def followed() -> bool:
    """Whether anybody listens."""
    return _follower is not None


def tell(step: int, **figures: float) -> None:
    """What is known at a step; it reaches the follower under the stage's name: `dpsgd_loss`."""
    if _follower is not None:
        _follower(step, {f"{_stage}_{name}": value for name, value in figures.items()})


@contextmanager
def telling(stage: str) -> Iterator[None]:
    """What is told within is this stage's: a student may learn in `student`, `labels` or `nonprivate`."""
    global _stage
    before, _stage = _stage, stage
    try:
        yield
    finally:
        _stage = before


@contextmanager
def following(follower: Follower) -> Iterator[None]:
    """Hand everything told within to this one."""
    global _follower
    before, _follower = _follower, follower
    try:
        yield
    finally:
        _follower = before
