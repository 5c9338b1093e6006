"""Metrics: what models are scored by. One is a function in a module here, or an entry point of `pate.metrics`.

    @metric("balanced accuracy")
    def balanced_accuracy(belief, truth): ...

`belief` are a model's probabilities (inputs x classes), `truth` the true classes of these inputs. It returns a number,
or None where it has no meaning. Its name is the function's: a column of every table, csv and page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

import numpy as np

from pate.errors import ConfigError
from pate.workspace.plugins import plugin, plugins

Function = Callable[[np.ndarray, np.ndarray], float | None]


@dataclass(frozen=True)
class Metric:
    """`title` is what a table calls it; `better` says which way is up."""

    name: str
    title: str
    function: Function
    better: str = "higher"

    def __call__(self, belief: np.ndarray, truth: np.ndarray) -> float | None:
        return self.function(belief, truth)


def metric(title: str, better: str = "higher") -> Callable[[Function], Metric]:
    """Declare a function as a metric."""
    return lambda function: Metric(getattr(function, "__name__", title), title, function, better)


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


def scored(belief: np.ndarray, truth: np.ndarray) -> dict[str, float | None]:
    """What every metric says of these answers."""
    return {name: one(belief, truth) for name, one in metrics().items()}


def title_of(name: str) -> str:
    """What a table calls a metric, also one that a run of other plug-ins knew."""
    return metrics()[name].title if name in metrics() else name.replace("_", " ")
