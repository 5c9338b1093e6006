"""What a run found, typed: what results.json holds, and what every table, page and sweep is drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pate.accounting.guarantee import Guarantee, best, publishable, worst_case
from pate.evaluation.by_column import ByColumn
from pate.evaluation.leads import Lead
from pate.evaluation.measure import ACCURACY, Measure
from pate.evaluation.quality import Quality
from pate.ledger.summary import AccountTotal
from pate.workspace.versions import RESULTS


@dataclass(frozen=True)
class Calibration:
    """Inputs in bins by confidence: in each the mean confidence, the share that is right, the share of all inputs."""

    confidence: list[float] | None = None
    right: list[float] | None = None
    share: list[float] | None = None


@dataclass(frozen=True)
class MethodResult:
    """A method in the comparison: its guarantees, and how its model does on the test set and on the public pool.

    `standard_errors` are those of `metrics`, `leads` are over each other method, by metric. `details` are figures of
    its own. Accuracies of views are those of the mean answer over moved copies of each input (test-time augmentation).
    """

    derived: ClassVar[tuple[str, ...]] = (
        "epsilon", "delta", "epsilon_publishable", "guarantee", "relation", "accuracy", "public_accuracy",
    )  # fmt: skip

    name: str
    title: str
    short: str = ""  # where there is little room
    mark: str = "D"  # of matplotlib's
    colour: str = "ink"  # a name of the page's palette
    about: str = ""
    private: bool = True
    from_pool: bool = False  # learned from the public pool
    from_labels: bool = False  # a student of the run's noisy labels, and not a learner of its own
    stage: str = ""  # that makes its model
    kept: bool = False  # made to be compared, and not released
    guarantees: list[Guarantee] = field(default_factory=list)
    metrics: dict[str, float | None] = field(default_factory=dict)
    public_metrics: dict[str, float | None] = field(default_factory=dict)
    standard_errors: dict[str, float] = field(default_factory=dict)
    accuracy_of_views: float | None = None
    public_accuracy_of_views: float | None = None
    leads: dict[str, dict[str, Lead]] = field(default_factory=dict)
    confusion: list[list[int]] | None = None
    by_class: dict[str, float | None] = field(default_factory=dict)
    public_by_class: dict[str, float | None] = field(default_factory=dict)
    calibration: Calibration = field(default_factory=Calibration)
    public_calibration: Calibration = field(default_factory=Calibration)
    details: dict[str, float | None] = field(default_factory=dict)
    seconds: float | None = None

    @property
    def best(self) -> Guarantee | None:
        """The owner's: the smallest epsilon that holds."""
        return best(self.guarantees)

    @property
    def publishable(self) -> Guarantee | None:
        return publishable(self.guarantees)

    @property
    def worst_case(self) -> Guarantee | None:
        """For every data set, whether or not it may leave."""
        return worst_case(self.guarantees)

    @property
    def epsilon(self) -> float | None:
        return self.best.epsilon if self.best else None

    @property
    def delta(self) -> float | None:
        return self.best.delta if self.best else None

    @property
    def epsilon_publishable(self) -> float | None:
        return self.publishable.epsilon if self.publishable else None

    @property
    def guarantee(self) -> str | None:
        return self.best.holds_for if self.best else None

    @property
    def relation(self) -> str | None:
        return str(self.best.relation) if self.best else None

    @property
    def accuracy(self) -> float | None:
        return self.metrics.get("accuracy")

    @property
    def public_accuracy(self) -> float | None:
        return self.public_metrics.get("accuracy")


@dataclass(frozen=True)
class Baseline:
    """Always answering the class that is most common in the test set, and believing in the shares of its classes: no
    method, and of no epsilon. `leads` are those of the methods over it."""

    answer: str
    metrics: dict[str, float | None] = field(default_factory=dict)
    standard_errors: dict[str, float] = field(default_factory=dict)
    leads: dict[str, dict[str, Lead]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return f"always {self.answer}"


@dataclass(frozen=True)
class Planned:
    """How many queries a target epsilon buys."""

    target_epsilon: float
    queries: int
    on_votes: bool = False


@dataclass(frozen=True)
class Labelling:
    """PATE's own figures: how many labels, how good, and what every accountant says they cost."""

    teachers: int | None = None
    queries: int | None = None
    answered: int | None = None
    label_accuracy: float | None = None
    teacher_accuracy: float | None = None
    plurality_accuracy: float | None = None
    epsilon: dict[str, float] = field(default_factory=dict)  # by accountant
    accountants: list[Guarantee] = field(default_factory=list)
    plan: Planned | None = None


@dataclass(frozen=True)
class Table:
    """What a method has to show beside scores: numbers, and how each column is written (a format of Python's)."""

    title: str
    words: str
    columns: dict[str, str]
    rows: list[list[float | None]]

    def cells(self) -> list[list[str]]:
        """As they are read."""
        forms = list(self.columns.values())
        return [
            ["-" if x is None else format(x, form) for x, form in zip(row, forms, strict=True)] for row in self.rows
        ]


@dataclass(frozen=True)
class StageResult:
    """How one stage went."""

    key: str
    reused: bool
    seconds: float = 0.0
    memory: int | None = None
    seeded: bool = False
    summary: str = ""
    crosses: bool = False  # it draws from private data what may leave: another key, or drawn again, is another release


@dataclass(frozen=True)
class Results:
    """One run, with everything needed to repeat it. The owner's."""

    methods: list[MethodResult]
    pate: Labelling
    stages: dict[str, StageResult]
    config: dict[str, Any]
    notes: list[str]
    measure: Measure = ACCURACY  # what decides which model is better
    baseline: Baseline | None = None
    by: ByColumn | None = None  # error rates by the groups of a column, where one was asked about
    quality: Quality | None = None
    tables: list[Table] = field(default_factory=list)
    plan: list[str] = field(default_factory=list)  # what a whole run would release, and the account with it
    ledger: AccountTotal | None = None
    published: str | None = None
    public_page: str | None = None
    command: str = ""
    overrides: list[str] = field(default_factory=list)
    made_in: str = ""  # the folder its relative paths are relative to; empty where an earlier version did not say
    versions: dict[str, str] = field(default_factory=dict)
    warned: list[str] = field(default_factory=list)  # said while it ran
    public_notes: list[str] = field(default_factory=list)
    version: int = RESULTS

    @property
    def data(self) -> str:
        return str(self.config["dataset"]["name"])

    @property
    def test_public(self) -> bool:
        """Whether test inputs are everybody's."""
        return bool(self.config["dataset"].get("test_public"))

    @property
    def other_metrics(self) -> list[str]:
        """Those beside accuracy that some method has a value of."""
        known = (name for row in self.methods for name, value in row.metrics.items() if value is not None)
        return [name for name in dict.fromkeys(known) if name != ACCURACY.name]

    @property
    def scored(self) -> Sequence[MethodResult]:
        return [one for one in self.methods if one.accuracy is not None]
