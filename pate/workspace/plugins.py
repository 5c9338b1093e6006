"""What others add: found by name among the entry points of installed packages, and loaded only when it is asked for.

A name may come from a file that somebody sent. It is looked up, never imported: what is not installed is not found.
"""

from __future__ import annotations

import pkgutil
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from typing import Any, Generic, TypeVar

from pate.errors import ConfigError


def plugins(group: str) -> dict[str, EntryPoint]:
    """What installed packages bring of a group, by name, unread; a ConfigError where two of them bring the same."""
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=group):
        other = found.setdefault(entry.name, entry)
        if other.value != entry.value:
            raise ConfigError(f"{group}: both {other.value} and {entry.value} are called {entry.name}: uninstall one")
    return found


def plugin(group: str, name: str) -> Any:
    """One of them, or None; a ConfigError if it is there and cannot be loaded."""
    entry = plugins(group).get(name)
    if entry is None:
        return None
    try:
        return entry.load()
    except Exception as error:  # whatever somebody's module does when it is imported
        raise ConfigError(
            f"{group}: {name} ({entry.value}) cannot be loaded: {' '.join(str(error).split())}"
        ) from error


T = TypeVar("T")


class Kinds(Generic[T]):
    """Which class a stored thing is of, by the `kind` that its class declares and its file names.

    One of our own stands in the module of that name, whatever the case and underscores (`KernelMachine` in
    `kernel_machine`); one of a package that is installed is an entry point of that name; any other is known as soon as
    something imports its module.
    """

    def __init__(self, room: str, group: str) -> None:
        self._room, self._group = room, group
        self._declared: dict[str, type[T]] = {}

    def declare(self, one: type[T], kind: str) -> None:
        """A TypeError if the name is another one's: what is stored must be read back as what it was."""
        there, ours = self._declared.get(kind), self._module(kind)
        if ours is not None and one.__module__ != ours:
            raise TypeError(f"{one.__module__}.{one.__qualname__}: kind {kind!r} belongs to {ours}; choose another")
        if there is not None and (there.__module__, there.__qualname__) != (one.__module__, one.__qualname__):
            raise TypeError(f"{one.__module__}.{one.__qualname__}: {there.__module__} has declared kind {kind!r}")
        self._declared[kind] = one

    def find(self, kind: object) -> type[T] | None:
        """The class of this kind, imported if need be; None if there is none here."""
        if not isinstance(kind, str):
            return None
        if kind not in self._declared and (ours := self._module(kind)):
            import_module(ours)
        elif kind not in self._declared:
            plugin(self._group, kind)
        return self._declared.get(kind)

    def modules(self) -> list[str]:
        """Where there are classes: all of ours, and of others those that were imported."""
        ours = (f"{self._room}.{name}" for name in self._modules.values())
        return sorted({*ours, *(one.__module__ for one in self._declared.values())})

    def _module(self, kind: str) -> str | None:
        """The one of our own modules that has this name; it is not imported."""
        name = self._modules.get(kind.lower().replace("_", ""))
        return f"{self._room}.{name}" if name else None

    @cached_property
    def _modules(self) -> dict[str, str]:
        spec = find_spec(self._room)
        places = spec.submodule_search_locations if spec else None
        return {one.name.replace("_", ""): one.name for one in pkgutil.iter_modules(places)} if places else {}
