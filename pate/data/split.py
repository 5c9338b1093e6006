"""The split every run starts from: private | public | test, by position only, so that it can itself be public."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pate.data.recognise import of_records
from pate.data.records import Pool
from pate.errors import ConfigError
from pate.workspace.artifact import Arrays, Artifact


@dataclass(frozen=True)
class Private(Artifact):
    """Records nobody outside may learn about. `group` names the person behind each record, where that is known;
    `allowed` is the epsilon each allows, where there are budgets of one's own."""

    x: np.ndarray
    y: np.ndarray
    classes: list[str]
    group: np.ndarray | None = None
    columns: dict[str, Any] | None = None  # how a table became numbers: learned from public rows
    allowed: np.ndarray | None = None

    def check(self) -> None:
        _check_inputs(self.x)
        if self.y.dtype != np.int64 or self.y.shape != (len(self.x),):
            raise ValueError("there must be a label, int64, for each record")
        if not ((self.y >= 0) & (self.y < len(self.classes))).all():
            raise ValueError(f"labels must lie in 0..{len(self.classes) - 1}")
        if self.group is not None and (self.group.shape != self.y.shape or self.group.dtype.kind not in "iU"):
            raise ValueError("there must be a group, a number or a name, for each record")
        if self.allowed is not None and (
            self.allowed.shape != self.y.shape or self.allowed.dtype != np.float64 or not (self.allowed >= 0).all()
        ):
            raise ValueError("there must be an epsilon of at least 0, float64, for each record")

    def split(self) -> tuple[Arrays, dict[str, Any]]:
        """Without budgets as it was before there were any: what is drawn from private records is known by them."""
        arrays, facts = super().split()
        return arrays, {name: fact for name, fact in facts.items() if name != "allowed"}


@dataclass(frozen=True)
class Public(Artifact):
    """Inputs anybody may see. Their true labels are not here."""

    x: np.ndarray
    classes: list[str]
    columns: dict[str, Any] | None = None

    def check(self) -> None:
        _check_inputs(self.x)


@dataclass(frozen=True)
class Test(Artifact):
    """Inputs that score the models; nothing learns from them."""

    x: np.ndarray

    def check(self) -> None:
        _check_inputs(self.x)


@dataclass(frozen=True)
class Truth(Artifact):
    """What only scoring reads: true labels of the public inputs and of the test set; -1 where none is known."""

    public_y: np.ndarray
    test_y: np.ndarray

    def check(self) -> None:
        for y in (self.public_y, self.test_y):
            if y.ndim != 1 or y.dtype != np.int64 or (y < -1).any():
                raise ValueError("true labels must be lists of int64, -1 for none")


def _check_inputs(x: np.ndarray) -> None:
    if x.ndim not in (2, 3, 4) or x.dtype.kind not in "biuf" or not np.isfinite(x).all():
        raise ValueError("inputs must be finite numbers: a table, or images")


@dataclass(frozen=True)
class Rows:
    """Where public rows stand: in which file, and as which of its records."""

    where: str
    positions: np.ndarray

    def at(self, place: int) -> str:
        return f"record {int(self.positions[place]) + 1} of {self.where}"


@dataclass(frozen=True)
class Split:
    private: Private
    public: Public
    test: Test
    truth: Truth
    notes: tuple[str, ...] = ()
    contents: tuple[str, ...] = ()  # digests of the private records, each of which may be known to the ledger
    public_rows: Rows | None = None  # where the public ones stand, to be named in errors


@dataclass(frozen=True)
class Sizes:
    """How many records each side has."""

    private: int
    public: int
    test: int


def taken(name: str, side: str, asked: int | None, there: int, where: str) -> int:
    """How many records a side gets: what was asked, or all of them."""
    if asked is not None and asked > there:
        raise ConfigError(
            f"{name}: dataset.{side}={asked} asks for more than there is: {where} has {there} records left for it"
        )
    return there if asked is None else asked


def divided(name: str, train: int, held_out: int, private: int | None, public: int | None, test: int | None) -> Sizes:
    """Private from the start of the train pool; public from the start of the test pool, test from its end.

    A null takes all that the others leave, so `test` alone leaves the rest public and `public` alone the rest test.
    """
    if public is None and test is not None:
        tested = taken(name, "test", test, held_out, "the test pool")
        shown = held_out - tested
    else:
        shown = taken(name, "public", public, held_out, "the test pool")
        tested = taken(name, "test", test, held_out - shown, f"the test pool of {held_out}")
    return Sizes(taken(name, "private", private, train, "the train pool"), shown, tested)


def shared(name: str, records: int, private: int | None) -> tuple[int, int]:
    """A single pool as a train pool of the private records and a test pool of the rest."""
    train = taken(name, "private", private, records, "the set")
    return train, records - train


def shuffled(records: int, seed: int) -> np.ndarray:
    """An order for a set with a single pool. It sees positions only: no record can move another one."""
    return np.random.default_rng(seed).permutation(records)


def assemble(private: Pool, public: Pool, test: Pool, classes: list[str], notes: tuple[str, ...] = ()) -> Split:
    """Three pools as a split; true labels of the public side go behind the comparison's door."""
    return Split(
        Private(private.x, private.y, list(classes), private.group, allowed=private.allowed),
        Public(public.x, list(classes)),
        Test(test.x),
        Truth(public.y, test.y),
        notes,
        tuple(filter(None, [of_records(private.x, private.y)])),
    )
