"""A choice within a group of the configuration (`teachers=ridge`): a frozen dataclass that carries out what it names.

What is drawn from private data is kept under what was chosen, and drawing it again spends again. So a choice is known
by a name declared for good, a revision, and the fields that differ from frozen defaults: a class that moves, a module
that is renamed, a new field with a default change none of that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from pate.data.outline import Outline  # itself about a choice

ALWAYS_SAID = {"always": "said"}  # metadata of a field that got its default later: it is part of what is said even so


@dataclass(frozen=True)
class Choice:
    """`kind` is its name where draws are kept, `revision` is raised when what it computes changes, and `frozen` holds
    the defaults of fields whose default was another one when they came. A subclass inherits none of the three.
    `by_kind` is the field that is chosen by kind of data where it says auto; without one it is the choice itself."""

    kind: ClassVar[str] = ""
    revision: ClassVar[int] = 1
    frozen: ClassVar[Mapping[str, Any]] = {}
    by_kind: ClassVar[str] = ""

    @classmethod
    def known_as(cls) -> str:
        """Its declared name; a class that declares none is known by where it is."""
        return str(cls.__dict__.get("kind") or f"{cls.__module__}.{cls.__qualname__}")

    def identity(self) -> dict[str, Any]:
        """What it is, whatever the code around it looks like. Nobody has frozen the defaults of a class without a
        declared name: it says all of its fields, else an answer of other noise would be served when one is edited.
        A name that another package declares is that package's: two may have chosen the same for other laws."""
        own, package = type(self).__dict__, type(self).__module__.partition(".")[0]
        said = differing(self, own.get("frozen", {})) if own.get("kind") else asdict(self)
        whose = f"{package}:" if own.get("kind") and package != "pate" else ""
        return {"kind": f"{whose}{self.known_as()}", "revision": own.get("revision", 1)} | said

    def suited(self, outline: Outline) -> tuple[Any, str]:
        """What it comes to for such data, and why, where that is not what it says itself (`features=auto`)."""
        return self, ""

    def parameters(self) -> dict[str, Any]:
        """All there is to know of it, for whoever reads a ledger or a report."""
        return {"kind": self.known_as()} | asdict(self)

    def modules(self) -> list[str]:
        """Where the code is that carries it out: an edit there runs a stage again, unless that draws."""
        return [type(self).__module__]


def differing(one: Any, frozen: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The fields of a dataclass that differ from their frozen defaults; those without one always do."""
    values = asdict(one)
    defaults = {item.name: default(item) for item in fields(one)} | dict(frozen or {})
    return {name: value for name, value in values.items() if value != defaults[name] or defaults[name] is MISSING}


def default(item: Field[Any]) -> Any:
    """What a field is if nothing is said, or MISSING: also of one that is always said."""
    if item.metadata == ALWAYS_SAID:
        return MISSING
    return item.default_factory() if item.default_factory is not MISSING else item.default
