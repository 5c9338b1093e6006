"""Every stage that was declared, by name and in the order of the flow: also those that a plug-in brings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pate.workspace.stage import Stage

_STAGES: list[Stage] = []


def enter(stage: Stage) -> None:
    """Take up a stage that a module declares; one within a function is the function's own."""
    if "<locals>" not in stage.function.__qualname__:
        _STAGES.append(stage)


def catalogue() -> dict[str, tuple[Stage, ...]]:
    """Each name with the stages a configuration chooses one of. A name comes after those whose artifacts it may read;
    what gathers whatever a run made is near the end, and what publishes at it."""
    named: dict[str, tuple[Stage, ...]] = {}
    for one in _STAGES:
        named[one.name] = (*named.get(one.name, ()), one)
    before = {name: _before(name, some) for name, some in named.items()}
    depth = dict.fromkeys(named, 0)
    for _ in named:  # a longest path has no more steps than there are names
        depth = {name: max((1 + depth[one] for one in earlier), default=0) for name, earlier in before.items()}

    def place(name: str) -> tuple[bool, bool, int, bool]:
        some = named[name]
        makes = any(one.writes for one in some)
        return any(one.publishes for one in some), any(one.gathers for one in some), depth[name], makes

    return {name: named[name] for name in sorted(named, key=place)}


def _before(name: str, some: Iterable[Stage]) -> set[str]:
    """Whose artifacts they may read."""
    read = {ref for one in some for ref in one.reads}
    return {one.name for one in _STAGES if read & {*one.writes}} - {name}
