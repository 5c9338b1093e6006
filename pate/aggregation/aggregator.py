"""What every aggregator offers: answers to queries, by noisy vote, and what they cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pate.accounting.mechanism import Mechanism
from pate.choice import Choice


@dataclass(frozen=True)
class Aggregator(Mechanism, Choice):
    """A mechanism that can be chosen (`aggregator=lnmax`). Its fields are its privacy parameters."""

    usual_share: ClassVar[float] = 0.0  # of the votes, as the scale of noise where nobody says how much; 0: its default
