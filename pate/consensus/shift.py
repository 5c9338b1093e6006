"""Whether the public pool stands for the private records: whoever labels it learns about nothing else.

As many records as public inputs are put together, and each one's nearest neighbours are looked at. If both sides are
drawn alike, a neighbour is of one's own side with probability 1/2 (Schilling 1986; Henze 1988), and hardly any has
neighbours of its own side alone: 1 in 2^k. It is computed from private records: the owner's, and never part of what
leaves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from pate.learning.spreading import nearest
from pate.workspace.artifact import Artifact

NEIGHBOURS = 10
_MOST = 2000  # of each side
_FEWEST = 50  # of each side: with fewer, chance decides
_OWN, _ALONE = 0.6, 0.05  # above these shares it is said (docs/explanation/consensus.md)


@dataclass(frozen=True)
class Shift(Artifact):
    """`own` is the share of neighbours that are of one's own side, 1/2 where both are alike; `private_alone` and
    `public_alone` are the shares of each side that have no neighbour of the other. None where there are too few."""

    own: float | None = None
    private_alone: float | None = None
    public_alone: float | None = None

    @property
    def warning(self) -> str:
        """What the owner should know, if there is anything."""
        if self.own is None or self.private_alone is None or self.public_alone is None:
            return ""
        if self.own <= _OWN and max(self.private_alone, self.public_alone) <= _ALONE:
            return ""
        return (
            f"the public pool does not stand for the private records: {self.private_alone:.0%} of records "
            f"have no public input among their {NEIGHBOURS} nearest, {self.public_alone:.0%} of public inputs no "
            f"record, and {self.own:.0%} of neighbours are of one's own side (50% if both were alike): labels and what "
            "learns from them may be worse than the pool tells; the owner's, not for publication"
        )

    def describe(self) -> str:
        if self.own is None:
            return "too few records or public inputs to tell whether they are alike"
        if self.warning:
            return f"warning: {self.warning}"
        return f"the public pool stands for the private records: {self.own:.1%} of neighbours are of one's own side"


def shift(private: np.ndarray, public: np.ndarray) -> Shift:
    """Of features; records that are not finite are left out. The sample is by position, with a fixed seed."""
    rng = np.random.default_rng(0)
    sides = [one[np.isfinite(one).all(axis=1)] for one in (private, public)]
    count = min(_MOST, *map(len, sides))
    if count < _FEWEST:
        return Shift()
    rows = np.concatenate([one[rng.permutation(len(one))[:count]] for one in sides]).astype(np.float32)
    is_public, order = np.repeat([False, True], count), rng.permutation(2 * count)  # ties fall to either side
    rows, is_public = rows[order], is_public[order]
    with threadpool_limits(1, user_api="blas"):
        index, _ = nearest(rows - rows.mean(axis=0), rows - rows.mean(axis=0), NEIGHBOURS, skip_self=True)
    own = (is_public[index] == is_public[:, None]).mean(axis=1)
    private_alone, public_alone = (float((own[is_public == side] == 1).mean()) for side in (False, True))
    return Shift(float(own.mean()), private_alone, public_alone)
