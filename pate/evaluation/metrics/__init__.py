"""Metrics: what models are scored by. One is a function in a module here, or an entry point of `pate.metrics`.

    @metric("balanced accuracy")
    def balanced_accuracy(belief, truth): ...

`belief` are a model's probabilities (inputs x classes), `truth` the true classes of these inputs. It returns a number,
or None where it has no meaning; or one number for each input, whose mean is the metric. Its name is the function's: a
column of every table, csv and page.

One that also takes `counts` is handed how often each input is drawn in each resample (inputs x resamples), and returns
one number for each resample, nan where it has none: that is how its standard error costs little. One that takes `asked`
is handed which class and which false-positive rate the configuration names, and one that takes `answer` the class that
the model answers for each input, which need not be the most probable one (`decision`, `balance`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from inspect import signature
from pkgutil import iter_modules
from typing import Any

import numpy as np

from pate.errors import ConfigError
from pate.workspace.plugins import plugin, plugins

Function = Callable[..., Any]


@dataclass(frozen=True)
class Question:
    """What is asked of a metric besides: recall of which class, at which share of the others taken for it."""

    positive: int | None = None
    false_positives: float = 0.05


@dataclass(frozen=True)
class Metric:
    """`title` is what a table calls it; `better` says which way is up; `share` whether it is read as a percentage."""

    name: str
    title: str
    function: Function
    better: str = "higher"
    share: bool = True

    def __call__(
        self, belief: np.ndarray, truth: np.ndarray, asked: Question | None = None, answer: np.ndarray | None = None
    ) -> float | None:
        found = self.raw(belief, truth, asked or Question(), answer)
        mean = None if found is None else float(np.mean(found))
        return None if mean is None or np.isnan(mean) else mean

    def raw(self, belief: np.ndarray, truth: np.ndarray, asked: Question, answer: np.ndarray | None = None) -> Any:
        """What the function says of all inputs: a number, or one for each input."""
        counts = {"counts": np.ones((len(truth), 1), np.float32)} if self.takes_counts else {}
        return self.function(belief, truth, **counts, **self._besides(belief, asked, answer))

    def resampled(
        self,
        belief: np.ndarray,
        truth: np.ndarray,
        counts: np.ndarray,
        asked: Question,
        answer: np.ndarray | None = None,
    ) -> np.ndarray:
        """What it is in each resample, a column of `counts`; nan where it has no meaning."""
        if self.takes_counts:
            besides = self._besides(belief, asked, answer)
            return np.asarray(self.function(belief, truth, counts=counts, **besides), float)
        drawn = (np.repeat(np.arange(len(truth)), one.astype(int)) for one in counts.T)
        answer = belief.argmax(axis=1) if answer is None else answer
        found = (self(belief[rows], truth[rows], asked, answer[rows]) for rows in drawn)
        return np.array([np.nan if one is None else one for one in found])

    @cached_property
    def takes_counts(self) -> bool:
        return "counts" in signature(self.function).parameters

    @cached_property
    def takes_asked(self) -> bool:
        return "asked" in signature(self.function).parameters

    @cached_property
    def takes_answer(self) -> bool:
        return "answer" in signature(self.function).parameters

    def _besides(self, belief: np.ndarray, asked: Question, answer: np.ndarray | None) -> dict[str, Any]:
        answer = belief.argmax(axis=1) if answer is None else answer
        return ({"asked": asked} if self.takes_asked else {}) | ({"answer": answer} if self.takes_answer else {})


def metric(title: str, better: str = "higher", share: bool = True) -> Callable[[Function], Metric]:
    """Declare a function as a metric."""
    return lambda function: Metric(getattr(function, "__name__", title), title, function, better, share)


@cache
def metrics() -> dict[str, Metric]:
    """All there are, by name; a ConfigError for one of another package that is none, or is called like one of ours."""
    modules = [import_module(f"{__name__}.{one.name}") for one in iter_modules(__path__)]
    found = {value.name: value for module in modules for value in vars(module).values() if isinstance(value, Metric)}
    for name in plugins("pate.metrics"):
        one = plugin("pate.metrics", name)
        if not isinstance(one, Metric):
            raise ConfigError(f"pate.metrics: {name} is no metric: declare the function with @metric")
        if found.setdefault(one.name, one) is not one:
            raise ConfigError(f"pate.metrics: {name}: there is a metric {one.name} already: choose another name")
    return found


def modules() -> list[str]:
    """Where the code is that scores: an edit there, or one more metric, scores again."""
    return sorted({one.function.__module__ for one in metrics().values()})


def scored(
    belief: np.ndarray, truth: np.ndarray, asked: Question | None = None, answer: np.ndarray | None = None
) -> dict[str, float | None]:
    """What every metric says of these answers; where none are given the most probable class is the answer."""
    return {name: one(belief, truth, asked, answer) for name, one in metrics().items()}


def title_of(name: str) -> str:
    """What a table calls a metric, also one that a run of other plug-ins knew."""
    return metrics()[name].title if name in metrics() else name.replace("_", " ")


def is_share(name: str) -> bool:
    """Whether it is read as a percentage, as one is that is not known here."""
    return metrics()[name].share if name in metrics() else True


def written(name: str, value: float | None, error: float | None = None, digits: int = 1) -> str:
    """A metric's value for reading, with its standard error if one is known."""
    if value is None:
        return "-"
    form = f".{digits}%" if is_share(name) else f".{digits + 2}f"
    return f"{value:{form}}" + ("" if error is None else f" ± {error:{form}}")
