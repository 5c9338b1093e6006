"""aggregator=auto: Laplace noise, as in the first paper; or for an epsilon whichever noise makes it tell most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pate.aggregation.aggregator import Aggregator
from pate.aggregation.gnmax import GNMax
from pate.aggregation.lnmax import LNMax
from pate.data.outline import Outline


@dataclass(frozen=True)
class Auto(Aggregator):
    """Whoever says `gamma` has chosen LNMax."""

    kind: ClassVar[str] = "auto"

    gamma: float | None = None
    noise: str = "discrete"

    def suited(self, outline: Outline) -> tuple[Aggregator, str]:
        return (LNMax(noise=self.noise) if self.gamma is None else LNMax(self.gamma, self.noise)), ""

    def candidates(self) -> tuple[Aggregator, ...]:
        """What may be chosen for an epsilon: Gaussian noise is lighter for the same price, but for a few answers."""
        return (GNMax(noise=self.noise), LNMax(noise=self.noise)) if self.gamma is None else ()
