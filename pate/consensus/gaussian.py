"""Answers in whole steps with Gaussian noise: the plan of a consensus in any basis of vectors of length 1.

Several sums, each of what those before leave unsaid, are T adaptive Gaussian mechanisms: with sqrt(T) times the noise
each they are together exactly as private as one (Dong, Roth & Su 2022, Corollary 3.3; for Renyi divergences, Mironov
2017, Proposition 1). Discrete noise of sqrt(T) times the deviation is T times nearer to rounded continuous noise, so
that T of them are not further from it than one was.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pate.accounting.filter import Cost
from pate.accounting.gaussian_sum import cost, far_from_rounded, guarantees, noise_for
from pate.accounting.guarantee import Guarantee, given
from pate.consensus.answers import (
    BOUND,
    centred_length,
    sum_of_groups,
    sum_of_records,
    sum_of_residuals,
)
from pate.consensus.noisy_sum import Plan
from pate.data.budgets import Budgets
from pate.noise import Noise

MOST = 1 << 20  # entries of a sum: discrete noise on as many is priced, however many there turn out to be
CUT = 0.7  # residuals are clipped to this share of an answer (docs/explanation/consensus.md: chosen on proxies)


@dataclass(frozen=True)
class GaussianPlan(Plan):
    """`sigma` is noise in bounds on a unit's answer, as if there were one release; `far` how far discrete noise is from
    rounded continuous noise (0 if it is continuous), `clip` the bound on a group's answer in answers of a record (1
    where that is the unit), `times` how many sums are released. With `budgets` a record that allows less gives a share
    of its answer: as many bounds fewer, the same noise (Boenisch et al. 2023 do so with votes)."""

    sigma: float
    far: float
    clip: float = 1.0
    times: int = 1
    budgets: Budgets | None = None

    @classmethod
    def least(cls, epsilon: float, delta: float, group: str | None, clip: float, discrete: bool) -> GaussianPlan:
        """The least noise for this epsilon. Discrete noise costs a little more than continuous noise, and how much is
        bounded with the latter's deviation, which is smaller."""
        far = far_from_rounded(noise_for(epsilon, delta) * BOUND, MOST) if discrete else 0.0
        return cls(delta, group, noise_for(epsilon, delta, far), far, clip if group else 1.0)

    @property
    def exact_noise(self) -> bool:
        return self.far > 0

    @property
    def releases(self) -> int:
        return self.times

    def in_releases(self, count: int) -> GaussianPlan:
        return replace(self, times=count)

    @property
    def each(self) -> float:
        """Noise of one release, in its own bounds."""
        return self.sigma * math.sqrt(self.times)

    def guarantees(self) -> tuple[Guarantee, Guarantee]:
        return guarantees(self.sigma, self.delta, self.far, self.group)

    def cost(self) -> Cost:
        return cost(self.sigma, self.delta, self.far)

    def keeping(self, budgets: Budgets) -> GaussianPlan:
        most = self.guarantees()[0].epsilon
        for cell, epsilon in budgets.epsilons.items():
            if epsilon > most * (1 + 1e-6):
                raise ValueError(
                    f"budgets: {cell} allows {given(epsilon)}, and nobody spends more than consensus.epsilon"
                )
        kept = replace(self, budgets=budgets)
        kept.levels()  # says if no noise fits one of them
        return kept

    def shares(self, allowed: np.ndarray) -> np.ndarray:
        levels, which = np.unique(allowed, return_inverse=True)
        return np.array([self._share(float(one)) for one in levels])[which.reshape(allowed.shape)]

    def _share(self, epsilon: float) -> float:
        """As much shorter as this epsilon asks for more noise. Lengths stay below their bound by 2^-20 of it: rounding
        of the quotient does not matter."""
        return min(self.sigma / noise_for(epsilon, self.delta, self.far), 1.0) if epsilon > 0 else 0.0

    def levels(self) -> list[tuple[str, Guarantee]]:
        if self.budgets is None:
            return []
        cells = self.budgets.epsilons.items()
        sigma = {cell: max(self.sigma, noise_for(epsilon, self.delta, self.far)) for cell, epsilon in cells}
        return [
            (f"{self.budgets.column} is {cell}", guarantees(one, self.delta, self.far, self.group)[0])
            for cell, one in sigma.items()
        ]

    def parameters(self) -> dict[str, Any]:
        found = {"sigma": self.sigma, "clip": self.clip, "discrete": self.exact_noise, "releases": self.times}
        return found | ({"budgets": {self.budgets.column: dict(self.budgets.epsilons)}} if self.budgets else {})

    def describe(self) -> str:
        unit = f"all records of one {self.group}" if self.group else "a record"
        kind = "discrete" if self.exact_noise else "continuous (floating-point)"
        what = "one sum of bounded answers" if self.times == 1 else f"{self.times} sums of bounded answers"
        softer = f", less of one where '{self.budgets.column}' allows less" if self.budgets else ""
        cut = f", cut to {self.clip:g} answers" if self.group else ""
        return f"{what}, {unit} each{cut}{softer}, with {kind} Gaussian noise of {self.each * self.clip:.4g} answers"

    def floor(self, records: int, classes: int) -> float:
        return (classes - 1) * (self.sigma * self.clip / max(records, 1)) ** 2

    def scale(self, classes: int, number: int = 0) -> tuple[float, float]:
        longest = self.clip * centred_length(classes) * (CUT if number else 1.0)
        return longest / BOUND, self.each * longest

    def added_up(
        self,
        phi: np.ndarray,
        y: np.ndarray,
        classes: int,
        group: np.ndarray | None,
        before: np.ndarray | None = None,
        share: np.ndarray | None = None,
    ) -> np.ndarray:
        if self.group is not None and group is not None:
            return sum_of_groups(phi, y, group, classes, self.clip * (1.0 if before is None else CUT), before, share)
        if before is None:
            return sum_of_records(phi, y, classes, share)
        return sum_of_residuals(phi, y, classes, before, CUT, share)

    def draw(self, total: np.ndarray, noise: Noise) -> np.ndarray:
        deviation = self.each * BOUND
        drawn = noise.discrete_gaussian if self.exact_noise else noise.gaussian
        return np.asarray(total + drawn(total.shape, deviation))
