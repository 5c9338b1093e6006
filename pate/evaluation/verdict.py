"""The answer to the question people come with, in three sentences: which method, what may be published, what next.

A difference counts where it is larger than twice its standard error and its chance is at most 5%. No model is called
the better one at another epsilon, delta or neighbouring relation, and none at another kind of guarantee without saying
so. What the epsilons promise stands in one line below, once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from pate.accounting.guarantee import Guarantee
from pate.data.labels import CLASSES_FROM_PRIVATE
from pate.evaluation.again import releasing
from pate.evaluation.leads import Lead
from pate.evaluation.measure import ACCURACY, Measure
from pate.evaluation.results import MethodResult, Results
from pate.noise import SEEDED
from pate.release.withheld import withheld

NOTHING_PRIVATE = "No private method is part of this run: there is nothing to compare its bound with."
CHOOSING = "no epsilon covers choosing a method by its score on private test data"
_SURE = 2.0  # standard errors
_CHANCE = 0.05  # of a difference as large, were there none
_NEAR = 0.01  # relative: a noise multiplier is calibrated to less


@dataclass(frozen=True)
class Verdict:
    """`headline` is the first sentence; `precise` says what its epsilons promise, and `command` what to type next."""

    headline: str
    sentences: tuple[str, ...]
    precise: str = ""
    command: str = ""


@dataclass(frozen=True)
class Claim:
    """A method's score with one of its guarantees, if any is known."""

    method: MethodResult
    guarantee: Guarantee | None


def verdict(found: Results, folder: Path | None = None) -> Verdict:
    """Of the results of a run in this folder, or of what is left of them for the public, who have no folder."""
    measure = _known_measure(found)
    scored = [one for one in found.scored if one.private and one.metrics.get(measure.name) is not None]
    if not scored and found.scored:
        bound = found.scored[0]
        headline = f"On {found.data}, a model {bound.short} has {_article(measure)} of {_score(bound, measure)}."
        return Verdict(headline, (NOTHING_PRIVATE,))
    if not scored:
        return Verdict(f"{found.data}: nothing was scored.", ("No test input of known label was at hand.",))
    pair = _chosen(scored, measure)
    if pair:
        first, claims = pair.told, [pair.one, pair.other]
    else:
        first, claims = _alone(scored[0], measure), [Claim(scored[0], scored[0].best)]
    leaders = [scored[0]] if pair is None else [pair.better] if pair.better else pair.best_first
    less = _for_less(scored, pair, measure) if pair else None
    if less and less.guarantee:
        first += (
            f"; {less.method.short} has {_score(less.method, measure)} at a smaller epsilon, {less.guarantee.shown}"
        )
        claims = [*claims, less]
    headline = f"On {found.data}, {first}{_beside(found, measure, leaders)}."
    leaving = [Claim(one, one.publishable) for one in scored if one.publishable]
    shipped = max(leaving, key=lambda one: _oriented(one.method, measure), default=None)
    tempted = len(scored) > 1 and not found.test_public
    coming, command = _next(found, folder, shipped.method if shipped else leaders[0], tempted)
    sentences = filter(None, (_published(found, scored, leaving), coming))
    return Verdict(headline, tuple(sentences), _precise([*claims, *leaving]), command)


