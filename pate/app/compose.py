"""From a composed configuration to settings: the typed root, and the objects its choices stand for.

The root is a dataclass in Hydra's config store. A choice within a group (`teachers=ridge`) is a YAML file that names
a frozen dataclass in `_target_`; that dataclass is its schema, its checks, and the thing itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, cast, get_type_hints

from hydra.core.config_store import ConfigStore
from omegaconf import MISSING, DictConfig, OmegaConf, open_dict
from omegaconf.errors import ConfigKeyError, OmegaConfBaseException

from pate.app.one_line import one_line
from pate.app.places import located, offered, refuse_kind_of_ours
from pate.app.verbs import listing, running_none
from pate.choice import Choice
from pate.data.dataset import Dataset
from pate.errors import ConfigError
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
    ReleaseConfig,
    ReportConfig,
    SanitiseConfig,
    Settings,
    SweepConfig,
    VotesConfig,
    check_delta,
)


@dataclass
class Config:
    """The root schema. `stage` is what to bring up to date; `all` is everything that applies."""

    dataset: Any = MISSING
    features: Any = MISSING
    teachers: Any = MISSING
    aggregator: Any = MISSING
    student: Any = MISSING
    dpsgd: Any = MISSING
    consensus: Any = MISSING
    tracking: Any = MISSING
    partition: PartitionConfig = field(default_factory=PartitionConfig)
    votes: VotesConfig = field(default_factory=VotesConfig)
    labels: LabelsConfig = field(default_factory=LabelsConfig)
    account: AccountConfig = field(default_factory=AccountConfig)
    quality: QualityConfig = field(default_factory=QualityConfig)
    sanitise: SanitiseConfig = field(default_factory=SanitiseConfig)
    report: ReportConfig = field(default_factory=ReportConfig)
    release: ReleaseConfig = field(default_factory=ReleaseConfig)
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
    methods: list[str] | None = None  # null: those of this package, consensus for the owner's comparison only
    delta: float | None = None  # null: the data set's
    seed: int = 0
    force: list[str] = field(default_factory=list)
    n_jobs: int = -1
    device: str = "auto"
    workspace: str = "workspace"


_KINDS: dict[str, Any] = {name: kind for name, kind in get_type_hints(Settings).items() if is_dataclass(kind)}
CHOICES = {name: kind for name, kind in _KINDS.items() if issubclass(kind, Choice)}
SECTIONS = {name: kind for name, kind in _KINDS.items() if name not in CHOICES}


def _schema() -> DictConfig:
    """The root as OmegaConf reads it, which takes a frozen dataclass for one that no command line may change."""
    node: DictConfig = OmegaConf.structured(Config)
    for name, kind in _own().items():
        with open_dict(node):
            node[name] = OmegaConf.structured(kind)
    for name in (*SECTIONS, *_own()):
        OmegaConf.set_readonly(node[name], None)
    return node


def _own() -> dict[str, type[Choice]]:
    """The settings that methods bring, by the method's key."""
    from pate.pipelines import methods

    return {name: method.own for name, method in methods().items() if method.own is not None}


def _of_this_package() -> tuple[str, ...]:
    """What is run unless methods are named: a package that is installed adds none by itself."""
    from pate.pipelines import OURS

    return tuple(one.key for one in OURS)


def declare() -> None:
    """Make the root known to Hydra, with what plug-ins add to it."""
    ConfigStore.instance().store(name="schema", node=_schema())


with suppress(ConfigError):  # of two packages that bring the same name: the door declares again, and says so
    declare()
OmegaConf.register_new_resolver("pate.stages", listing, replace=True)  # conf/hydra/help/pate.yaml


def settle(config: DictConfig) -> Settings:
    """Turn a composed configuration into objects; a ConfigError says in one line what is wrong and what is allowed."""
    try:
        own = OmegaConf.masked_copy(config, [str(key) for key in config if key != "hydra"])
        plain = OmegaConf.to_container(own, resolve=True, throw_on_missing=True)
        assert isinstance(plain, dict)
        typed: Config = OmegaConf.merge(_schema(), plain)  # type: ignore[assignment]
    except OmegaConfBaseException as error:
        raise ConfigError(one_line(error)) from error
    chosen = {name: _choice(name, getattr(typed, name), base) for name, base in CHOICES.items()}
    # As they are, defaults and types included: 3 and 3.0, said or left out, are one setting and not two draws of noise.
    plain |= {name: {"_target_": plain[name]["_target_"]} | asdict(one) for name, one in chosen.items()}
    try:
        if typed.delta is not None:
            check_delta(typed.delta)  # before the budget, whose delta it is unless another is said
        sections = {name: section(name, getattr(typed, name)) for name in SECTIONS}
        plain["delta"] = _delta(typed, chosen["dataset"])
        return Settings(
            **chosen,
            **sections,
            own={name: _built(name, kind, getattr(typed, name)) for name, kind in _own().items()},
            asked=_asked(typed) if typed.stage == "predict" else None,
            output=typed.output,
            stage=typed.stage,
            methods=_of_this_package() if typed.methods is None else tuple(typed.methods),
            named=tuple(dict.fromkeys([*(typed.methods or ()), *filter(None, [typed.release.method])])),
            delta=plain["delta"],
            seed=typed.seed,
            force=tuple(typed.force),
            n_jobs=typed.n_jobs,
            device=typed.device,
            workspace=Path(typed.workspace),
            plain={str(key): value for key, value in plain.items()},
        )
    except ValueError as error:
        raise ConfigError(str(error)) from error


def section(name: str, values: Mapping[str, Any]) -> Any:
    """A section of the configuration, which checks itself."""
    try:
        plain: Any = OmegaConf.to_container(values) if isinstance(values, DictConfig) else dict(values)
        return SECTIONS[name](**plain)
    except ValueError as error:
        raise ConfigError(f"{name}.{error}") from error


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
    looks = typed.stage not in (*running_none(), "fetch") and not typed.compare.runs
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
    refuse_kind_of_ours(group, kind)
    return cast(T, _built(group, kind, values, target))


def _built(group: str, kind: type, values: Any, target: str = "") -> Any:
    """With its defaults and types; its own words where they do not fit."""
    try:
        merged: Any = OmegaConf.to_container(OmegaConf.merge(OmegaConf.structured(kind), values), throw_on_missing=True)
        return kind(**merged)
    except OmegaConfBaseException as error:
        ours = not target or kind.__module__.startswith("pate.") or offered(group, target)
        others = isinstance(error, ConfigKeyError) and not ours
        instead = f"; fields of another choice stay, unless you say {group}={target}" if others else ""
        raise ConfigError(f"{group}.{one_line(error)}{instead}") from error
    except ValueError as error:
        raise ConfigError(f"{group}.{error}") from error
