"""The answer to the question people come with, in a sentence: which method, and at which kind of epsilon.

A difference counts where it is larger than twice its standard error and an exact sign test agrees. No model is called
the better one at another epsilon, delta or neighbouring relation, and none at another kind of guarantee without saying
so.
"""

from __future__ import annotations

from dataclasses import dataclass

from pate.accounting.guarantee import Guarantee
from pate.evaluation.results import MethodResult, Results

NOTHING_PRIVATE = "no private method is part of this run: there is nothing to compare its bound with"
_SURE = 2.0  # standard errors
_CHANCE = 0.05  # of so uneven a split of the inputs on which just one of two models is right
_NEAR = 0.01  # relative: a noise multiplier is calibrated to less


@dataclass(frozen=True)
class Verdict:
    headline: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Claim:
    """A method's score with one of its guarantees, if any is known."""

    method: MethodResult
    guarantee: Guarantee | None

    def __str__(self) -> str:
        return f"{self.score} at {self.guarantee or 'an epsilon that is not known here'}"

    @property
    def score(self) -> str:
        return f"{self.method.short} {self.method.accuracy:.1%}"


def verdict(found: Results) -> Verdict:
    """Of one run's results, or of what is left of them for the public: the first method against each other one."""
    scored = [one for one in found.scored if one.private]
    if not scored and found.scored:
        bound = found.scored[0]
        headline = f"On {found.data}, {bound.accuracy:.1%} of the test inputs are answered right {bound.short}."
        return Verdict(headline, (f"{NOTHING_PRIVATE.capitalize()}.",))
    if not scored:
        return Verdict(f"{found.data}: nothing was scored.", ("No test input of known label was at hand.",))
    ours, headline, sentences = scored[0], "", []
    pairs = sorted((_pair(ours, one) for one in scored[1:] if one.ahead), key=lambda pair: pair.unlikeness)
    for pair in pairs:
        if not headline:
            headline = f"On {found.data}, {pair.told}{pair.terms}."
            sentences.append(f"Worst case against worst case: {pair}." if pair.fair else f"{pair}.")
        elif pair.fair:
            sentences.append(f"Worst case against worst case: {pair}; {pair.told}.")
        elif pair.near:
            sentences.append(f"At what {ours.short} cost on this very data set: {pair}; {pair.told}.")
        else:
            sentences.append(f"Not compared,{pair.terms.removeprefix(',')}: {pair}.")
    if not headline:
        learner = f"{ours.short}'s student" if ours.from_labels else ours.short
        headline = f"On {found.data}, {learner} is right on {ours.accuracy:.1%} of the test inputs."
        sentences.append(f"{Claim(ours, ours.best)}.")
    for bound in (one for one in found.scored if not one.private):
        sentences.append(f"Without privacy the same student reaches {bound.accuracy:.1%}.")
    return Verdict(headline, tuple(sentences))


@dataclass(frozen=True)
class Pair:
    """Two methods side by side, each with one of its guarantees; `theirs.method.ahead` is our lead on the same test
    inputs, its error, and the sign test's chance."""

    ours: Claim
    theirs: Claim

    @property
    def known(self) -> tuple[Guarantee, Guarantee] | None:
        mine, other = self.ours.guarantee, self.theirs.guarantee
        return (mine, other) if mine and other else None

    @property
    def near(self) -> bool:
        """Whether epsilon, delta and neighbours are the same."""
        return bool(self.known and _near(*self.known))

    @property
    def fair(self) -> bool:
        """Whether the guarantees are of one kind besides, so that the better model is the better choice."""
        return bool(self.near and self.known and self.known[0].data_dependent == self.known[1].data_dependent)

    @property
    def unlikeness(self) -> tuple[bool, bool, bool]:
        """What is compared first: what may be published, at the same epsilon."""
        return not self.fair, not self.near, not self._publishable

    @property
    def _publishable(self) -> bool:
        return bool(self.known and self.known[0].publishable and self.known[1].publishable)

    @property
    def told(self) -> str:
        """Who is better, where that can be said."""
        ours, theirs = self.ours.method, self.theirs.method
        if not self.near:
            return f"{ours.short} is right on {ours.accuracy:.1%} and {theirs.short} on {theirs.accuracy:.1%}"
        lead, error, chance = theirs.ahead or (0.0, 0.0, 1.0)
        if abs(lead) <= _SURE * error or chance > _CHANCE:
            return f"{ours.short} and {theirs.short} cannot be told apart"
        return f"{(ours if lead > 0 else theirs).short} is the better model"

    @property
    def terms(self) -> str:
        """What is the same on both sides, or what is not."""
        if self.known is None:
            return ", at an epsilon that is not known"
        mine, other = self.known
        if mine.relation != other.relation:
            return ", for different neighbours"
        if mine.data_dependent != other.data_dependent:
            return ", at epsilons of different kinds"
        if not self.near:
            return ", at different epsilons"
        return " at the epsilon that may be published" if self._publishable else " at the same worst-case epsilon"

    def __str__(self) -> str:
        lead, error, _ = self.theirs.method.ahead or (0.0, 0.0, 1.0)
        first = str(self.ours)
        if self.known and self.known[0].promise == self.known[1].promise:
            first = f"{self.ours.score} at {self.known[0].claim}"  # the promise is said once, for both
        gap = f"a difference of {abs(lead) * 100:.1f} ± {error * 100:.1f} points"
        return f"{first}; {self.theirs}; {gap} on the test inputs"


def _pair(ours: MethodResult, theirs: MethodResult) -> Pair:
    """With those of our guarantees that are nearest to what theirs promises: for every data set, or for this one."""
    theirs_best = Claim(theirs, theirs.best)
    pairs = [Pair(Claim(ours, mine), theirs_best) for mine in (ours.worst_case, ours.best)]
    return min(pairs, key=lambda pair: pair.unlikeness)


def _near(one: Guarantee, other: Guarantee) -> bool:
    return one.promise == other.promise and abs(one.epsilon - other.epsilon) <= _NEAR * max(one.epsilon, other.epsilon)
