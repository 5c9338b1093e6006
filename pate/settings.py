"""What can be configured, as the objects that carry it out: nothing here knows how it was composed.

A section checks itself when it is built: a ValueError that begins with the name of the field. What a file must hold is
looked at later, by `require`, and what must hold between sections by those who are about to act on them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pate.accounting.guarantee import given
from pate.accounting.smooth_sensitivity import release_cost
from pate.aggregation.aggregator import Aggregator
from pate.aggregation.selection import SELECTIONS
from pate.choice import Choice
from pate.consensus.consensus import Consensus
from pate.data.budgets import Budgets
from pate.data.dataset import Dataset
from pate.dpsgd.train import DPSGD
from pate.errors import ConfigError, one_of
from pate.evaluation.measure import SKEWED
from pate.evaluation.metrics import Question, metrics
from pate.features.encoder import Features
from pate.learning.class_weights import ClassWeights
from pate.ledger.account import LONGEST
from pate.ledger.ledger import Budget
from pate.models.decision import BEST_FOR, Deciding
from pate.report.tracking.tracking import Tracking
from pate.students.student import Student
from pate.teachers.ensemble import Teachers

AUDIENCES = ("owner", "public")
DEVICES = ("auto", "cpu", "cuda")
MODES = ("research", "strict")
_MOST_POINTS = 30  # of a curve


@dataclass(frozen=True)
class PartitionConfig:
    group_by: str | None = None  # a column of the private data: all of one person's records go to one teacher
    budget_by: str | None = None  # a column of the private data: how much epsilon a record allows
    budgets: Any = None  # which epsilon each cell there allows, as in {low: 0.1, high: 1}

    def __post_init__(self) -> None:
        allowed = self.allowed
        if allowed and allowed.column == self.group_by:
            raise ValueError(
                f"budget_by and group_by are both {self.group_by}: whose a record is says nothing of budgets"
            )
        if allowed:
            object.__setattr__(self, "budgets", allowed.plain())

    @property
    def allowed(self) -> Budgets | None:
        return Budgets.of(self.budget_by, self.budgets)


@dataclass(frozen=True)
class VotesConfig:
    path: str | None = None  # votes from elsewhere: no teachers are trained

    def require(self) -> None:
        _there("votes.path", self.path)


@dataclass(frozen=True)
class LabelsConfig:
    queries: int = 100  # null on the command line: what an epsilon buys, or these
    selection: str = "random"
    rounds: int = 5  # of selection=active
    wrong: float | None = None  # the share of wrong labels to expect; null: what the noise alone makes wrong
    path: str | None = None  # labels from elsewhere: no votes are needed

    def __post_init__(self) -> None:
        one_of("labels.selection", self.selection, SELECTIONS)
        if self.queries < 1:
            raise ValueError(f"queries must be at least 1, got {self.queries}")
        if self.wrong is not None and not 0 <= self.wrong < 1:
            raise ValueError(f"wrong must be a share of at least 0 and below 1, got {self.wrong}")
        if self.selection == "active" and not 1 <= self.rounds <= self.queries:
            raise ValueError(f"rounds must lie between 1 and labels.queries={self.queries}, got {self.rounds}")

    def require(self) -> None:
        _there("labels.path", self.path)


@dataclass(frozen=True)
class AccountConfig:
    target_epsilon: float | None = None  # say how many queries fit
    on_votes: bool = False  # on the owner's votes: then no epsilon covers the choice
    data_dependent: bool = (
        True  # what answers cost on these data too, the owner's; it takes a while where many are asked
    )

    def __post_init__(self) -> None:
        positive("target_epsilon", self.target_epsilon)


@dataclass(frozen=True)
class QualityConfig:
    gammas: list[float] = field(default_factory=lambda: [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0])

    def __post_init__(self) -> None:
        if not self.gammas or not all(1e-5 <= gamma <= 100 for gamma in self.gammas):
            raise ValueError(f"gammas must lie between 1e-5 and 100, at least one, got {self.gammas}")


@dataclass(frozen=True)
class SanitiseConfig:
    order: float = 20.0  # of the divergence that is published
    beta: float = 0.01  # of its smooth sensitivity; below about 1 / (2 order)
    sigma_ss: float = 5.0  # noise, in smooth sensitivities

    def __post_init__(self) -> None:
        release_cost(self.order, self.beta, self.sigma_ss)  # known before anything is drawn


@dataclass(frozen=True)
class ReportConfig:
    audience: str = "owner"  # or public: a page without anything that depends on the private data beyond the mechanism
    panel: bool = True  # whether the owner's page has prices at other settings
    by: str | None = None  # a column of the data: error rates of every method by its cells on the test set

    def __post_init__(self) -> None:
        one_of("report.audience", self.audience, AUDIENCES)


@dataclass(frozen=True)
class ReleaseConfig:
    method: str | None = None  # which method leaves; null: the first that can


@dataclass(frozen=True)
class NoiseConfig:
    seed: int | None = None  # for evaluation only: seeded noise is not private

    def __post_init__(self) -> None:
        _seed(self.seed or 0)


@dataclass(frozen=True)
class BudgetConfig:
    mode: str = "research"  # or strict: refuse what does not fit
    account: str | None = None  # the private data's name in the ledger; null: as the ledger knows it
    epsilon: float | None = None  # of everything ever released from it; null: no limit
    delta: float | None = None  # null: the run's
    lift: bool = False  # give up a stricter budget of the account

    def __post_init__(self) -> None:
        one_of("budget.mode", self.mode, MODES)
        if self.mode == "strict" and self.epsilon is None:
            raise ConfigError("budget=strict needs budget.epsilon: all that may ever be released from the account")
        positive("epsilon", self.epsilon)
        if self.delta is not None:
            check_delta(self.delta)
        name = self.account
        if name is not None and not (name.isprintable() and len(name.strip()) > 0 and len(name) <= LONGEST):
            raise ValueError(f"account must be a name of at most {LONGEST} printable characters")


@dataclass(frozen=True)
class SweepConfig:
    epsilon: float | None = None  # name the best configuration that costs no more

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)


@dataclass(frozen=True)
class CurveConfig:
    epsilons: list[float] = field(default_factory=lambda: [0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0])
    seeds: list[int] | None = None  # of the runs behind every point; null: the run's

    def __post_init__(self) -> None:
        ordered = sorted(set(self.epsilons))
        if not 1 <= len(ordered) <= _MOST_POINTS or not all(math.isfinite(one) and one > 0 for one in ordered):
            raise ValueError(
                f"epsilons must be positive numbers, at least one and at most {_MOST_POINTS}, got {self.epsilons}"
            )
        if self.seeds is not None:
            if not self.seeds or len(set(self.seeds)) < len(self.seeds):
                raise ValueError(f"seeds must be different numbers, at least one, got {self.seeds}")
            for seed in self.seeds:
                _seed(seed, "seeds")
        object.__setattr__(self, "epsilons", [float(one) for one in ordered])


@dataclass(frozen=True)
class CompareConfig:
    metric: str | None = None  # by which a model is better; null: accuracy, or balanced accuracy (see the default)
    positive: str | None = None  # the class whose recall is told at a fixed share of false positives
    false_positives: float = 0.05  # that share
    runs: list[str] = field(default_factory=list)  # folders of earlier runs and sweeps: then no stage is run

    def __post_init__(self) -> None:
        if self.metric is not None:
            one_of("compare.metric", self.metric, metrics())
        if not 0 < self.false_positives < 1:
            raise ValueError(f"false_positives must lie strictly between 0 and 1, got {self.false_positives:g}")
        if self.takes_positive and self.positive is None and not self.runs:
            raise ValueError(f"positive must name the class that compare.metric={self.metric} is about")
        object.__setattr__(self, "runs", [str(folder) for folder in self.runs])  # a list there is no folder either

    @property
    def takes_positive(self) -> bool:
        """Whether the metric is about the named class."""
        return self.metric is not None and metrics()[self.metric].takes_asked

    @property
    def more(self) -> str:
        """What was asked of the metric beside its name."""
        return f" ({self.positive}, at {self.false_positives:.0%})" if self.takes_positive and self.positive else ""

    def asked(self, classes: Sequence[str]) -> Question:
        """The same for a metric; a ConfigError if there is no such class."""
        if self.positive is None:
            return Question(None, self.false_positives)
        one_of("compare.positive", self.positive, list(classes))
        return Question(list(classes).index(self.positive), self.false_positives)


@dataclass(frozen=True)
class BalanceConfig:
    answers: bool | None = None  # null: where dataset.priors put more than 60% in one class
    records: bool = False  # needs dataset.priors: shares counted in private labels are private


@dataclass(frozen=True)
class DecisionConfig:
    positive: str | None = None  # the class that a threshold is for
    threshold: Any = None  # a probability, or what it is to be best for

    def __post_init__(self) -> None:
        if (self.positive is None) != (self.threshold is None):
            given = "positive" if self.threshold is None else "threshold"
            raise ValueError(f"{given} is one of two: decision.positive names the class that decision.threshold is for")
        number = isinstance(self.threshold, int | float) and not isinstance(self.threshold, bool)
        if self.threshold is None or (number and 0 < self.threshold < 1):
            return
        if self.threshold not in BEST_FOR:
            told = f"{self.threshold:g}" if number else self.threshold
            raise ValueError(
                f"threshold must lie strictly between 0 and 1, or be one of {', '.join(BEST_FOR)}, got {told}"
            )


@dataclass(frozen=True)
class CleanConfig:
    yes: bool = False  # remove what stage=clean lists


def positive(name: str, value: float | None) -> None:
    """A ValueError for a number that is none; null is nobody's."""
    if value is not None and not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name} must be a positive number, got {value}")


