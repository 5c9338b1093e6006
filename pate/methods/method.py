"""A method: a way from private data to a model, with its stages, its guarantees, and what of it may be released.

Everything that compares, shows or ships goes through the list of methods: one more is one file with one of these, and
its stages. Those of other packages are entry points of the group `pate.methods`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pate.accounting.guarantee import Guarantee
from pate.choice import Choice
from pate.errors import ConfigError
from pate.evaluation.results import Table
from pate.ledger.ledger import Release
from pate.workspace.stage import Ref, Stage

Made = Callable[[Ref], Any]  # what a run has made, or None


@dataclass(frozen=True)
class Entry:
    """A model of a method in the comparison: a row of every table. It is there once any of `shown_by` is made.

    `mark` is one of matplotlib's, `colour` a name of the page's palette, `stages` are those whose time is its own.
    """

    key: str
    title: str
    model: Ref
    shown_by: tuple[Ref, ...]
    about: str = ""
    short: str = ""
    mark: str = "D"
    colour: str = "ink"
    private: bool = True
    from_pool: bool = False  # learned from the public pool: how it does there is shown beside the test set
    from_labels: bool = False  # a student of the run's noisy labels: their figures and the page's mistakes are its
    kept: bool = False  # made to be compared, and not released
    priced: bool = True  # whether it is known what it cost
    stages: tuple[str, ...] = ()
    guarantees: Callable[[Made], list[Guarantee]] = field(default=lambda made: [])
    details: Callable[[Made], dict[str, float | None]] = field(default=lambda made: {})


class Method(ABC):
    """What the pipeline asks of a method; `settings` below is always the whole run's.

    `own` is the class of its own settings, if it brings any: they stand under its key (`pate toy.epsilon=2`).
    `shaped_by` names others that shape its model, beside those of the data: a public page shows them where it leaves.
    """

    key: ClassVar[str]
    own: ClassVar[type[Choice] | None] = None
    shaped_by: ClassVar[Sequence[str]] = ()
    asks: ClassVar[bool] = False  # whether it has an aggregator answer queries
    keeps_budgets: ClassVar[bool] = False  # whether a record that allows less of its epsilon pays less

    @property
    def settings_shown(self) -> list[str]:
        """Without these nobody could repeat it."""
        return [*self.shaped_by, *[self.key] * (self.own is not None)]

    @abstractmethod
    def stages(self, settings: Any) -> list[Stage]:
        """Its stages, each after those it reads from."""

    @abstractmethod
    def entries(self, settings: Any) -> list[Entry]:
        """Its rows in the comparison."""

    def left_out(self, settings: Any) -> str:
        """Why it cannot be part of this run, as a sentence for the results; empty if it can."""
        return ""

    def check(self, settings: Any) -> None:  # noqa: B027  (most have nothing to refuse)
        """Refuse, as a ConfigError, what would fail later, perhaps after privacy was spent. Asked of each that has a
        part in the run, before anything is made."""

    def notes(self, settings: Any, made: Made) -> Iterator[str]:
        """What the results must say of it."""
        return iter(())

    def release(self, settings: Any) -> Stage | None:
        """The stage that publishes it, if it can be published at all."""
        return None

    def refused_release(self, settings: Any) -> str:
        """Why it must not be released under these settings; empty if it may."""
        return "" if self.release(settings) else f"nothing of {self.key} may leave"

    def foreseen(self, settings: Any, stages: Collection[str]) -> Iterator[tuple[str, Release]]:
        """What these of its stages would release, as far as the configuration alone tells."""
        return iter(())

    def along(self, settings: Any, page: bool) -> list[str]:
        """Stages that come along with the one that was asked for: no label is used without being priced."""
        return []

    def answers(self, settings: Any, stage: str) -> list[str]:
        """Its stages that answer what other methods are asked by a stage's name too: `account`, `quality`."""
        return []

    def tables(self, settings: Any, made: Made) -> Iterator[Table]:
        """What it has to show the owner beside scores."""
        return iter(())

    def evidence(self, settings: Any) -> Sequence[Ref]:
        """What the page shows of it beside scores."""
        return ()


class Unloadable(Method):
    """In the place of a plug-in's that is broken: whoever chooses it hears why."""

    def __init__(self, why: ConfigError) -> None:
        self.why = why

    def left_out(self, settings: Any) -> str:
        raise self.why

    def stages(self, settings: Any) -> list[Stage]:
        raise self.why

    def entries(self, settings: Any) -> list[Entry]:
        raise self.why


def chosen(methods: dict[str, Method], names: Iterable[str]) -> list[Method]:
    """Those of these names, in the order of all there are: some read what others make. A ValueError for one there is
    not."""
    wanted = list(names)
    for name in wanted:
        if name not in methods:
            raise ValueError(f"methods: there is no {name}; there are {', '.join(methods)}")
    return [method for name, method in methods.items() if name in wanted]
