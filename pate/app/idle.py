"""What somebody typed that changes nothing: said, lest it is taken for what was done."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pate.app.stages import stages
from pate.workspace.stage import Pipeline


def idle(overrides: Sequence[str], graph: Pipeline, methods: Sequence[str]) -> list[str]:
    """A sentence if settings were given that stages declare, but none of this run's: at most one."""
    every = {name for several in stages().values() for one in several for name in one.config}
    ours = {name for one in graph.stages for name in one.config}
    typed = dict.fromkeys(word.partition("=")[0].lstrip("+~").partition("@")[0] for word in overrides)
    quoted = {key for key in typed if any(f"${{{key}}}" in word.replace("\\", "") for word in overrides)}  # ${seed}
    found = [key for key in typed if _reaches(key, every) and not _reaches(key, ours) and key not in quoted]
    if not found:
        return []
    one = len(found) == 1
    verb, them = ("does", "it") if one else ("do", "them")
    return [f"{', '.join(found)} {verb} not apply: nothing of methods=[{','.join(methods)}] reads {them}"]


def _reaches(key: str, declared: Iterable[str]) -> bool:
    """Whether it is one of these settings, part of one, or holds one."""
    return any(f"{key}.".startswith(f"{one}.") or f"{one}.".startswith(f"{key}.") for one in declared)
