"""Consensus: one noisy sum of all records' answers to all public inputs, instead of a noisy vote on each of them.

It is the limit of PATE in which every record is a teacher with a bounded answer. What is released once, under one
data-independent epsilon, labels the whole public pool. Relatives: reverse k-NN (Li et al. 2022), DP mean embeddings
(Harder et al. 2021), sufficient statistics (Wang 2018), public encoders (Mehta et al. 2022).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from pate.choice import Choice
from pate.consensus.answers import centred_length
from pate.consensus.basis import Basis
from pate.consensus.gaussian import GaussianPlan
from pate.consensus.noisy_sum import NoisySum, Plan
from pate.consensus.ridge import fit, shares
from pate.data.outline import Outline
from pate.errors import one_of

NOISES = ("discrete", "continuous")
STUDENTS = ("auto", "itself", "student")
_FEWEST, _A_CLASS = 16, 3  # components, however loud the noise
_MOST_RELEASES = 100


@dataclass(frozen=True)
class Consensus(Choice):
    """What is asked of every consensus; a subclass says in which basis records answer.

    `components` null: as many as stand out of the noise, told by public inputs, the number of records and epsilon.
    `releases`: sums, each of what those before leave unsaid, all at one price; null: as many as pay.
    """

    by_kind: ClassVar[str] = "student"

    epsilon: Any = 1.0  # a number, or pate
    components: int | None = None
    clip: float = 8.0
    noise: str = "discrete"
    student: str = "itself"
    releases: int | None = None

    def __post_init__(self) -> None:
        one_of("consensus.noise", self.noise, NOISES)
        one_of("consensus.student", self.student, STUDENTS)
        if isinstance(self.epsilon, int) and not isinstance(self.epsilon, bool):
            object.__setattr__(self, "epsilon", float(self.epsilon))
        if self.epsilon != "pate":
            _positive("epsilon", self.epsilon, " or pate")
        _positive("clip", self.clip)
        if self.components is not None and self.components < 1:
            raise ValueError(f"components must be at least 1, got {self.components}")
        if self.releases is not None and not 1 <= self.releases <= _MOST_RELEASES:
            raise ValueError(f"releases must lie between 1 and {_MOST_RELEASES}, got {self.releases}")

    def suited(self, outline: Outline) -> tuple[Consensus, str]:
        """Classes of grey images are clusters of public inputs, which a student of these makes more of than one
        predictor in a basis does; of photographs and rows it does not (docs/explanation/choices.md)."""
        if self.student != "auto":
            return self, ""
        grey = outline.images and outline.colours == 1
        return replace(self, student="student" if grey else "itself"), f"the run's student for {outline}" * grey

    def basis(self, features: np.ndarray, classes: int, floor: float) -> Basis:
        """Made from public features; a direction in which they hold a smaller share than `floor` is lost in noise."""
        raise TypeError(f"{type(self).__name__} makes no basis")

    def nested(self, features: np.ndarray, classes: int, floors: Sequence[float]) -> tuple[Basis, list[int]]:
        """The basis of the lowest of these floors, and how many of its components, the leading ones, each of them
        keeps."""
        if self.components is not None:
            made = self.basis(features, classes, min(floors))
            return made, [made.components] * len(floors)
        several = [self.basis(features, classes, floor) for floor in floors]
        return several[int(np.argmin(floors))], [one.components for one in several]

    def plan(self, epsilon: float, delta: float, group: str | None) -> Plan:
        """The least noise for this epsilon."""
        return GaussianPlan.least(epsilon, delta, group, self.clip, self.noise == "discrete")

    def how_often(self, components: int, inputs: int) -> int:
        """How many releases pay with so many components of so many public inputs."""
        return self.releases or 1

    def learn(self, pool: np.ndarray, drawn: NoisySum) -> Learned:
        """From the noisy sum and the public inputs in the basis."""
        length = centred_length(drawn.classes) * drawn.unit[-1] / drawn.unit[0]
        found = fit(pool, drawn.answers[-1], drawn.records, drawn.noise[-1], length)
        weights = drawn.before[-1] + found.weights
        belief = shares(pool @ weights)
        told = (
            f"{found.heard:.1f} of {len(weights)} directions stand out of the noise, "
            f"{1 - belief.max(axis=1).mean():.1%} of labels unsure"
        )
        return Learned(weights, belief, told)


@dataclass(frozen=True)
class Learned:
    """A predictor in the basis (components x classes), shares of one for every public input, and what the release
    itself says of how good they are."""

    weights: np.ndarray
    belief: np.ndarray
    told: str


def enough(held: np.ndarray, floor: float, classes: int) -> int:
    """The largest m for which the last of the m largest, as a share of all m, is at least the floor; a few a class in
    any case."""
    ranked = -np.sort(-np.asarray(held, dtype=np.float64))
    heard = int((ranked / np.maximum(np.cumsum(ranked), 1e-300) >= floor).sum())
    return min(max(heard, _FEWEST, _A_CLASS * classes), len(ranked))


def _positive(name: str, value: Any, other: str = "") -> None:
    if not isinstance(value, float | int) or isinstance(value, bool) or not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name} must be a positive number{other}, got {value}")