def check_delta(value: float) -> None:
    """A ValueError for what is no delta."""
    if not 0 < value < 1:
        raise ValueError(f"delta must lie strictly between 0 and 1, got {value:g}")


def _seed(value: int, name: str = "seed") -> None:
    if not 0 <= value < 2**32:
        raise ValueError(f"{name} must lie between 0 and 2^32 - 1, got {value}")


def _there(name: str, path: str | None) -> None:
    if path is not None and not Path(path).is_file():
        raise ConfigError(f"{name}={path}: no such file")


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
    consensus: Consensus
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
    balance: BalanceConfig
    decision: DecisionConfig
    curve: CurveConfig
    clean: CleanConfig
    asked: Asked | None
    output: str | None  # where what leaves is put, if somebody said
    stage: str
    methods: tuple[str, ...]
    named: tuple[str, ...]  # those that somebody has named: others are made for the owner's comparison
    epsilon: float | None  # of the whole run: what may be published of it costs no more
    why: tuple[str, ...]  # what was filled in, and by what
    delta: float
    seed: int
    force: tuple[str, ...]
    n_jobs: int
    device: str
    workspace: Path
    plain: dict[str, Any]  # the same as JSON, for results
    said: dict[str, Any] = field(default_factory=dict)  # as JSON too, before anything was filled in
    own: Mapping[str, Choice] = field(default_factory=dict)  # what methods of other packages bring

    def __getattr__(self, name: str) -> Any:
        """A method's own settings stand under its key."""
        own = self.__dict__.get("own", {})
        if name not in own:
            raise AttributeError(f"there is no setting {name}")
        return own[name]

    def __post_init__(self) -> None:
        one_of("device", self.device, DEVICES)
        check_delta(self.delta)
        _seed(self.seed)
        if self.n_jobs == 0:
            raise ValueError("n_jobs must not be 0: give a number of processes, or -1 for every core")

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is allowed, and still worth a second thought."""
        records = self.dataset.sizes().private
        promised = {"delta": self.delta} | ({} if self.budget.epsilon is None else {"budget.delta": self.limit.delta})
        return tuple(
            f"{name}={given(delta)} is not below 1/{records}: within such a delta a mechanism may publish a record"
            for name, delta in dict.fromkeys(promised.items())
            if records and delta >= 1 / records
        )

    def kept(self, method: str, by_itself: bool) -> bool:
        """Whether a method's model is made for the owner's comparison, and not spent. With one epsilon for the whole
        run only that is released which `release.method` names, or which is the only one of methods=; without one, what
        was named at all, and what is released `by_itself`."""
        if self.epsilon is None:
            return not (by_itself or method in self.named)
        return method != (self.release.method or (self.named[0] if len(self.named) == 1 else None))

    @property
    def limit(self) -> Budget:
        """What may ever be released from the account."""
        delta = self.delta if self.budget.delta is None else self.budget.delta
        return Budget(self.budget.epsilon, delta, self.budget.mode == "strict", self.budget.lift)

    @property
    def deciding(self) -> Deciding:
        """Which class models answer, as far as it does not hang on what they believe."""
        shares, decision = self.dataset.shares or {}, self.decision
        skewed = max(shares.values(), default=0.0) > SKEWED
        balanced = skewed if self.balance.answers is None else self.balance.answers
        asked = balanced or decision.positive is not None
        declared = shares if asked and not self.has_public else {}
        return Deciding(balanced, decision.positive, decision.threshold, declared)

    @property
    def class_weights(self) -> ClassWeights:
        """What records weigh while teachers and DP-SGD learn."""
        shares = self.dataset.shares if self.balance.records else None
        return ClassWeights(tuple(shares.values()) if shares else ())

    @property
    def has_public(self) -> bool:
        return self.dataset.sizes().public > 0

    @property
    def classes_from_private(self) -> bool:
        """Whether which classes there are would be read off private labels: nobody has declared them."""
        return not self.dataset.class_names and self.dataset.reads_private_labels()

    @property
    def has_private(self) -> bool:
        """Without private records there is no teacher, no DP-SGD and no non-private bound."""
        return self.dataset.sizes().private > 0
