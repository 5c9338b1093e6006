"""What can be seen in the data before anything is trained or drawn: kinds, gaps, identifiers, records on two sides.

What private rows show is the owner's: it is said, and changes nothing that is released.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pate.data import advice
from pate.data.cells import text
from pate.data.encoding import Columns
from pate.data.identifiers import named_like_one, only_a_handful, repeated, shaped_like_one
from pate.data.split import Split
from pate.data.table import cells_of, columns_of
from pate.workspace.artifact import Artifact

SIDES = ("private", "public", "test")
_GAPS = 0.05  # of a column's cells, before what cannot be read is worth a word


@dataclass(frozen=True)
class Examined(Artifact):
    """Columns with kind and how many cells of each side are blank or cannot be read; what else there is to know.

    `refusals` rest on names and public rows alone: a strict budget and a release refuse them. `warnings` are the
    owner's.
    """

    sizes: dict[str, int]
    classes: list[str]
    width: int  # numbers that an input becomes, before features
    columns: list[dict[str, Any]]
    people: int | None
    both: dict[str, int]  # private rows that are also public or test rows
    refusals: list[str]
    warnings: list[str]


def examine(
    split: Split, declared: Mapping[str, str] | None = None, kept: Collection[str] = (), group_by: str | None = None
) -> Examined:
    """Look at a split as it was read, before its tables become numbers."""
    tables = {side: getattr(split, side).x for side in SIDES}
    found: list[dict[str, Any]] = []
    width = math.prod(tables["public"].shape[1:])
    refusals: list[str] = []
    warnings: list[str] = []
    names: tuple[str, ...] = ()
    if columns_of(tables["public"]):
        columns = Columns.fit(tables["public"], declared, split.public_rows)
        found, width = [*_columns(columns, tables)], columns.width
        for column in found:
            if column["name"] not in kept:
                _identifier(column, tables, refusals, warnings, group_by)
        plain = [one for one in found if not one["identifier"]]
        names = tuple(one["name"] for one in plain)
        warnings += _gaps(plain, {side: len(rows) for side, rows in tables.items()})
    both = {side: _shared(tables["private"], tables[side], names) for side in ("public", "test")}
    if both["public"]:
        warnings.append(
            f"{both['public']} private rows agree with public rows in every column that is learned from: what is "
            "public is released as it is, so if they are the same records, take them out of the public side"
        )
    if both["test"]:
        warnings.append(
            f"{both['test']} private rows agree with test rows in every such column: scores on them are too good"
        )
    people = None if split.private.group is None else len(np.unique(split.private.group))
    sizes = {side: len(rows) for side, rows in tables.items()}
    return Examined(sizes, list(split.public.classes), width, found, people, both, refusals, warnings)


def _columns(columns: Columns, tables: Mapping[str, np.ndarray]) -> Iterator[dict[str, Any]]:
    unread = {side: columns.unread(rows) for side, rows in tables.items()}
    kinds = {name: "numeric" for name, _, _ in columns.numeric} | {name: "date" for name, _, _ in columns.dates}
    categories = dict(columns.categorical)
    for name in columns_of(tables["public"]):
        yield {
            "name": name,
            "kind": kinds.get(name, "category"),
            "categories": len(categories[name]) if name in categories else None,
            "blank": {side: unread[side][name][0] for side in SIDES},
            "unread": {side: unread[side][name][1] for side in SIDES},
            "identifier": "",
        }


def _identifier(
    column: dict[str, Any],
    tables: Mapping[str, np.ndarray],
    refusals: list[str],
    warnings: list[str],
    group_by: str | None,
) -> None:
    """Say how a column shows that it is one, and to whom."""
    name, kind = column["name"], column["kind"]
    public, private = (cells_of(tables[side][name]) for side in ("public", "private"))
    way_out = f"drop it ({advice.drop(name)}), or say that it is none ({advice.keep(name)})"
    if group_by is None:
        way_out = f"{advice.group_by(name)} if it says whose a record is, else {way_out}"
    several, most = repeated(private) if group_by is None else (0, 0)
    people = f" ({several} of its values are on several private rows, one on {most})" if several else ""
    if named_like_one(name) and not only_a_handful(public):
        column["identifier"] = "by its name"
        refusals.append(f"column {name} is named like an identifier: {way_out}")
    elif shaped_like_one(public, kind):
        column["identifier"] = "by its public values"
        different = len(set(map(text, public)))
        refusals.append(
            f"column {name} has {different} values on {len(public)} public rows, like an identifier: {way_out}"
        )
    elif shaped_like_one(private, kind):
        column["identifier"] = "by its private values"
        warnings.append(f"column {name} tells private rows apart like an identifier{people}: {way_out}")
        return
    if column["identifier"] and several:
        warnings.append(
            f"column {name}: {several} of its values are on several private rows, one on {most}: if it names people, "
            "they are in several partitions, and an epsilon holds for single rows only"
        )


def _gaps(columns: list[dict[str, Any]], sizes: Mapping[str, int]) -> Iterator[str]:
    """Cells that are replaced by the public mean, or count as no category, where they are more than a few. A number
    that cannot be read is worth a word before that: somebody meant it."""
    for column in columns:
        category, told = column["kind"] == "category", []
        for side in SIDES:
            blank, unread = 0 if category else column["blank"][side], column["unread"][side]
            if (unread and not category) or blank + unread > _GAPS * sizes[side]:
                parts = [f"{blank} blank"] * bool(blank) + [f"{unread} that hold something else"] * bool(unread)
                told.append(f"of {sizes[side]} {side} cells {' and '.join(parts)}")
        if told:
            instead = "count as no category" if category else "are replaced by the public mean"
            yield f"column {column['name']} ({column['kind']}): {', '.join(told)} {instead}"


def _shared(private: np.ndarray, other: np.ndarray, names: tuple[str, ...]) -> int:
    """How many private rows are rows of another side, in every one of these columns; of arrays, as they are."""
    if columns_of(private) and not names:
        return 0
    if not names:
        known = {row.tobytes() for row in np.ascontiguousarray(other)}
        return sum(row.tobytes() in known for row in np.ascontiguousarray(private)) if known else 0
    rows = [zip(*(map(text, cells_of(table[name])) for name in names), strict=True) for table in (other, private)]
    known_rows = set(rows[0])
    return sum(row in known_rows for row in rows[1])
