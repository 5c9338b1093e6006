"""What can be asked of the program, one verb a file: `require` what it needs of the settings before a thing is written,
`ask` for what there is to find or make, `tell` that, to the quiet only where it is.
"""

from __future__ import annotations

from typing import Any, Protocol

from pate.app.stages import stages
from pate.app.verbs import check, clean, compare, curve, ledger, predict, run
from pate.app.verbs.request import Request
from pate.settings import Settings


class Verb(Protocol):
    """A module of this package."""

    def require(self, settings: Settings) -> None: ...

    def ask(self, request: Request) -> Any: ...

    def tell(self, request: Request, found: Any) -> None: ...


_VERBS: dict[str, Verb] = {"check": check, "clean": clean, "curve": curve, "ledger": ledger, "predict": predict}


def verb_of(settings: Settings) -> Verb:
    """What to do: run the stage that was asked for, unless something else was."""
    return compare if settings.compare.runs else _VERBS.get(settings.stage, run)


def asked() -> tuple[str, ...]:
    """All that stage= takes: everything, a stage, or a verb that runs none."""
    return ("all", *stages(), *running_none())


def running_none() -> tuple[str, ...]:
    """Verbs that are no stage's name: they bring nothing up to date and leave no results."""
    return tuple(name for name in _VERBS if name not in stages())


def summaries() -> dict[str, str]:
    """A line about each of them."""
    lines = {name: some[0].summary for name, some in stages().items()}
    return lines | {name: _summary(verb) for name, verb in _VERBS.items()}


def listing() -> str:
    """The same for the help."""
    width = max(map(len, summaries())) + 2
    return "\n".join(f"{name:{width}}{line}" for name, line in summaries().items())


def _summary(verb: Verb) -> str:
    """What its first line says behind its name."""
    return (verb.__doc__ or "").partition(": ")[2].splitlines()[0].rstrip(".")
