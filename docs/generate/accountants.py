"""Mechanisms and accountants: of votes from the ladder itself, of all else from what its mechanism says it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields
from typing import Any

import numpy as np

from docs.generate.declared import declared
from docs.generate.keys import CONF, choices, header, read, target
from docs.generate.tables import page, row, table
from pate.accounting.explained import listed

_DELTA = 1e-5


def ladder() -> dict[tuple[str, str], list[Any]]:
    """What each accountant says of each mechanism, with continuous and discrete noise, on a few votes."""
    from pate.accounting.ladder import price
    from pate.aggregation.votes import tally

    predictions = np.array([[0, 1, 2]] * 18 + [[1, 2, 0]] * 2)
    found = {}
    for name in choices("aggregator"):
        values, _ = read("aggregator", name)
        kind, given = target(values), _said(values)
        if kind.known_as() == "auto":  # which is one of the others
            continue
        for noise in ("discrete", "continuous"):
            told = given | ({"noise": noise} if "noise" in {field.name for field in fields(kind)} else {})
            found[name, noise] = list(price(kind(**told), tally(predictions, 3), _DELTA, predictions))
    return found


def _said(values: dict[str, Any]) -> dict[str, Any]:
    """What a YAML says; null is what its class says, or a run fills in."""
    return {key: value for key, value in values.items() if key != "_target_" and value is not None}


def others() -> dict[tuple[str, str], list[Any]]:
    """What every other mechanism says of its price, by how it is chosen and its noise; loud and faint, for by how much
    decides between theorems."""
    from pate.accounting.smooth_sensitivity import Sanitised
    from pate.dpsgd.accountant import Accountant

    found: dict[tuple[str, str], list[Any]] = {
        ("dpsgd", "continuous"): [Accountant(1.0, 0.01, 1, _DELTA, taken=1).guarantee()],
        ("sanitise", "continuous"): [Sanitised(0.0, 0.0, _DELTA, publishable=True).priced()],
    }
    for name in choices("consensus"):
        values, _ = read("consensus", name)
        for noise in ("discrete", "continuous"):
            with suppress(ValueError):  # of a mechanism without that noise
                told = _said(values) | {"noise": noise}
                plans = [target(values)(**told).plan(epsilon, _DELTA, None) for epsilon in (0.5, 30.0)]
                found[f"consensus={name}", noise] = [one for plan in plans for one in plan.guarantees()]
    return found


def accountants() -> str:
    """The ladder: who says what an answer costs, and what that holds for."""
    found = ladder()
    lines = [
        "# Mechanisms and accountants",
        "",
        "A *mechanism* crosses the privacy barrier. An *accountant* says what its answers cost. `pate stage=account`",
        "shows all that apply, side by side; how they are computed is in [accounting](../explanation/accounting.md).",
        "",
        "## Mechanisms",
        "",
    ]
    crossing = [(name, one.crosses) for name, forms in declared().items() for one in forms if one.crosses]
    lines += table(["stage", "crosses by"], (row(f"`{name}`", told) for name, told in dict.fromkeys(crossing)))
    lines += ["", "The mechanisms of `labels`, `aggregator=`:", ""]
    rows = (
        row(f"`{name}`", header((CONF / "aggregator" / f"{name}.yaml").read_text())) for name in choices("aggregator")
    )
    lines += [*table(["`aggregator=`", "what it is"], rows), "", "## Accountants", ""]
    lines += [
        "*Data-independent* prices hold for every data set: they may be published, and budgets rest on them.",
        "*Data-dependent* ones hold for this data set, are computed from private votes, and are the owner's; they",
        "assume that the queries were fixed in advance. Bounds *as published* that limit one direction of the privacy",
        "loss only are shown, never chosen.",
        "",
    ]
    known = dict.fromkeys((one.accountant, one.theorem) for several in found.values() for one in several)
    lines += [*table(["accountant", "what it does"], (row(f"`{name}`", told) for name, told in listed(known))), ""]
    heads = ["accountant", "holds for", "valid bound", "publishable", "by", "of"]
    lines += table(heads, _rows(found, lambda one: ["yes" if one.valid else "no: as published", _leaves(one)]))
    lines += ["", "Of what is no vote; DP-SGD and consensus are priced under replace-one too:", ""]
    sanitised = "yes: its own noise is part of the price"
    else_ = others()
    known = dict.fromkeys((one.accountant, one.theorem) for several in else_.values() for one in several)
    lines += [*table(["accountant", "what it does"], (row(f"`{name}`", told) for name, told in listed(known))), ""]
    rest = _rows(else_, lambda one: [sanitised if one.data_dependent else _leaves(one)])
    return page([*lines, *table(["accountant", "holds for", "publishable", "by", "of"], rest)])


def _leaves(one: Any) -> str:
    return "yes" if one.publishable else "no"


def _rows(found: dict[tuple[str, str], list[Any]], cells: Callable[[Any], list[str]]) -> Iterator[str]:
    """A row an accountant and theorem, with all it is of."""
    where: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for place, several in found.items():
        for one in several:
            kind = "data-dependent" if one.data_dependent else "data-independent"
            places = where.setdefault((one.accountant, kind, *cells(one), one.theorem), [])
            places += [place] * (place not in places)
    known = list(dict.fromkeys(name for name, *_ in where))
    for told, places in sorted(where.items(), key=lambda item: known.index(item[0][0])):
        yield row(f"`{told[0]}`", *told[1:], _mechanisms(places))


def _mechanisms(places: list[tuple[str, str]]) -> str:
    both: dict[str, list[str]] = {}
    for name, noise in places:
        both.setdefault(name, []).append(noise)
    return ", ".join(f"`{name}`" + (f" ({noises[0]})" if len(noises) == 1 else "") for name, noises in both.items())
