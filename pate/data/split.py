"""The split every run starts from: private | public | test, by position only, so that it can itself be public."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pate.artifact import Artifact
from pate.errors import ConfigError


@dataclass(frozen=True)
class Private(Artifact):
    """Records nobody outside may learn about. `group` names the person behind each record, where that is known."""

    x: np.ndarray
    y: np.ndarray
    classes: list[str]
    group: np.ndarray | None = None
    columns: dict[str, Any] | None = None  # how a table became numbers: learned from public rows


@dataclass(frozen=True)
class Public(Artifact):
    """Inputs anybody may see. Their true labels are not here."""

    x: np.ndarray
    classes: list[str]
    columns: dict[str, Any] | None = None


@dataclass(frozen=True)
class Test(Artifact):
    """Inputs that score the models; nothing learns from them."""

    x: np.ndarray


@dataclass(frozen=True)
class Truth(Artifact):
    """What only scoring reads: true labels of the public inputs and of the test set; -1 where none is known."""

    public_y: np.ndarray
    test_y: np.ndarray


@dataclass(frozen=True)
class Split:
    private: Private
    public: Public
    test: Test
    truth: Truth
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sizes:
    """How many records each side has."""

    private: int
    public: int
    test: int


@dataclass(frozen=True)
class Pool:
    """Records in a fixed order, before they are split."""

    x: np.ndarray
    y: np.ndarray
    group: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.y)

    def rows(self, rows: slice | np.ndarray) -> Pool:
        """The records at these positions."""
        return Pool(self.x[rows], self.y[rows], None if self.group is None else self.group[rows])

    def first(self, count: int) -> Pool:
        return self.rows(slice(0, count))

    def last(self, count: int) -> Pool:
        return self.rows(slice(len(self) - count, len(self)))


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
        Private(private.x, private.y, list(classes), private.group),
        Public(public.x, list(classes)),
        Test(test.x),
        Truth(public.y, test.y),
        notes,
    )
