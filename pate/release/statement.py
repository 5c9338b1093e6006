"""The promise that goes out with a model: what its card says about privacy, and nothing computed from private data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pate.accounting.ladder import independent
from pate.accounting.price import RELATION
from pate.aggregation.aggregator import Aggregator
from pate.dpsgd.accountant import Spent
from pate.errors import PateError


@dataclass(frozen=True)
class Promise:
    """An (epsilon, delta) that holds for every data set, and what belongs to it.

    `epsilon` is None where it is not known: then the card says so, and promises nothing. `exact_noise` is false where
    noise was drawn in floating point. `account` is what all releases from the same data come to, by name, if known.
    """

    method: Literal["PATE", "DP-SGD"]
    data: str
    mechanism: str
    epsilon: float | None = None
    epsilon_replace_one: float | None = None
    delta: float | None = None
    relation: str = RELATION
    accountant: str = ""
    theorem: str = ""
    queries: int | None = None
    teachers: int | None = None
    adaptive: bool = False
    exact_noise: bool = True
    account: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        if (self.epsilon is None) != (self.delta is None):
            raise ValueError("an epsilon goes with its delta")
        if self.epsilon is not None and not (math.isfinite(self.epsilon) and self.accountant and self.theorem):
            raise ValueError("an epsilon is a finite number, and stands with its accountant and theorem")

    @classmethod
    def of_votes(
        cls,
        aggregator: Aggregator,
        queries: int,
        teachers: int | None,
        delta: float,
        *,
        data: str,
        relation: str = RELATION,
        adaptive: bool = False,
        account: Mapping[str, str] | None = None,
    ) -> Promise:
        """The least price of so many answers that holds for every data set: no vote is looked at.

        It is the same under replace-one, because a record moves one vote either way; not for groups, whose name says
        which teacher they go to: another person in their place changes two. Where the number of teachers is not known,
        those that need it are left out.
        """
        prices = list(independent(aggregator, queries, teachers or None, delta))
        if not prices:
            raise PateError(f"{aggregator.describe()}: no price is known without the number of teachers")
        best = min(prices, key=lambda price: price.epsilon)
        return cls(
            method="PATE",
            data=data,
            mechanism=aggregator.describe(),
            epsilon=best.epsilon,
            epsilon_replace_one=best.epsilon if relation == RELATION else None,
            delta=delta,
            relation=relation,
            accountant=best.accountant,
            theorem=best.theorem,
            queries=queries,
            teachers=teachers,
            adaptive=adaptive,
            exact_noise=aggregator.exact_noise,
            account=account,
        )

    @classmethod
    def of_gradients(cls, spent: Spent, *, data: str, account: Mapping[str, str] | None = None) -> Promise:
        """What a training paid, by a plan that was fixed before its first step."""
        mechanism = (
            f"DP-SGD, {spent.steps} sums of clipped gradients with Gaussian (floating-point) noise of multiplier "
            f"{spent.noise_multiplier:.4g}, each over records drawn on their own with probability "
            f"{spent.sampling_rate:.4g}"
        )
        if spent.pca_noise is not None:
            mechanism += f"; before them, second moments of all records with noise of multiplier {spent.pca_noise:.4g}"
        return cls(
            method="DP-SGD",
            data=data,
            mechanism=mechanism,
            epsilon=spent.epsilon,
            epsilon_replace_one=spent.epsilon_replace_one,
            delta=spent.delta,
            accountant="privacy loss distribution of Poisson-sampled Gaussians",
            theorem="Doroshenko et al. 2022 (dp_accounting, rounded pessimistically)",
            exact_noise=False,
            account=account,
        )
