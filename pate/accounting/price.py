"""A price: an epsilon that is never without its delta, its relation, and whom it may be shown to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pate.accounting.guarantee import ZERO_OUT, Guarantee, HoldsFor, Relation, shown
from pate.workspace.artifact import Artifact

# Replaced by nothing or by another record, it moves one vote, so PATE costs the same under both. Not so for groups:
# which teacher they go to is told by their name, and one person in the place of another changes two teachers.
RELATION = str(ZERO_OUT)
THIS: HoldsFor = "this data set"
EVERY: HoldsFor = "every data set"


@dataclass(frozen=True)
class Price:
    """What one accountant says k answers cost at the delta of its `Costs`.

    A price for this data set is a function of the private votes: for the owner's eyes, and only for queries fixed in
    advance (adaptive queries get prices that hold for every data set). `valid` is false for bounds shown as published
    that do not hold in both directions.
    """

    accountant: str
    epsilon: float
    guarantee: HoldsFor
    theorem: str
    valid: bool = True

    @property
    def assumes_fixed_queries(self) -> bool:
        return self.guarantee == "this data set"

    @property
    def publishable(self) -> bool:
        return self.valid and self.guarantee == "every data set"


def one_direction(name: str, as_published: float, best: float, theorem: str) -> list[Price]:
    """A paper's data-dependent bound of D || D' alone, as it is there and by all orders: shown, never claimed."""
    said = f"{theorem}, as published, one direction only"
    better = f"{theorem}, all orders, closed-form conversion, one direction only"
    return [
        Price(name, as_published, THIS, said, valid=False),
        Price(f"{name}_optimal", best, THIS, better, valid=False),
    ]


@dataclass(frozen=True)
class Costs(Artifact):
    """The whole ladder for one set of answers."""

    prices: list[dict[str, Any]]
    delta: float
    queries: int
    relation: str = RELATION

    def describe(self, withheld: str = "") -> str:
        """Both epsilons in a line, with all that belongs to them; where they are `withheld`, why none may leave."""
        best, public = self.best, self.publishable
        leaves = withheld or f"publishable {shown(public.epsilon)} ({public.accountant})"
        return (
            f"epsilon {shown(best.epsilon)} ({best.accountant}, {best.holds_for}), {leaves}; "
            f"delta {self.delta:g}, {self.relation}"
        )

    def __iter__(self) -> Iterator[Guarantee]:
        relation = Relation.of(self.relation)
        for price in self.prices:
            dependent = price["guarantee"] == "this data set"
            promise = (price["epsilon"], self.delta, relation, dependent)
            yield Guarantee(*promise, price["accountant"], price["theorem"], price["valid"])

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
