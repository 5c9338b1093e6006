"""A titled part of a page: a few words, and a table if there is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pate.evaluation.results import Table


@dataclass(frozen=True)
class Section:
    """`numbers` are the places of columns that are set to the right; a row that is no list is a heading of those below
    it, and says what holds of all of them."""

    id: str
    title: str
    words: Sequence[str]
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str] | str] = ()
    numbers: Sequence[int] = ()

    @classmethod
    def of(cls, table: Table, place: int) -> Section:
        """What a method has to show."""
        head = list(table.columns)
        return cls(f"table-{place}", table.title, [table.words], head, table.cells(), range(len(head)))
