"""What a mechanism says of itself, so that its answers can be priced, planned, put in a ledger, shown and shipped.

A price is a theorem about one way of answering. It belongs to the class that declares both, and is never inherited: a
class derived from a mechanism may answer in another way, and is refused until it declares all that is asked here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import ClassVar, Self

import numpy as np

from pate.accounting.guarantee import Guarantee
from pate.accounting.law import Exactly, OutOfRange
from pate.noise import Noise

NO_ANSWER = -1  # instead of a label, where a mechanism leaves a query unanswered


class Mechanism:
    """Answers queries from counts of votes, one label each, and says what that costs.

    `answer`, `scaled`, `independent`, `rdp` and `noise_parameter`, the field that sets how much noise an answer gets
    (a panel of prices varies it), have to be declared; what is left out claims nothing.
    """

    noise_parameter: ClassVar[str] = ""

    def answer(self, counts: np.ndarray, noise: Noise) -> np.ndarray:
        """One label per row of counts (queries x classes), or NO_ANSWER."""
        raise TypeError(f"{type(self).__name__} does not answer queries")

    def scaled(self, gamma: float) -> Self:
        """The same with noise of scale 1/gamma."""
        raise TypeError(f"{type(self).__name__} does not say how its noise is scaled")

    def describe(self) -> str:
        """The mechanism in words; holds nothing but its parameters."""
        return type(self).__name__

    @property
    def exact_noise(self) -> bool:
        """Whether noise is drawn without rounding; floating-point noise is not for a release (Mironov 2012)."""
        return False

    def independent(self, k: int, teachers: int | None, delta: float) -> Iterable[Guarantee]:
        """Prices of k answers that hold for every data set and for queries chosen in any way; where the number of
        teachers is not known, those that do not depend on it."""
        raise TypeError(f"{type(self).__name__} does not say what its answers cost")

    def rdp(self, k: int, teachers: int, orders: np.ndarray) -> np.ndarray:
        """Renyi divergences of k answers at these orders, in both directions, on every data set, queries chosen in any
        way: what adds up in a ledger."""
        raise TypeError(f"{type(self).__name__} does not say what its answers cost")

    def pure(self, k: int) -> float:
        """An epsilon of k answers at delta 0, on every data set."""
        return math.inf

    def law(self, teachers: int, classes: int) -> Exactly:
        """The exact law of its answers; OutOfRange where it is not known, or not to double precision."""
        raise OutOfRange(f"the law of {type(self).__name__}'s answers is not known")

    def published(self, counts: np.ndarray, delta: float) -> Iterable[Guarantee]:
        """The data-dependent bounds of its paper, for comparison: shown, never claimed."""
        return ()

    @property
    def smooth_sigma(self) -> float | None:
        """The sigma of GNMax with continuous noise, whose price smooth sensitivity lets one publish (Papernot et al.
        2018, Appendix B); None for all others."""
        return None


_OWN = ("answer", "scaled", "noise_parameter", "independent", "rdp")


def require_known(mechanism: Mechanism) -> None:
    """Refuse, with a ValueError, to price a class that does not itself declare how it answers and what that costs."""
    kind, asked = type(mechanism), [name for name in vars(Mechanism) if not name.startswith("_")]
    declared = {name: next((one for one in kind.__mro__ if name in vars(one)), None) for name in asked}
    foreign = [
        name for name, by in declared.items() if by not in (kind, Mechanism) or (by is Mechanism and name in _OWN)
    ]
    if foreign:
        raise ValueError(
            f"no accountant knows {kind.__name__}: it does not itself declare {', '.join(foreign)}, and a price is not "
            "inherited: choose another aggregator, or give it a price of its own (CONTRIBUTING.md, A new aggregator)"
        )
