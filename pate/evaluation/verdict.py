"""The answer to the question people come with, in a sentence: which method, and at which kind of epsilon.

A difference counts where it is larger than twice its standard error and an exact sign test agrees. Two kinds of
guarantee, two epsilons or two neighbouring relations are never compared without saying so.
"""

from __future__ import annotations

from dataclasses import dataclass

from pate.accounting.guarantee import Guarantee
from pate.evaluation.results import WORST_CASE, MethodResult, Results

NOTHING_PRIVATE = "nothing private is part of this run: there is nothing to compare its bound with"
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
    others = sorted((one for one in scored[1:] if one.ahead), key=lambda one: one.compared_at != WORST_CASE)
    for theirs in others:
        fair = theirs.compared_at == WORST_CASE
        mine, other = Claim(ours, ours.worst_case if fair else ours.best), Claim(theirs, theirs.best)
        beside = _side_by_side(mine, other)
        if not headline:
            headline = f"On {found.data}, {_better(ours, theirs)}{_unlike(mine, other)}."
            sentences.append(f"Worst case against worst case: {beside}." if fair else f"{beside}.")
        elif ours.best and ours.best.data_dependent:
            cost = f"At what {ours.short} cost on this very data set"
            sentences.append(f"{cost}: {beside}; {_better(ours, theirs)}.")
    if not headline:
        learner = f"{ours.short}'s student" if ours.from_labels else ours.short
        headline = f"On {found.data}, {learner} is right on {ours.accuracy:.1%} of the test inputs."
        sentences.append(f"{Claim(ours, ours.best)}.")
    for bound in (one for one in found.scored if not one.private):
        sentences.append(f"Without privacy the same student reaches {bound.accuracy:.1%}.")
    return Verdict(headline, tuple(sentences))


def _better(ours: MethodResult, theirs: MethodResult) -> str:
    """Who is ahead on the same test inputs; `ahead` is our lead over theirs, its error, and the sign test's."""
    lead, error, chance = theirs.ahead or (0.0, 0.0, 1.0)
    if abs(lead) <= _SURE * error or chance > _CHANCE:
        return f"{ours.short} and {theirs.short} cannot be told apart"
    return f"{(ours if lead > 0 else theirs).short} is the better model"


def _unlike(ours: Claim, theirs: Claim) -> str:
    """What is not the same on both sides, for the headline."""
    mine, other = ours.guarantee, theirs.guarantee
    if mine is None or other is None:
        return ", at an epsilon that is not known"
    if mine.data_dependent != other.data_dependent:
        return ", at epsilons of different kinds"
    if not _near(mine, other):
        return ", at different epsilons"
    if mine.relation != other.relation:
        return ", for different neighbours"
    return " at the epsilon that may be published" if mine.publishable else " at the same worst-case epsilon"


def _near(one: Guarantee, other: Guarantee) -> bool:
    return abs(one.epsilon - other.epsilon) <= _NEAR * max(one.epsilon, other.epsilon)


def _side_by_side(ours: Claim, theirs: Claim) -> str:
    lead, error, _ = theirs.method.ahead or (0.0, 0.0, 1.0)
    first = str(ours)
    if ours.guarantee and theirs.guarantee and ours.guarantee.promise == theirs.guarantee.promise:
        first = f"{ours.score} at {ours.guarantee.claim}"  # the promise is said once, for both
    gap = f"a difference of {abs(lead) * 100:.1f} ± {error * 100:.1f} points"
    return f"{first}; {theirs}; {gap} on the test inputs"
