"""The one thing that crosses: all answers added up, with noise. Everything after it is post-processing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pate.accounting.costs import relation
from pate.accounting.filter import Cost
from pate.accounting.guarantee import Adjacency, Guarantee, Relation
from pate.data.budgets import Budgets
from pate.ledger.ledger import Release
from pate.noise import Noise
from pate.workspace.artifact import Artifact


@dataclass(frozen=True)
class Plan(ABC):
    """What will be drawn, and at what price: of no private record. `group` is the column whose groups are the
    unit of privacy; without one a record is."""

    delta: float
    group: str | None

    @abstractmethod
    def guarantees(self) -> tuple[Guarantee, Guarantee]:
        """Zero-out, replace-one."""

    @abstractmethod
    def cost(self) -> Cost:
        """As the ledger adds it up."""

    @abstractmethod
    def describe(self) -> str:
        """The mechanism in words."""

    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """What decides the price."""

    @abstractmethod
    def floor(self, records: int, classes: int) -> float:
        """The mean square of a direction's noise in the mean over records, over that of an answer: what a direction
        has to hold for being heard."""

    @abstractmethod
    def added_up(
        self,
        phi: np.ndarray,
        y: np.ndarray,
        classes: int,
        group: np.ndarray | None,
        before: np.ndarray | None = None,
        share: np.ndarray | None = None,
    ) -> np.ndarray:
        """The sum of all answers (components x classes), in whole steps: nobody moves it by more than is paid for. With
        weights released `before`, the sum of what these leave unsaid. `share` is what each record gives of its answer,
        where they have budgets of their own."""

    @abstractmethod
    def draw(self, total: np.ndarray, noise: Noise) -> np.ndarray:
        """The sum with noise on every entry."""

    @abstractmethod
    def scale(self, classes: int, number: int = 0) -> tuple[float, float]:
        """A step of this release, and the deviation of an entry's noise, both in answers."""

    def keeping(self, budgets: Budgets) -> Plan:
        """The same, in which nobody pays more than a cell of the record allows; a ValueError where no plan can."""
        raise ValueError("budget_by: budgets of one's own are for consensus=kernel and consensus=graph")

    def shares(self, allowed: np.ndarray) -> np.ndarray:
        """How much of its answer each record gives that allows these epsilons."""
        raise TypeError(f"{type(self).__name__} keeps no budgets")

    def levels(self) -> list[tuple[str, Guarantee]]:
        """What a record is promised that allows less, by what stands in its cell; zero-out."""
        return []

    @property
    def releases(self) -> int:
        """How many sums there are: all at one price."""
        return 1

    def in_releases(self, count: int) -> Plan:
        """The same price for so many sums, one after the other."""
        if count != 1:
            raise ValueError(f"releases must be 1 here, got {count}")
        return self

    @property
    def exact_noise(self) -> bool:
        """Whether noise is drawn without rounding; floating-point noise is not for a release (Mironov 2012)."""
        return True

    def release(self, components: int) -> Release:
        spent = self.cost()
        return Release(
            kind="consensus",
            mechanism=self.describe(),
            parameters=self.parameters() | {"components": components},
            relation=relation(self.group),
            cost=spent,
            dependent=[list(spent.rdp)] * 2,
        )


@dataclass(frozen=True)
class NoisySum(Artifact):
    """What was released: noisy sums, each in steps of its `unit` answers, of so many `records`; `noise` is an entry's
    deviation in answers, `before` are the weights beyond which each sum speaks (nothing, for the first), and `price`
    holds both guarantees of all as they were when they were drawn."""

    total: np.ndarray  # (releases, components, classes)
    before: np.ndarray  # likewise
    records: int
    unit: list[float]
    noise: list[float]
    price: list[dict[str, Any]]
    parameters: dict[str, Any]
    mechanism: str
    exact_noise: bool = True
    seeded: bool = False
    levels: list[dict[str, Any]] = field(default_factory=list)  # of budgets: a cell, and what its record is promised

    @classmethod
    def of(
        cls, total: Sequence[np.ndarray], before: Sequence[np.ndarray], records: int, plan: Plan, seeded: bool
    ) -> NoisySum:
        scales = [plan.scale(one.shape[1], number) for number, one in enumerate(total)]
        unit, noise = ([scale[side] for scale in scales] for side in (0, 1))
        price = [one.plain() for one in plan.guarantees()]
        told = (plan.parameters(), plan.describe(), plan.exact_noise)
        levels = [{"where": where, "price": one.plain()} for where, one in plan.levels()]
        return cls(np.stack(total), np.stack(before), records, unit, noise, price, *told, seeded, levels)

    @classmethod
    def of_one(cls, total: np.ndarray, records: int, plan: Plan, seeded: bool) -> NoisySum:
        return cls.of([total], [np.zeros(total.shape)], records, plan, seeded)

    def check(self) -> None:
        numbers = (self.total, self.before)
        if any(one.ndim != 3 or one.dtype.kind not in "if" or not np.isfinite(one).all() for one in numbers):
            raise ValueError("noisy sums are tables of numbers, components x classes")
        if not len(self.total) == len(self.unit) == len(self.noise) > 0 or self.total.shape != self.before.shape:
            raise ValueError("each noisy sum has its step, its noise and what was said before")
        if self.records < 1 or not min(self.unit) > 0 or not min(self.noise) > 0:
            raise ValueError("a noisy sum is of records, in steps, with noise")
        self.guarantees()
        self.of_levels()

    @property
    def classes(self) -> int:
        return int(self.total.shape[2])

    @property
    def answers(self) -> np.ndarray:
        """The sums in answers."""
        return np.asarray(self.total * np.array(self.unit)[:, None, None])

    def guarantees(self) -> tuple[Guarantee, Guarantee]:
        """Zero-out, replace-one."""
        out, other = map(Guarantee.of, self.price)
        if (out.relation.adjacency, other.relation.adjacency) != (Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE):
            raise ValueError("a noisy sum is priced under both relations")
        return out, other

    def of_levels(self) -> list[tuple[str, Guarantee]]:
        """What a record is promised that allows less, by what stands in its cell; zero-out."""
        if not all(isinstance(one.get("where"), str) and isinstance(one.get("price"), dict) for one in self.levels):
            raise ValueError("a level of budgets is a cell and its price")
        return [(one["where"], Guarantee.of(one["price"])) for one in self.levels]

    def details(self) -> dict[str, float | None]:
        """For the results: what decided its price."""
        numbers = {name: float(one) for name, one in self.parameters.items() if isinstance(one, int | float)}
        own = {f"epsilon where {where}": one.epsilon for where, one in self.of_levels()}
        return {
            "epsilon_replace_one": self.guarantees()[1].epsilon,
            **own,
            **numbers,
            "components": self.total.shape[1],
        }


def under_both(group: str | None) -> tuple[Relation, Relation]:
    """Zero-out and replace-one, of a record or of all of a group's."""
    return Relation(Adjacency.ZERO_OUT, group), Relation(Adjacency.REPLACE_ONE, group)
