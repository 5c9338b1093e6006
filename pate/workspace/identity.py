"""What leads to a draw, said so that it outlives the code: by that it is found again, instead of being drawn again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from operator import attrgetter
from typing import Any

from pate.choice import Choice, differing
from pate.workspace.first_version import declared_then


@dataclass(frozen=True)
class Said:
    """Something as it is said now, and as the first version said it; None where it could not."""

    now: Any
    first: Any

    @classmethod
    def all(cls, parts: Sequence[Any]) -> Said:
        """Several at once; what is no `Said` was always said like that."""
        several = [part if isinstance(part, Said) else Said(part, part) for part in parts]
        first = [part.first for part in several]
        return cls([part.now for part in several], None if any(one is None for one in first) else first)

    def __getitem__(self, name: str) -> Said:
        return Said(self.now[name], None if self.first is None else self.first[name])

    def known(self, kept: Callable[[str], bool]) -> str:
        """Of two keys the one something is kept under: what was kept under its first one stays there."""
        return str(self.first if self.first is not None and not kept(self.now) and kept(self.first) else self.now)


def named(key: Callable[..., str], *parts: Any) -> Said:
    """The keys of what these parts say."""
    several = Said.all(parts)
    return Said(key(*several.now), None if several.first is None else key(*several.first))


def said(settings: Any, names: Iterable[str], ignores: Iterable[str] = ()) -> Said:
    """What was chosen under these dotted names, as JSON. Of settings only what differs from defaults is said."""
    parts, aside = {name: attrgetter(name)(settings) for name in names}, set(ignores)
    now = _without({name: _plain(part) for name, part in parts.items()}, aside)
    try:
        first = _without(declared_then(parts, aside), aside)
    except ValueError:
        first = None
    return Said({name: part for name, part in now.items() if part != {}}, first)


def _plain(part: Any) -> Any:
    if isinstance(part, Choice):
        return part.identity()
    return differing(part) if is_dataclass(part) else part


def _without(parts: Mapping[str, Any], aside: set[str]) -> dict[str, Any]:
    """`dpsgd.micro_batch` aside is a field left out of `dpsgd`."""
    return {
        name: {field: value for field, value in part.items() if f"{name}.{field}" not in aside}
        if isinstance(part, dict)
        else part
        for name, part in parts.items()
    }
