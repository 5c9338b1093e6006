"""What a tracker is told of a run: its configuration, its figures, and for every figure what it is never without."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pate.accounting.guarantee import KEPT, REPLACE_ONE, ZERO_OUT, Guarantee
from pate.data.labels import CLASSES_FROM_PRIVATE
from pate.evaluation.results import Results
from pate.methods.method import Made
from pate.models.predictor import Predictor
from pate.noise import SEEDED
from pate.release.withheld import withheld
from pate.report.sweep.jobs import Job

if TYPE_CHECKING:
    from pate.settings import Settings

_EVERY = "epsilon_every_data_set"
_LOSS = "the owner's: computed from private records, without noise"


def measured(found: Results) -> dict[str, float]:
    """Every number of the results, and the seconds of each stage. Infinity is none: a tracker may take it for a very
    large one."""
    figures = Job("", {}, found).figures | {f"seconds_{name}": stage.seconds for name, stage in found.stages.items()}
    return {name: float(value) for name, value in figures.items() if is_number(value)}


def on_the_way(settings: Settings) -> dict[str, str]:
    """For every figure a training tells before it is done, under the name of its metric: what it is never without.

    A loss is the owner's where the model's stage reads what is private; an epsilon so far is a zero-out one, for every
    data set, and leaves only if its model may."""
    from pate.pipelines import entries, graph

    void = [SEEDED] * (settings.noise.seed is not None) + [CLASSES_FROM_PRIVATE] * settings.classes_from_private
    pipeline, told = graph(settings), dict[str, str]()
    for entry in entries(settings):
        maker = pipeline.maker(entry.model)
        if any(ref.side == "private" for ref in maker.reads):
            told[f"{maker.name}_loss"] = _LOSS
        so_far = Guarantee(0.0, settings.delta, ZERO_OUT, False, "", "", withheld=withheld(void) or KEPT * entry.kept)
        told[f"{maker.name}_epsilon_so_far"] = so_far.terms
    return told


def prices(found: Results) -> dict[str, str]:
    """For every epsilon in the results, under the name of its metric: what it is never without."""
    told: dict[str, str] = {}
    for method in found.methods:
        known = {"epsilon": method.best, "epsilon_publishable": method.publishable, _EVERY: method.worst_case}
        if method.best and "epsilon_rdp" in method.details:
            known["epsilon_rdp"] = replace(method.best, epsilon=method.details["epsilon_rdp"] or math.inf)
        if method.best and "epsilon_replace_one" in method.details:
            another = method.details["epsilon_replace_one"] or math.inf
            known["epsilon_replace_one"] = replace(method.best, epsilon=another, relation=REPLACE_ONE)
        told |= {f"{method.name}_{key}": str(one) for key, one in known.items() if one is not None}
    return told


def flat(plain: Mapping[str, Any], before: str = "") -> dict[str, str]:
    """A configuration under dotted names, as it would be overridden."""
    named: dict[str, str] = {}
    for key, value in plain.items():
        inner = isinstance(value, dict) and value
        named |= flat(value, f"{before}{key}.") if inner else {f"{before}{key}": _text(value)}
    return named


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def models(settings: Settings, found: Results, made: Made) -> Iterator[tuple[str, Predictor, str]]:
    """Every model of the run that lies where what may leave does, by its method, and what it is never without. Models
    that are kept, without privacy or trained to be compared, are told to no tracker."""
    from pate.pipelines import entries

    why = withheld(found.notes)
    by_name = {method.name: method for method in found.methods}
    for entry in entries(settings):
        if entry.model.side != "release" or entry.kept or entry.key not in by_name:
            continue
        predictor, claim = made(entry.model), by_name[entry.key].worst_case
        if isinstance(predictor, Predictor):
            yield entry.key, predictor, str(claim) if claim else why or "what its labels cost is not known"
