"""curve: score against publishable epsilon, every method over a grid; for your own eyes, nothing is released or spent.

A point is a run with epsilon=E in which no method was named, so that each is kept. What does not depend on epsilon is
made once, and what was made is served again: the same command shows the same curve, or goes on with it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from secrets import token_hex

from pate.accounting.guarantee import given
from pate.app import rules
from pate.app.bars import once
from pate.app.unfinished import told
from pate.app.verbs.request import Request, tell_place, warn_of
from pate.app.verbs.run import execute
from pate.consensus.moments import staying
from pate.errors import ConfigError, PateError
from pate.evaluation.curve import Curve, Failed, LeftOut, Ran, curve
from pate.evaluation.measure import measure
from pate.evaluation.results import Results
from pate.release.withheld import withheld
from pate.report.sweep.curve import FILE, print_curve, write_curve
from pate.report.terminal import quiet
from pate.settings import Settings

log = logging.getLogger("pate")


def require(settings: Settings) -> None:
    """What the grid is to say, nothing else says; and some method can be at some point of it."""
    _refuse_other_epsilons(settings)
    if settings.compare.runs:
        raise ConfigError("compare.runs is for stage=compare, and this is stage=curve")
    rules.nothing_of_other_stages(settings)
    rules.methods_are_known(settings)
    why: dict[str, str] = {}
    for epsilon in reversed(settings.curve.epsilons):  # the largest is the likeliest
        point, refused = at(settings, epsilon, _seeds(settings)[0])
        if point is not None:
            return
        why = why or refused
    raise ConfigError(f"stage=curve: {'; '.join(dict.fromkeys(why.values())) or 'no private method is among methods='}")


def ask(request: Request) -> Curve:
    """A run for every epsilon and seed; what fails is named, and the others go on."""
    settings, ran, left_out, failed = request.settings, list[Ran](), list[LeftOut](), list[Failed]()
    plan, said, seeds = token_hex(8), set[str](), _seeds(settings)
    with staying():
        for epsilon, seed in product(settings.curve.epsilons, seeds):
            begun, where = (
                time.monotonic(),
                f"epsilon {given(epsilon).ljust(6)}" + f" seed {seed:<3}" * (len(seeds) > 1),
            )
            point, why = at(settings, epsilon, seed)
            left_out += [LeftOut(name, epsilon, one) for name, one in why.items() if seed == seeds[0]]
            if point is None:
                log.info("%s          no method can be here: why is said below", where)
                continue
            try:
                with once(said):
                    found = execute(
                        point, _folder(request, epsilon, seed), plan, request.overrides, request.begun, request.flags
                    )
            except Exception as error:
                log.error("pate: %s failed: %s", where, told(error))
                failed.append(Failed(epsilon, seed, told(error)))
                continue
            ran.append(Ran(epsilon, seed, found))
            log.info("%s %6.1f s  %s", where, time.monotonic() - begun, ", ".join(_scores(point, found)))
    command = ran[0].found.command if ran else ""
    whole = curve(settings.dataset.name, ran, settings.curve.epsilons, seeds, left_out, failed, command)
    write_curve(whole, request.folder)
    return whole


def tell(request: Request, found: Curve) -> None:
    """And fail where a point did: the same command goes on with it."""
    if not quiet():
        print_curve(found)
        for name, file in (("page", "report.html"), ("picture", "curve.svg")):
            if (request.folder / file).exists():
                print(f"{name:<8} {request.folder / file}")
    else:
        warn_of(withheld(found.notes))
    tell_place("curve", request.folder / FILE, "and curve.csv; yours alone")
    if found.failed:
        many = f"{len(found.failed)} of {len(found.epsilons) * len(found.seeds)} points did not finish"
        raise PateError(f"{many}: epsilon {', '.join(dict.fromkeys(given(one.epsilon) for one in found.failed))}")


def at(settings: Settings, epsilon: float, seed: int) -> tuple[Settings | None, dict[str, str]]:
    """The run at this point, and why methods are not part of it; none where no private method is."""
    why: dict[str, str] = {}
    able, point = list(settings.methods), None
    try:
        point = _point(settings, epsilon, seed, able)
    except ConfigError:  # because of one of them, or of all
        for name in settings.methods:
            try:
                _point(settings, epsilon, seed, [name])
            except ConfigError as error:
                why[name] = str(error)
        able = [name for name in able if name not in why]
        point = _point(settings, epsilon, seed, able) if able else None
    return (point if point and _private(point) else None), why


def _point(settings: Settings, epsilon: float, seed: int, methods: Sequence[str]) -> Settings:
    """As the command line composes it with epsilon=E, and nobody named; a ConfigError where it is refused."""
    from omegaconf import OmegaConf

    from pate.app.compose import settle

    said = settings.said | {"stage": "compare", "epsilon": epsilon, "seed": seed, "methods": list(methods)}
    said["release"] = said["release"] | {"method": None}
    said["account"] = said["account"] | {"data_dependent": False}  # a curve is of prices for every data set
    point = replace(settle(OmegaConf.create(said)), named=())
    rules.check(point)
    _refuse_spending(point)
    return point


def _refuse_spending(point: Settings) -> None:
    """A method that knows no model of the owner's would release what it draws."""
    from pate.pipelines import graph, targets

    crossing = [one.name for one in graph(point).needed(targets(point)) if one.crosses]
    if crossing:
        raise ConfigError(
            f"stage {crossing[0]} would release, and spend, what it draws: it has no way to be made for the owner alone"
        )


def _refuse_other_epsilons(settings: Settings) -> None:
    said = settings.said
    if said["run"] is not None:
        raise ConfigError(
            f"run={said['run']} brings the noise and the queries of one epsilon: name its choices instead, for "
            "stage=curve plans anew at each"
        )
    if said["epsilon"] is not None:
        raise ConfigError(f"epsilon={given(said['epsilon'])} is one point: a curve has those of curve.epsilons")
    for name, choice in said.items():  # one that has an epsilon of its own
        if isinstance(choice, Mapping) and "_target_" in choice and choice.get("epsilon") is not None:
            raise ConfigError(f"{name}.epsilon={choice['epsilon']} is one point: a curve has those of curve.epsilons")


def _private(point: Settings) -> bool:
    from pate.pipelines import entries

    return any(one.private for one in entries(point))


def _seeds(settings: Settings) -> list[int]:
    return [settings.seed] if settings.curve.seeds is None else settings.curve.seeds


def _folder(request: Request, epsilon: float, seed: int) -> Path:
    """Of one point: a run like any other."""
    folder = request.folder / "points" / f"epsilon-{given(epsilon)}-seed-{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _scores(point: Settings, found: Results) -> Iterator[str]:
    """By a measure that is the same at all points, whatever the noisy labels of one of them look like."""
    chosen = measure(point.compare.metric, point.compare.more, point.dataset.shares, {}, "")
    for row in found.methods:
        if (score := row.metrics.get(chosen.name)) is not None:
            yield f"{row.title} {chosen.shown(score)}"
