"""The answer to the question people come with, in a sentence: PATE or DP-SGD, and at which kind of epsilon.

A difference counts where it is larger than twice its standard error and an exact sign test agrees. Two kinds of
guarantee, two epsilons or two neighbouring relations are never compared without saying so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from pate.accounting.price import shown
from pate.release.withheld import withheld

_SURE = 2.0  # standard errors
_CHANCE = 0.05  # of so uneven a split of the inputs on which just one of two models is right
_NEAR = 0.01  # relative: a noise multiplier is calibrated to less


@dataclass(frozen=True)
class Verdict:
    headline: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Claim:
    """A method's score with one of its epsilons, and all that belongs to it."""

    method: str
    accuracy: float
    epsilon: float | None
    guarantee: str | None
    publishable: bool
    delta: float | None
    relation: str | None
    withheld: str = ""  # why no epsilon of the run may be published

    def __str__(self) -> str:
        score = f"{self.method} {self.accuracy:.1%}"
        if self.epsilon is None or self.delta is None:
            return f"{score} at an epsilon that is not known here"
        use = "publishable" if self.publishable else self.withheld or "not publishable"
        return f"{score} at epsilon {shown(self.epsilon)} for {self.guarantee} ({use}), {self.promise}"

    @property
    def promise(self) -> str:
        return f"delta {self.delta:g}, {self.relation}"


def verdict(found: dict[str, Any]) -> Verdict:
    """Of one run's results, or of what is left of them for the public."""
    why = withheld(found.get("notes", ()))
    methods = {row["name"]: row | {"withheld": why} for row in found["methods"] if row["accuracy"] is not None}
    data, pate = found["config"]["dataset"]["name"], methods.get("pate")
    if pate is None:
        return _alone(data, methods)
    ours, sentences, headline = _claim(pate), [], ""
    if fair := _compared(methods.get("dpsgd_publishable")):
        worst = replace(ours, epsilon=_worst(found), guarantee="every data set", publishable=_leaves(pate))
        headline = f"On {data}, {_better(fair)}{_unlike(worst, _claim(fair))}."
        sentences.append(f"Worst case against worst case: {_side_by_side(worst, fair)}.")
    if near := _compared(methods.get("dpsgd")):
        if not headline:
            headline = f"On {data}, {_better(near)}{_unlike(ours, _claim(near))}."
            sentences.append(f"{_side_by_side(ours, near)}.")
        elif ours.guarantee == "this data set":
            sentences.append(f"At what PATE cost on this very data set: {_side_by_side(ours, near)}; {_better(near)}.")
    if not headline:
        headline, sentences = (
            f"On {data}, PATE's student is right on {ours.accuracy:.1%} of the test inputs.",
            [f"{ours}."],
        )
    if bound := methods.get("nonprivate"):
        sentences.append(f"Without privacy the same student reaches {bound['accuracy']:.1%}.")
    return Verdict(headline, tuple(sentences))


def _alone(data: str, methods: dict[str, Any]) -> Verdict:
    row = methods.get("dpsgd")
    if row is None:
        return Verdict(f"{data}: nothing was scored.", ("No test input of known label was at hand.",))
    return Verdict(f"On {data}, DP-SGD is right on {row['accuracy']:.1%} of the test inputs.", (f"{_claim(row)}.",))


def _compared(row: dict[str, Any] | None) -> dict[str, Any] | None:
    return row if row is not None and row["ahead"] else None


def _claim(row: dict[str, Any]) -> Claim:
    method = "PATE" if row["name"] == "pate" else "DP-SGD"
    leaves = _leaves(row) and row["epsilon_publishable"] == row["epsilon"]
    told = (row["accuracy"], row["epsilon"], row["guarantee"], leaves, row["delta"], row["relation"])
    return Claim(method, *told, row["withheld"])


def _leaves(row: dict[str, Any]) -> bool:
    return row["epsilon_publishable"] is not None


def _worst(found: dict[str, Any]) -> float | None:
    """PATE's least epsilon for every data set, whether or not seeded noise keeps it from being published."""
    known = [one["epsilon"] for one in found["pate"]["accountants"] if one["guarantee"] == "every data set"]
    return min(known, default=None)


def _better(row: dict[str, Any]) -> str:
    """Who is ahead on the same test inputs; `ahead` is PATE's lead over this row, its error, and the sign test's."""
    lead, error, chance = row["ahead"]
    if abs(lead) <= _SURE * error or chance > _CHANCE:
        return "PATE and DP-SGD cannot be told apart"
    return "PATE is the better model" if lead > 0 else "DP-SGD is the better model"


def _unlike(ours: Claim, theirs: Claim) -> str:
    """What is not the same on both sides, for the headline."""
    if ours.epsilon is None or theirs.epsilon is None:
        return ", at an epsilon that is not known"
    if ours.guarantee != theirs.guarantee:
        return ", at epsilons of different kinds"
    if abs(ours.epsilon - theirs.epsilon) > _NEAR * max(ours.epsilon, theirs.epsilon):
        return ", at different epsilons"
    if ours.relation != theirs.relation:
        return ", for different neighbours"
    return " at the epsilon that may be published" if ours.publishable else " at the same worst-case epsilon"


def _side_by_side(ours: Claim, row: dict[str, Any]) -> str:
    lead, error, _ = row["ahead"]
    theirs, first = _claim(row), str(ours)
    if ours.delta is not None and ours.promise == theirs.promise:
        first = first.removesuffix(f", {ours.promise}")  # said once, for both
    gap = f"a difference of {abs(lead) * 100:.1f} ± {error * 100:.1f} points"
    return f"{first}; {theirs}; {gap} on the test inputs"
