"""What can be configured: the typed schema, and the objects a configuration stands for.

The root is a dataclass in Hydra's config store. A choice within a group (`teachers=ridge`) is a YAML file that names
a frozen dataclass in `_target_`; that dataclass is its schema, its checks, and the thing itself.
"""

from __future__ import annotations

import importlib
from dataclasses import asdict, dataclass, field, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from hydra.core.config_store import ConfigStore
from omegaconf import MISSING, DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from pate.aggregation.aggregator import Aggregator
from pate.data.dataset import Dataset
from pate.dpsgd.train import DPSGD
from pate.errors import ConfigError, one_line
from pate.features.encoder import Features
from pate.ledger import Budget
from pate.students.student import Student
from pate.teachers.ensemble import Teachers
from pate.tracking import Tracking


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
class NoiseConfig:
    seed: int | None = None  # for evaluation only: seeded noise is not private


@dataclass
class BudgetConfig:
    mode: str = "research"  # or strict: refuse what does not fit
    account: str | None = None  # the private data's name in the ledger; null: as it is known there, or pate.accounts
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


@dataclass
class Config:
    """The root schema. `stage` is what to bring up to date; `all` is everything that applies."""

    dataset: Any = MISSING
    features: Any = MISSING
    teachers: Any = MISSING
    aggregator: Any = MISSING
    student: Any = MISSING
    dpsgd: Any = MISSING
    tracking: Any = MISSING
    partition: PartitionConfig = field(default_factory=PartitionConfig)
    votes: VotesConfig = field(default_factory=VotesConfig)
    labels: LabelsConfig = field(default_factory=LabelsConfig)
    account: AccountConfig = field(default_factory=AccountConfig)
    quality: QualityConfig = field(default_factory=QualityConfig)
    sanitise: SanitiseConfig = field(default_factory=SanitiseConfig)
    report: ReportConfig = field(default_factory=ReportConfig)
    noise: NoiseConfig = field(default_factory=NoiseConfig)
    budget: BudgetConfig = field(default_factory=BudgetConfig)
    sweep: SweepConfig = field(default_factory=SweepConfig)
    compare: CompareConfig = field(default_factory=CompareConfig)
    clean: CleanConfig = field(default_factory=CleanConfig)
    student_path: str | None = None  # for stage=predict: a published student
    input: str | None = None  # and what it is asked about
    output: str | None = None
    views: bool = False
    owner: bool = False  # ask a model that may not leave; the answers are the owner's too
    stage: str = "all"
    delta: float | None = None  # null: the data set's
    seed: int = 0
    force: list[str] = field(default_factory=list)
    n_jobs: int = -1
    device: str = "auto"
    workspace: str = "workspace"


ConfigStore.instance().store(name="schema", node=Config)


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
    noise: NoiseConfig
    budget: BudgetConfig
    sweep: SweepConfig
    compare: CompareConfig
    clean: CleanConfig
    asked: Asked | None
    output: str | None  # where what leaves is put, if somebody said
    stage: str
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
    def has_pate(self) -> bool:
        """PATE needs public inputs to ask about."""
        return self.dataset.sizes().public > 0

    @property
    def has_price(self) -> bool:
        """What labels cost is known where they are drawn."""
        return self.has_pate and not self.labels.path

    @property
    def has_dpsgd(self) -> bool:
        """DP-SGD at PATE's epsilon needs that epsilon."""
        return self.has_price or self.dpsgd.epsilon != "pate"

    @property
    def classes_from_private(self) -> bool:
        """Whether which classes there are would be read off private labels: nobody has declared them."""
        return not self.dataset.class_names and self.dataset.reads_private_labels()

    @property
    def has_private(self) -> bool:
        """Without private records there is no teacher, no DP-SGD and no non-private bound."""
        return self.dataset.sizes().private > 0