@dataclass(frozen=True)
class Pair:
    """Two methods side by side, each with one of its guarantees; `lead` is the first one's on the same test inputs."""

    one: Claim
    other: Claim
    measure: Measure = field(default=ACCURACY)

    @property
    def lead(self) -> Lead | None:
        return self.one.method.leads.get(self.other.method.name, {}).get(self.measure.name)

    @property
    def known(self) -> tuple[Guarantee, Guarantee] | None:
        mine, other = self.one.guarantee, self.other.guarantee
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
    def publishable(self) -> bool:
        return bool(self.known and self.known[0].publishable and self.known[1].publishable)

    @property
    def rank(self) -> tuple[bool, bool, bool, bool, float, float]:
        """Which pair is spoken of: what may be published at the same epsilon before anything else, and among the alike
        the best two; a method is held against another one, and not against itself at another epsilon."""
        best = sorted(-_oriented(one.method, self.measure) for one in (self.one, self.other))
        same = self.one.method.short == self.other.method.short
        return not self.fair, not self.near, not self.publishable, same, best[0], best[1]

    @property
    def better(self) -> MethodResult | None:
        """The one of which that can be said."""
        lead = self.lead
        if not self.near or lead is None or lead.error is None or lead.chance is None:
            return None
        if abs(lead.by) <= _SURE * lead.error or lead.chance > _CHANCE:
            return None
        return (self.one if lead.by > 0 else self.other).method

    @property
    def best_first(self) -> list[MethodResult]:
        return sorted((self.one.method, self.other.method), key=lambda one: -_oriented(one, self.measure))

    @property
    def told(self) -> str:
        """Who is better, by how much, whether that is more than chance; or why that cannot be said."""
        (one, other), measure = self.best_first, self.measure
        both = f"{one.short} ({_score(one, measure)}) and {other.short} ({_score(other, measure)})"
        if not self.near:
            return f"{both} are compared {self.terms}, so neither is called the better model by {measure.title}"
        lead = self.lead
        apart = measure.points(lead.by, lead.error) if lead else "not known"
        if better := self.better:
            least = other if better is one else one
            way = "above" if measure.sign > 0 else "below"
            return (
                f"{better.short} is the better model {self.terms}: its {measure.title} is {_score(better, measure)}, "
                f"{apart} {way} {least.short}'s, which is more than chance"
            )
        return f"{both} cannot be told apart by {measure.title} {self.terms}: their difference, {apart}, may be chance"

    @property
    def terms(self) -> str:
        """What is the same on both sides, or what is not."""
        if self.known is None:
            return "at an epsilon that is not known"
        mine, other = self.known
        if mine.relation != other.relation:
            return "for different neighbours"
        if mine.delta != other.delta:
            return "at different deltas"
        if not self.near:
            return "at different epsilons"
        if mine.data_dependent != other.data_dependent:
            return "at epsilons of different kinds"
        if mine.data_dependent:
            return "at the same epsilon for this data set"
        return "at the epsilon that may be published" if self.publishable else "at the same worst-case epsilon"


def _chosen(scored: Sequence[MethodResult], measure: Measure) -> Pair | None:
    """The two to speak of, each with the guarantee that is nearest to what the other promises; None of one alone."""
    pairs = [
        Pair(Claim(one, mine), Claim(other, theirs), measure)
        for one, other in combinations(scored, 2)
        for mine in _guarantees(one)
        for theirs in _guarantees(other)
    ]
    return min(pairs, key=lambda pair: pair.rank, default=None)


def _for_less(scored: Sequence[MethodResult], pair: Pair, measure: Measure) -> Claim | None:
    """Of the others the best that has as high a score as both at a smaller epsilon of the same kind: lest who is better
    at one epsilon is taken for the best there is."""
    known, bar = pair.known, _oriented(pair.best_first[0], measure)
    if not known or not pair.fair:
        return None
    others = (one for one in scored if one.short not in (pair.one.method.short, pair.other.method.short))
    claims = [Claim(one, mine) for one in others for mine in _guarantees(one) if mine and _less(mine, known[0])]
    return max(
        (one for one in claims if _oriented(one.method, measure) >= bar),
        key=lambda one: (_oriented(one.method, measure), -one.guarantee.epsilon if one.guarantee else 0.0),
        default=None,
    )


def _guarantees(one: MethodResult) -> list[Guarantee | None]:
    return list(dict.fromkeys(filter(None, (one.publishable, one.worst_case, one.best)))) or [None]


def _known_measure(found: Results) -> Measure:
    """Where no method has a score by it, as by recall of a class the test set lacks, accuracy."""
    known = any(row.metrics.get(found.measure.name) is not None for row in found.scored)
    return found.measure if known else ACCURACY


def _alone(one: MethodResult, measure: Measure) -> str:
    learner = f"{one.short}'s student" if one.from_labels else one.short
    return f"{learner} has {_article(measure)} of {_score(one, measure)} on the test inputs"


