"""Drawing: all answers added up, with noise; and where it pays once more, what the first sum leaves unsaid."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pate.consensus.consensus import Consensus
from pate.consensus.noisy_sum import NoisySum, Plan
from pate.noise import Noise


@dataclass(frozen=True)
class Answers:
    """What private records say in a basis; `group` tells whose each is, where that is the unit of privacy, and `share`
    what each gives of its answer, where they have budgets of their own."""

    plan: Plan
    phi: np.ndarray
    y: np.ndarray
    group: np.ndarray | None
    classes: int
    share: np.ndarray | None = None

    @cached_property
    def first(self) -> np.ndarray:
        return self.plan.added_up(self.phi, self.y, self.classes, self.group, share=self.share)

    def beyond(self, weights: np.ndarray) -> np.ndarray:
        return self.plan.added_up(self.phi, self.y, self.classes, self.group, weights, self.share)


def draw(
    consensus: Consensus,
    answers: Answers,
    pool: np.ndarray,
    noise: Noise,
    saved: Mapping[int, np.ndarray] | None = None,
    keep: Callable[[int, np.ndarray], None] = lambda number, total: None,
) -> NoisySum:
    """All releases of a plan, one after the other; those that were `saved` are not drawn again, the others are kept
    before anything is made of them."""
    totals: list[np.ndarray] = []
    before = [np.zeros((answers.phi.shape[1], answers.classes))]
    while True:
        number = len(totals)
        if saved and number in saved:
            total = saved[number]
        else:
            total = answers.plan.draw(answers.beyond(before[-1]) if number else answers.first, noise.at(number))
            keep(number, total)
        totals.append(total)
        drawn = NoisySum.of(totals, before, len(answers.y), answers.plan, noise.seeded)
        if len(totals) == answers.plan.releases:
            return drawn
        before.append(consensus.learn(pool, drawn).weights)
