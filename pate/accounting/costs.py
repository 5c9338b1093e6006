"""What a set of answers costs, by every accountant: a guarantee each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pate.accounting.guarantee import ZERO_OUT, Guarantee, Relation
from pate.workspace.artifact import Artifact

# Replaced by nothing or by another record, it moves one vote, so PATE costs the same under both. Not so for groups:
# which teacher they go to is told by their name, and one person in the place of another changes two teachers.
RELATION = str(ZERO_OUT)


@dataclass(frozen=True)
class Costs(Artifact):
    """The whole ladder for one set of answers; `prices` are its guarantees as plain values."""

    prices: list[dict[str, Any]]
    delta: float
    queries: int
    relation: str = RELATION

    def describe(self, withheld: str = "") -> str:
        """Both epsilons in a line, with all that belongs to them; where they are `withheld`, why none may leave."""
        several = [self.best.without(withheld)] if withheld else dict.fromkeys((self.best, self.publishable))
        told = "; ".join(f"{one.claim} by {one.accountant}" for one in several)
        return f"{told}; {self.best.promise}"

    def __iter__(self) -> Iterator[Guarantee]:
        return map(Guarantee.of, self.prices)

    @property
    def best(self) -> Guarantee:
        """The smallest epsilon that holds: the owner's."""
        return min((one for one in self if one.valid), key=lambda one: one.epsilon)

    @property
    def publishable(self) -> Guarantee:
        """The smallest epsilon that may leave."""
        return min((one for one in self if one.publishable), key=lambda one: one.epsilon)


@dataclass(frozen=True)
class Plan(Artifact):
    """How many queries a target epsilon buys; `on_votes` if private votes were looked at to tell."""

    target_epsilon: float | None = None
    queries: int | None = None
    on_votes: bool = False


def relation(group_by: str | None) -> str:
    """What one data set and its neighbour differ in."""
    return str(Relation(group=group_by))