def settle(config: DictConfig) -> Settings:
    """Turn a composed configuration into objects; a ConfigError says in one line what is wrong and what is allowed."""
    try:
        own = OmegaConf.masked_copy(config, [str(key) for key in config if key != "hydra"])
        plain = OmegaConf.to_container(own, resolve=True, throw_on_missing=True)
        assert isinstance(plain, dict)
        typed: Config = OmegaConf.merge(OmegaConf.structured(Config), plain)  # type: ignore[assignment]
    except OmegaConfBaseException as error:
        raise ConfigError(one_line(error)) from error
    chosen: dict[str, Any] = {
        "dataset": _choice("dataset", typed.dataset, Dataset),  # type: ignore[type-abstract]
        "features": _choice("features", typed.features, Features),
        "teachers": _choice("teachers", typed.teachers, Teachers),
        "aggregator": _choice("aggregator", typed.aggregator, Aggregator),
        "student": _choice("student", typed.student, Student),
        "dpsgd": _choice("dpsgd", typed.dpsgd, DPSGD),
        "tracking": _choice("tracking", typed.tracking, Tracking),
    }
    # As they are, defaults and types included: 3 and 3.0, said or left out, are one setting and not two draws of noise.
    plain |= {name: {"_target_": plain[name]["_target_"]} | asdict(one) for name, one in chosen.items()}
    delta = _delta(typed, chosen["dataset"])
    plain["delta"] = delta
    return Settings(
        **chosen,
        partition=PartitionConfig(**plain["partition"]),
        votes=VotesConfig(**plain["votes"]),
        labels=LabelsConfig(**plain["labels"]),
        account=AccountConfig(**plain["account"]),
        quality=QualityConfig(**plain["quality"]),
        sanitise=SanitiseConfig(**plain["sanitise"]),
        report=ReportConfig(**plain["report"]),
        noise=NoiseConfig(**plain["noise"]),
        budget=BudgetConfig(**plain["budget"]),
        sweep=SweepConfig(**plain["sweep"]),
        compare=CompareConfig([str(folder) for folder in typed.compare.runs]),
        clean=CleanConfig(**plain["clean"]),
        asked=_asked(typed) if typed.stage == "predict" else None,
        output=typed.output,
        stage=typed.stage,
        delta=delta,
        seed=typed.seed,
        force=tuple(typed.force),
        n_jobs=typed.n_jobs,
        device=typed.device,
        workspace=Path(typed.workspace),
        plain={str(key): value for key, value in plain.items()},
    )


def _asked(typed: Config) -> Asked:
    if typed.student_path is None or typed.input is None:
        raise ConfigError("stage=predict needs student_path= (a student's folder or safetensors file) and input=")
    output = None if typed.output is None else Path(typed.output)
    return Asked(Path(typed.student_path), Path(typed.input), output, typed.views, typed.owner)


def _delta(typed: Config, dataset: Dataset) -> float:
    """As it was said; else as suits the number of records, where a run looks at any."""
    if typed.delta is not None:
        return typed.delta
    looks = typed.stage not in ("predict", "ledger", "clean", "fetch") and not typed.compare.runs
    return dataset.usual_delta() if looks else 1e-5


T = TypeVar("T")


def _choice(group: str, node: Any, base: type[T]) -> T:
    """Build the object a group's YAML names, with the class itself as schema."""
    values = dict(node) if isinstance(node, DictConfig) else {}
    target = str(values.pop("_target_", ""))
    module, _, name = target.rpartition(".")
    try:
        kind = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"{group}._target_={target} cannot be imported: {error}") from error
    if not (isinstance(kind, type) and issubclass(kind, base) and is_dataclass(kind)):
        raise ConfigError(
            f"{group}._target_={target} must be a dataclass derived from {base.__module__}.{base.__name__}"
        )
    try:
        merged: Any = OmegaConf.to_container(OmegaConf.merge(OmegaConf.structured(kind), values), throw_on_missing=True)
        return cast(T, kind(**merged))
    except OmegaConfBaseException as error:
        raise ConfigError(f"{group}.{one_line(error)}") from error
    except ValueError as error:
        raise ConfigError(f"{group}.{error}") from error
