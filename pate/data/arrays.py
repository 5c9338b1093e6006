"""A user's own data: one file to be split, or a folder with a private, a public and a test file."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from pate.data.budgets import Budgets
from pate.data.dataset import Dataset
from pate.data.formats import FORMATS, column_names, count, shape
from pate.data.kinds import KINDS
from pate.data.labels import CLASSES_FROM_PRIVATE, class_list
from pate.data.owners import refuse_in_public, refuse_on_both_sides
from pate.data.recognise import of_arrays, of_table
from pate.data.records import Raw, agree, check, pooled, read
from pate.data.split import Rows, Sizes, Split, assemble, divided, shared, shuffled, taken
from pate.data.table import Chosen, columns_of, shown_names
from pate.data.written import Written
from pate.errors import ConfigError

_SIDES = ("private", "public", "test")
_OWNED = ("pool", "private")  # whose records need an owner when they are grouped
_TABLES = (".csv", ".parquet")
_WANTED = (
    "dataset.path= must be an npz, csv or parquet file, or a folder with private.*, public.* and test.* "
    "in one of these formats (npy: private_x.npy and private_y.npy)"
)


@dataclass(frozen=True)
class Arrays(Dataset):
    """`label` names the label column of a csv or parquet; `classes` declares what labels there can be.

    Of a table, `columns` are read (all, but for the label and those to `drop`); `kinds` declares what a column is where
    its public cells would say something else, and `keep` what is no identifier although it looks like one.
    """

    kind: ClassVar[str] = "arrays"

    name: str = "arrays"
    delta: float | None = None
    label: str | None = None
    classes: list[str] | None = None
    columns: list[str] | None = None
    drop: list[str] | None = None
    keep: list[str] | None = None
    kinds: dict[str, str] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, kind in (self.kinds or {}).items():
            if kind not in KINDS:
                raise ConfigError(f"dataset.kinds={{{name}: {kind}}}: expected one of {', '.join(KINDS)}")
        if self.classes is not None and (len(self.classes) < 2 or len(set(self.classes)) < len(self.classes)):
            raise ConfigError("dataset.classes needs at least two names, each once")

    @property
    def class_names(self) -> tuple[str, ...]:
        return tuple(str(name) for name in self.classes or ())

    def sides(self) -> dict[str, Path]:
        """The file of each side; a single file is one side that is still to be split."""
        if self.folder().is_file():
            return {"pool": self.folder()}
        found = {}
        for side in _SIDES:
            names = [f"{side}_x.npy" if form == "npy" else f"{side}.{form}" for form in FORMATS]
            paths = [self.folder() / name for name in names if (self.folder() / name).is_file()]
            if len(paths) > 1:
                raise ConfigError(f"{self.folder()} has both {paths[0].name} and {paths[1].name}: keep one of them")
            if paths:
                found[side] = paths[0]
        return found

    def reads_private_labels(self) -> bool:
        return self.classes is None and any(side in _OWNED for side in self.sides())

    def files(self) -> list[Path]:
        paths = []
        for side, path in self.sides().items():
            paths += sorted(path.parent.glob(f"{side}_*.npy")) if path.suffix == ".npy" and side != "pool" else [path]
        return paths

    def missing(self) -> bool:
        return not self.sides()

    def require(self) -> None:
        sides = self.sides()
        if self.path and not self.folder().exists():
            raise ConfigError(f"dataset.path={self.path}: no such file or folder")
        if not sides:
            raise ConfigError(f"{self.folder()} holds no data: {_WANTED}")
        if "pool" in sides:
            if sides["pool"].suffix.lower() not in (".npz", ".csv", ".parquet"):
                raise ConfigError(f"{sides['pool']} cannot be read: {_WANTED}")
            if self.private is None:
                raise ConfigError("dataset.path is one file: say with dataset.private= how many records are private")

    def fetch(self) -> None:
        if self.missing():
            raise ConfigError(f"{self.name} has no package, it is your own data: {_WANTED}")

    def sizes(self) -> Sizes:
        self.require()
        return self._divided({side: count(path) for side, path in self.sides().items()})

    def image_shape(self) -> tuple[int, ...] | None:
        found = self.input_shape()
        return found if found and len(found) > 1 else None

    def input_shape(self) -> tuple[int, ...] | None:
        sides = self.sides()
        return shape(sides.get("public") or next(iter(sides.values())))[1:] or None

    def is_table(self) -> bool:
        return any(path.suffix.lower() in _TABLES for path in self.sides().values())

    def require_column(self, name: str) -> None:
        self.require()
        path = next((path for side, path in self.sides().items() if side in ("pool", "test")), None)
        if path is None:
            raise ConfigError(f"report.by={name}: there is no test file to report on")
        if name not in column_names(path) or name == "x":
            table = path.suffix.lower() in _TABLES
            raise ConfigError(
                f"report.by={name}: {path} has no {'column' if table else 'array'} of this name"
                + ("" if table else f": save one beside x and y, a cell for each record ({name}=...)")
            )

    def written(self, aside: Collection[str], by: str | None) -> Written:
        """The column to report by is one of the file, whatever is learned from; of npz and npy an array beside x."""
        sizes, chosen = self.sizes(), Chosen(tuple(self.columns or ()), tuple(self.drop or ()))
        sides: dict[str, dict[str, np.ndarray]] = {"public": {}, "test": {}}
        learned: tuple[str, ...] = ()
        for side, path in self.sides().items():
            if side == "private":
                continue
            table = path.suffix.lower() in _TABLES
            raw = read(path, self.label, None if table else by, chosen)
            learned = tuple(name for name in columns_of(raw.x) if name not in aside)
            own = raw.whole.get(by or "") if table else raw.group
            found = {name: raw.x[name] for name in learned} | ({by: own} if by and own is not None else {})
            if own is not None and own.shape != (len(raw.x),):
                raise ConfigError(f"{path}: {len(raw.x)} records but '{by}' of shape {own.shape}")
            order = shuffled(len(raw.x), self.seed) if side == "pool" else np.arange(len(raw.x))
            first = sizes.private if side == "pool" else 0
            if side in ("pool", "public"):
                shown = order[first : first + sizes.public]
                sides["public"] = {name: column[shown] for name, column in found.items()}
            if side in ("pool", "test"):
                tested = order[len(order) - sizes.test :]
                sides["test"] = {name: column[tested] for name, column in found.items()}
        return Written(learned, sides["public"], sides["test"])

    def kinds_declared(self) -> Mapping[str, str]:
        return self.kinds or {}

    def no_identifiers(self) -> Collection[str]:
        return self.keep or ()

    def split(self, group_by: str | None = None, budgets: Budgets | None = None) -> Split:
        """Read and check the files, make pools of records, divide those by position alone."""
        raws = self._read(group_by, budgets.column if budgets else None)
        classes, notes = self._classes(raws)
        pools = {side: pooled(raw, classes, side in _OWNED, budgets) for side, raw in raws.items()}
        sizes = self._divided({side: len(pool) for side, pool in pools.items()})
        if "pool" in pools:
            order = shuffled(len(pools["pool"]), self.seed)
            pool = pools["pool"].rows(order)
            shown = slice(sizes.private, sizes.private + sizes.public)
            private, public, test = pool.first(sizes.private), pool.rows(shown), pool.last(sizes.test)
            rows, mine = Rows(raws["pool"].where, order[shown]), order[: sizes.private]
            refuse_on_both_sides(pool.group, sizes.private)
        else:
            nobody = next(iter(pools.values())).first(0)
            private = pools.get("private", nobody).first(sizes.private)
            public = pools.get("public", nobody).first(sizes.public)
            test = pools.get("test", nobody).last(sizes.test)
            rows = Rows(raws["public"].where if "public" in raws else "the public rows", np.arange(sizes.public))
            mine = np.arange(sizes.private)
            if "public" in raws:
                refuse_in_public(private.group, raws["public"].group, raws["public"].where)
        split = assemble(private, public, test, classes, notes)
        known = _recognised(raws.get("pool") or raws.get("private"), mine)
        return replace(split, public_rows=rows, contents=(*known, *split.contents))

    def _read(self, group_by: str | None, budget_by: str | None) -> dict[str, Raw]:
        """Every side's file, as it must be."""
        if group_by is not None and group_by in ("x", "y", self.label):
            raise ConfigError(f"'{group_by}' is no group: name the column that says whose a record is")
        if budget_by is not None and budget_by in ("x", "y", self.label):
            raise ConfigError(f"'{budget_by}' is no budget: name the column that says what a record allows")
        self.require()
        chosen = Chosen(tuple(self.columns or ()), tuple(self.drop or ()))
        raws = {side: read(path, self.label, group_by, chosen, budget_by) for side, path in self.sides().items()}
        for side, raw in raws.items():
            own = (group_by, budget_by) if side in _OWNED else (None, None)
            check(raw, side != "public", own[0], self.label or "", own[1])
        agree(list(raws.values()))
        self._refuse_unknown_columns(raws)
        return raws

    def _refuse_unknown_columns(self, raws: Mapping[str, Raw]) -> None:
        """What is said of a column must be said of one there is."""
        there = {name for raw in raws.values() for name in raw.whole}
        learned = set(columns_of(next(iter(raws.values())).x))
        for key, names, known in (
            ("drop", self.drop, there), ("keep", self.keep, there), ("kinds", self.kinds, learned),
        ):  # fmt: skip
            unknown = [name for name in names or () if name not in known]
            if unknown:
                one = next(raw for raw in raws.values())
                raise ConfigError(f"dataset.{key}: no column {', '.join(unknown)} to learn from; {shown_names(one.x)}")

    def _divided(self, counts: Mapping[str, int]) -> Sizes:
        if "pool" in counts:
            train, held_out = shared(self.name, counts["pool"], self.private)
            return divided(self.name, train, held_out, self.private, self.public, self.test)
        return Sizes(
            *(taken(self.name, side, getattr(self, side), counts.get(side, 0), f"the {side} file") for side in _SIDES)
        )

    def _classes(self, raws: Mapping[str, Raw]) -> tuple[list[str], tuple[str, ...]]:
        if self.classes is not None:
            return list(self.class_names), ()
        labels = [(raw.labels, raw.where) for raw in raws.values() if raw.labels is not None]
        if not labels:
            raise ConfigError("no file has labels to read the classes from: declare them with dataset.classes=[...]")
        if not any(side in _OWNED for side in raws):
            return class_list(labels), ()
        return class_list(labels), (CLASSES_FROM_PRIVATE,)


def _recognised(own: Raw | None, mine: np.ndarray) -> tuple[str, ...]:
    """A digest of the private records as their file says them."""
    if own is None or not len(mine):
        return ()
    assert own.labels is not None  # `check` has refused a private side without
    return (of_table(own.whole, mine) if own.whole else of_arrays(own.x, own.labels, mine),)