def _beside(found: Results, measure: Measure, leaders: Sequence[MethodResult]) -> str:
    """What it is worth: beside no privacy, and beside no learning where it does not clearly beat that."""
    told = ""
    bound = next((one for one in found.scored if not one.private), None)
    if bound and bound.metrics.get(measure.name) is not None:
        less = any(_oriented(one, measure) > _oriented(bound, measure) for one in leaders)
        who = "without privacy a model" if not less else "the student without privacy, no bound for other models,"
        told += f"; {who} has {_score(bound, measure)}"
    always = found.baseline
    if always and not any(beats(always.leads.get(one.name, {}).get(measure.name)) for one in leaders):
        who = "it is" if len(leaders) == 1 else "neither is"
        worth = f"clearly better than always answering {always.answer}"
        score = measure.shown(always.metrics.get(measure.name))
        told += f"; but {who}{' not' * (len(leaders) == 1)} {worth} ({score})"
    return told


def beats(lead: Lead | None) -> bool:
    """Whether a difference is larger than twice its standard error, and too large for chance."""
    if lead is None or lead.error is None or lead.chance is None:
        return False
    return lead.by > _SURE * lead.error and lead.chance <= _CHANCE


def _published(found: Results, scored: Sequence[MethodResult], leaving: Sequence[Claim]) -> str:
    """Which models may leave, at which epsilon."""
    if not leaving and all(one.kept for one in scored) and not withheld(found.notes):
        return "Nothing of this run was released, and nothing was spent."
    if not leaving:
        kept = dict.fromkeys(one.worst_case.use for one in scored if one.worst_case)
        why = withheld(found.notes) or "; ".join(kept) or "what it cost is not known here"
        return f"Nothing of this run may be published: {why}."
    named = [f"{one.method.short} at epsilon {one.guarantee.shown}" for one in leaving if one.guarantee]
    others = len(scored) - len(leaving)
    stay = f"; the other {'models stay' if others > 1 else 'model stays'} with you" * (others > 0)
    return f"What may be published: {_listed(named)}{stay}."


def _next(found: Results, folder: Path | None, best: MethodResult, tempted: bool) -> tuple[str, str]:
    """What to do, with what the scores must not tempt to; and the command, where nobody else is reading."""
    choosing = f"; {CHOOSING}" * tempted
    if folder is None:
        return (f"{CHOOSING[0].upper()}{CHOOSING[1:]}." if tempted else ""), ""
    if command := releasing(found, folder, best.name):
        if SEEDED in found.notes:
            told = f"The command below draws once more without the seed, which is paid for, and ships {best.short}"
        elif best.kept:
            told = f"The command below draws {best.short} once more, which is paid for, and ships it"
        else:
            told = f"The command below ships {best.short}"
        return f"{told}{choosing}.", command
    if any(CLASSES_FROM_PRIVATE in note for note in found.notes):
        told = "Next, declare every class there can be in dataset.classes, from what is known without private labels"
        return f"{told}{choosing}.", ""
    return f"Next, name the method to ship in release.method=, with an epsilon of its own{choosing}.", ""


def _precise(claims: Sequence[Claim]) -> str:
    """Every epsilon spoken of with all that belongs to it; what is the same for all of them once."""
    several = list(dict.fromkeys((one.method.title, one.guarantee) for one in claims if one.guarantee))
    if len({one.promise for _, one in several}) > 1:
        return "; ".join(f"{title}: {one}" for title, one in several)
    told = [f"{title}: {one.claim}" for title, one in several]
    return "; ".join([*told, *dict.fromkeys(one.promise for _, one in several)])


def _score(one: MethodResult, measure: Measure) -> str:
    return measure.shown(one.metrics.get(measure.name))


def _oriented(one: MethodResult, measure: Measure) -> float:
    return measure.sign * (one.metrics.get(measure.name) or 0.0)


def _article(measure: Measure) -> str:
    return f"{'an' if measure.title[0].lower() in 'aeiou' else 'a'} {measure.title}"


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def _less(one: Guarantee, other: Guarantee) -> bool:
    same = one.promise == other.promise and one.data_dependent == other.data_dependent
    return same and one.epsilon < other.epsilon * (1 - _NEAR)


def _near(one: Guarantee, other: Guarantee) -> bool:
    return one.promise == other.promise and abs(one.epsilon - other.epsilon) <= _NEAR * max(one.epsilon, other.epsilon)
