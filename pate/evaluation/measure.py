"""The measure: the metric by which a run says which model is better, and why that one.

Accuracy, unless one class holds more than 60%: then always answering that class looks good by accuracy and finds nobody
of the others, and balanced accuracy, by which it does not, is the measure. How common classes are is read off what was
declared, or off noisy answers: never off private records. Answers the owner keeps decide on the owner's page alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pate.evaluation.metrics import is_share, metrics, title_of, written

SKEWED = 0.6
ASKED = "asked for"
_BALANCED = "balanced_accuracy"


@dataclass(frozen=True)
class Measure:
    """A metric by its name, what a sentence calls it, which way is up, why it decides, and the method off whose answers
    that was read, if it was: whoever may not see these must not be told it."""

    name: str = "accuracy"
    title: str = "accuracy"
    why: str = "the default"
    better: str = "higher"
    read_off: str = ""

    @property
    def share(self) -> bool:
        """Whether it is read as a percentage."""
        return is_share(self.name)

    @property
    def sign(self) -> int:
        """Multiplied by it, more is better."""
        return 1 if self.better == "higher" else -1

    def shown(self, value: float | None, error: float | None = None, digits: int = 1) -> str:
        return written(self.name, value, error, digits)

    def points(self, by: float, error: float | None = None) -> str:
        """A difference without its sign: of percentages in points."""
        if not self.share:
            return written(self.name, abs(by), error)
        return f"{abs(by) * 100:.1f}" + ("" if error is None else f" ± {error * 100:.1f}") + " points"


ACCURACY = Measure()


def of(name: str, why: str, more: str = "", read_off: str = "") -> Measure:
    """This metric; `more` is what was asked of it."""
    known = metrics().get(name)
    return Measure(name, title_of(name) + more, why, known.better if known else "higher", read_off)


def measure(
    name: str | None,
    more: str,
    priors: Mapping[str, float] | None,
    shares: Mapping[str, float],
    labelling: str,
    labelled_by: str = "",
) -> Measure:
    """The one asked for, or the default: by declared shares of the classes, or else by those among a method's noisy
    answers, which are called `labelling`."""
    if name is not None:
        return of(name, ASKED, more)
    known, told = (priors, "declared priors: {share:.0%} `{name}`") if priors else (shares, "")
    largest = max(known, key=lambda one: known[one], default=None)
    if largest is None or known[largest] <= SKEWED:
        return ACCURACY
    told = told or "{share:.0%} of " + labelling + " are `{name}`"
    return of(_BALANCED, told.format(share=known[largest], name=largest), read_off="" if priors else labelled_by)


def of_several(name: str | None, recorded: Iterable[Measure]) -> Measure:
    """One for all runs beside each other: what is asked for, now or in one of them, or balanced accuracy where one of
    them was decided by that."""
    if name is not None:
        return of(name, ASKED)
    several = list(recorded)
    asked = [one for one in several if one.why == ASKED]
    return next(iter([*asked, *(one for one in several if one.name == _BALANCED)]), ACCURACY)
