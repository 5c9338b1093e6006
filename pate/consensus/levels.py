"""The same consensus at other epsilons: how much noise each asks for, and how many components it keeps.

Components are ordered, the ones that stand out most first, and what is kept at more noise are the first of what is kept
at less: where inputs stand is computed once, in the largest basis, and cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pate.consensus.answers import unit_length
from pate.consensus.basis import Basis
from pate.consensus.consensus import Consensus
from pate.consensus.noisy_sum import NoisySum, Plan
from pate.noise import Noise

EPSILONS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0)


@dataclass(frozen=True)
class Level:
    """What would be drawn at an epsilon, and how many components it would have."""

    epsilon: float
    plan: Plan
    components: int


def levels(
    consensus: Consensus,
    features: np.ndarray,
    classes: int,
    records: int,
    delta: float,
    group: str | None,
    asked: float,
    epsilons: Sequence[float] = EPSILONS,
) -> tuple[Basis, list[Level]]:
    """The one that is asked for among others, in their order, and the largest basis of all; no private record is seen.
    An epsilon that no noise fits is left out."""
    plans: dict[float, Plan] = {}
    for epsilon in sorted({asked, *epsilons}):
        try:
            plans[epsilon] = consensus.plan(epsilon, delta, group)
        except ValueError:
            if epsilon == asked:
                raise
    basis, kept = consensus.nested(features, classes, [plan.floor(records, classes) for plan in plans.values()])
    return basis, [Level(*one) for one in zip(plans, plans.values(), kept, strict=True)]


def leading(places: np.ndarray, components: int) -> np.ndarray:
    """Where inputs stand by the first of their components alone: at length 1 again."""
    return places if components == places.shape[1] else unit_length(places[:, :components])


def beliefs(
    consensus: Consensus, pool: np.ndarray, total: np.ndarray, records: int, plan: Plan, noise: Noise
) -> np.ndarray:
    """Of every public input, after a simulated draw of the sum `total` (in steps), which nobody keeps."""
    return consensus.learn(pool, NoisySum.of_one(plan.draw(total, noise), records, plan, noise.seeded)).belief
