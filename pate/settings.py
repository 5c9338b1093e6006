"""What can be configured, as the objects that carry it out: nothing here knows how it was composed."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pate.aggregation.aggregator import Aggregator
from pate.data.dataset import Dataset
from pate.dpsgd.train import DPSGD
from pate.features.encoder import Features
from pate.ledger.ledger import Budget
from pate.report.tracking import Tracking
from pate.students.student import Student
from pate.teachers.ensemble import Teachers


@dataclass
class PartitionConfig:
    group_by: str | None = None  # a column of the private data: all of one person's records go to one teacher


@dataclass
class VotesConfig:
    path: str | None = None  # votes from elsewhere: no teachers are trained


@dataclass
class LabelsConfig:
    queries: int = 100
    selection: str = "random"
    rounds: int = 5  # of selection=active
    wrong: float | None = None  # the share of wrong labels to expect; null: what the noise alone makes wrong
    path: str | None = None  # labels from elsewhere: no votes are needed


@dataclass
class AccountConfig:
    target_epsilon: float | None = None  # say how many queries fit
    on_votes: bool = False  # on the owner's votes: then no epsilon covers the choice


@dataclass
class QualityConfig:
    gammas: list[float] = field(default_factory=lambda: [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0])


@dataclass
class SanitiseConfig:
    order: float = 20.0  # of the divergence that is published
    beta: float = 0.01  # of its smooth sensitivity; below about 1 / (2 order)
    sigma_ss: float = 5.0  # noise, in smooth sensitivities


AUDIENCES = ("owner", "public")


@dataclass
class ReportConfig:
    audience: str = "owner"  # or public: a page without anything that depends on the private data beyond the mechanism


@dataclass
class ReleaseConfig:
    method: str | None = None  # which method leaves; null: the first that can


@dataclass
class NoiseConfig:
    seed: int | None = None  # for evaluation only: seeded noise is not private


@dataclass
class BudgetConfig:
    mode: str = "research"  # or strict: refuse what does not fit
    account: str | None = None  # the private data's name in the ledger; null: as the ledger knows it
    epsilon: float | None = None  # of everything ever released from it; null: no limit
    delta: float | None = None  # null: the run's
    lift: bool = False  # give up a stricter budget of the account


@dataclass
class SweepConfig:
    epsilon: float | None = None  # name the best configuration that costs no more


@dataclass
class CompareConfig:
    runs: list[str] = field(default_factory=list)  # folders of earlier runs and sweeps: then no stage is run


@dataclass
class CleanConfig:
    yes: bool = False  # remove what stage=clean lists


@dataclass(frozen=True)
class Asked:
    """What stage=predict is asked: which student, about what, where the answers go (null: into the run), and whether it
    is the owner who asks."""

    student: Path
    input: Path
    output: Path | None
    views: bool
    owner: bool


@dataclass(frozen=True)
class Settings:
    """A checked configuration: every choice as the object that carries it out."""

    dataset: Dataset
    features: Features
    teachers: Teachers
    aggregator: Aggregator
    student: Student
    dpsgd: DPSGD
    tracking: Tracking
    partition: PartitionConfig
    votes: VotesConfig
    labels: LabelsConfig
    account: AccountConfig
    quality: QualityConfig
    sanitise: SanitiseConfig
    report: ReportConfig
    release: ReleaseConfig
    noise: NoiseConfig
    budget: BudgetConfig
    sweep: SweepConfig
    compare: CompareConfig
    clean: CleanConfig
    asked: Asked | None
    output: str | None  # where what leaves is put, if somebody said
    stage: str
    methods: tuple[str, ...]
    delta: float
    seed: int
    force: tuple[str, ...]
    n_jobs: int
    device: str
    workspace: Path
    plain: dict[str, Any]  # the same as JSON, for results

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is allowed, and still worth a second thought."""
        records = self.dataset.sizes().private
        promised = {"delta": self.delta} | ({} if self.budget.epsilon is None else {"budget.delta": self.limit.delta})
        return tuple(
            f"{name}={delta:g} is not below 1/{records}: within such a delta a mechanism may publish a record"
            for name, delta in dict.fromkeys(promised.items())
            if records and delta >= 1 / records
        )

    @property
    def limit(self) -> Budget:
        """What may ever be released from the account."""
        delta = self.delta if self.budget.delta is None else self.budget.delta
        return Budget(self.budget.epsilon, delta, self.budget.mode == "strict", self.budget.lift)

    @property
    def has_public(self) -> bool:
        return self.dataset.sizes().public > 0

    @property
    def has_pate(self) -> bool:
        """PATE needs public inputs to ask about."""
        return "pate" in self.methods and self.has_public

    @property
    def has_price(self) -> bool:
        """What labels cost is known where they are drawn."""
        return self.has_pate and not self.labels.path

    @property
    def has_dpsgd(self) -> bool:
        """DP-SGD at PATE's epsilon needs that epsilon."""
        return "dpsgd" in self.methods and (self.has_price or self.dpsgd.epsilon != "pate")

    @property
    def classes_from_private(self) -> bool:
        """Whether which classes there are would be read off private labels: nobody has declared them."""
        return not self.dataset.class_names and self.dataset.reads_private_labels()

    @property
    def has_private(self) -> bool:
        """Without private records there is no teacher, no DP-SGD and no non-private bound."""
        return self.dataset.sizes().private > 0
