"""How many labels on the public pool would be right, at this epsilon and at others, before anything is drawn.

The exact sum of private answers and true labels of public inputs meet here: for the owner, to evaluate, and covered by
no epsilon. Noise is simulated with a fixed seed, and what comes of it is averaged; no noisy sum is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pate.consensus.basis import Basis
from pate.consensus.consensus import Consensus
from pate.consensus.drawing import Answers, draw
from pate.consensus.levels import Level, leading
from pate.evaluation.results import Table
from pate.evaluation.scores import accuracy
from pate.noise import source
from pate.workspace.artifact import Artifact

DRAWS = 5


@dataclass(frozen=True)
class ConsensusQuality(Artifact):
    """Shares of right labels on the public pool: the mean over simulated draws, and how far one draw is from it (the
    standard deviation). None where no true label is known."""

    asked: float
    epsilons: list[float]
    components: list[int]
    right: list[float | None]
    spread: list[float | None]

    @property
    def own(self) -> int:
        """The place of what was asked for."""
        return self.epsilons.index(self.asked)

    def table(self) -> Table:
        columns = {"epsilon": "g", "components": "g", "labels right": ".1%", "one draw ±": ".1%"}
        rows = zip(self.epsilons, self.components, self.right, self.spread, strict=True)
        return Table(
            "How right would consensus be?",
            f"Labels on the public pool, from the exact sum of private answers with simulated noise, {DRAWS} draws "
            "each. The owner's: settings chosen by it are chosen on private data, and no epsilon covers that choice.",
            columns,
            [list(row) for row in rows],
        )


def quality(
    consensus: Consensus,
    basis: Basis,
    levels: list[Level],
    public: np.ndarray,
    truth: np.ndarray,
    private: np.ndarray,
    y: np.ndarray,
    group: np.ndarray | None,
    classes: int,
    asked: float,
    allowed: np.ndarray | None = None,
) -> ConsensusQuality:
    """Of private features with labels `y`, in the largest basis of these levels; inputs of label -1 are left out.
    `allowed` are the epsilons of records with budgets of their own."""
    pool, phi = basis.pool(public), basis.read(private)
    right: list[float | None] = []
    spread: list[float | None] = []
    for level in levels:
        cut = leading(pool, level.components)
        plan = level.plan.in_releases(consensus.how_often(level.components, len(pool)))
        parts = None if allowed is None else plan.shares(allowed)
        answers = Answers(plan, leading(phi, level.components), y, group, classes, parts)
        draws = (draw(consensus, answers, cut, source([0, step])) for step in range(DRAWS))
        labels = (consensus.learn(cut, one).belief.argmax(axis=1) for one in draws)
        shares = [share for one in labels if (share := accuracy(one, truth)) is not None]
        right.append(float(np.mean(shares)) if shares else None)
        spread.append(float(np.std(shares, ddof=1)) if shares else None)
    return ConsensusQuality(asked, [one.epsilon for one in levels], [one.components for one in levels], right, spread)
