"""What is said of a training while it goes on, and when: a line now and then, and a curve for whoever follows."""

from __future__ import annotations

import time

from pate.dpsgd.accountant import Accountant
from pate.learning.telling import followed, tell

_TELL_EVERY = 8.0  # seconds, of which pricing what was done takes a fraction
_POINTS = 100  # at most, on the curve of whoever follows; at least an epoch apart


class Teller:
    """Told the loss of every step, it says what is new: the loss is the owner's, and so is the epsilon where it is
    `withheld`."""

    def __init__(self, accountant: Accountant, withheld: str = "") -> None:
        self._accountant, self._withheld = accountant, withheld
        self._apart = max(1, round(max(1 / accountant.sampling_rate, accountant.steps / _POINTS)))
        self._line, self._curve = _Loss(), _Loss()
        self._last = time.monotonic()

    def after(self, loss: float, records: int) -> str | None:
        """A step of so many records with this loss, all together. A line, if it is time for one."""
        self._line.add(loss, records)
        self._curve.add(loss, records)
        saying = None
        if time.monotonic() - self._last > _TELL_EVERY:
            saying, self._last = self.line(self._line.mean()), time.monotonic()
        if followed() and self._is_point():
            tell(self._accountant.taken, loss=self._curve.mean(), epsilon_so_far=self._accountant.epsilon())
        return saying

    def line(self, loss: float) -> str:
        return f"loss {loss:.3f} (the owner's); so far {self._accountant.guarantee().without(self._withheld)}"

    def _is_point(self) -> bool:
        taken, steps = self._accountant.taken, self._accountant.steps
        return taken % self._apart == 0 or taken == steps


class _Loss:
    """Its mean over the records seen since it was last asked for; the owner's."""

    def __init__(self) -> None:
        self._sum, self._count = 0.0, 0

    def add(self, loss: float, records: int) -> None:
        self._sum, self._count = self._sum + loss, self._count + records

    def mean(self) -> float:
        mean = self._sum / max(self._count, 1)
        self._sum, self._count = 0.0, 0
        return mean
