"""From a composed configuration to settings: the typed root, and the objects its choices stand for.

The root is a dataclass in Hydra's config store. A choice within a group (`teachers=ridge`) is a YAML file that names
a frozen dataclass in `_target_`; that dataclass is its schema, its checks, and the thing itself.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from hydra.core.config_store import ConfigStore
from omegaconf import MISSING, DictConfig, OmegaConf
from omegaconf.errors import ConfigKeyError, OmegaConfBaseException

from pate.aggregation.aggregator import Aggregator
from pate.app.one_line import one_line
from pate.app.places import located, offered
from pate.data.dataset import Dataset
from pate.dpsgd.train import DPSGD
from pate.errors import ConfigError
from pate.features.encoder import Features
from pate.report.tracking import Tracking
from pate.settings import (
    AccountConfig,
    Asked,
    BudgetConfig,
    CleanConfig,
    CompareConfig,
    LabelsConfig,
    NoiseConfig,
    PartitionConfig,
    QualityConfig,
    ReportConfig,
    SanitiseConfig,
    Settings,
    SweepConfig,
    VotesConfig,
)
from pate.students.student import Student
from pate.teachers.ensemble import Teachers


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
    if dataset.delta is not None:  # a default that its YAML leaves out
        return dataset.delta
    looks = typed.stage not in ("predict", "ledger", "clean", "fetch") and not typed.compare.runs
    return dataset.usual_delta() if looks else 1e-5


T = TypeVar("T")


def _choice(group: str, node: Any, base: type[T]) -> T:
    """Build the object a group's YAML names, with the class itself as schema."""
    values = dict(node) if isinstance(node, DictConfig) else {}
    target = str(values.pop("_target_", ""))
    kind = located(group, target)
    if not (isinstance(kind, type) and issubclass(kind, base) and is_dataclass(kind)):
        raise ConfigError(
            f"{group}._target_={target} must be a dataclass derived from {base.__module__}.{base.__name__}"
        )
    ours = kind.__module__.startswith("pate.")
    try:
        merged: Any = OmegaConf.to_container(OmegaConf.merge(OmegaConf.structured(kind), values), throw_on_missing=True)
        return cast(T, kind(**merged))
    except OmegaConfBaseException as error:
        others = isinstance(error, ConfigKeyError) and not (ours or offered(group, target))
        instead = f"; fields of another choice stay, unless you say {group}={target}" if others else ""
        raise ConfigError(f"{group}.{one_line(error)}{instead}") from error
    except ValueError as error:
        raise ConfigError(f"{group}.{error}") from error
