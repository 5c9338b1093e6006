"""From a composed configuration to settings: the typed root, and the objects its choices stand for.

The root is a dataclass in Hydra's config store. A choice within a group (`teachers=ridge`) is a YAML file that names
a frozen dataclass in `_target_`; that dataclass is its schema, its checks, and the thing itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import asdict, dataclass, field, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, cast, get_type_hints

from hydra.core.config_store import ConfigStore
from omegaconf import MISSING, DictConfig, OmegaConf, open_dict
from omegaconf.errors import ConfigKeyError, OmegaConfBaseException

from pate.accounting.guarantee import given
from pate.app.one_line import one_line
from pate.app.places import located, offered, refuse_kind_of_ours
from pate.app.unsaid import QUERIES, asked_as_usual, asked_within, filled, voters
from pate.app.verbs import listing, running_none
from pate.choice import Choice
from pate.data.dataset import Dataset
from pate.data.outline import Outline
from pate.errors import ConfigError
from pate.settings import (
    AccountConfig,
    Asked,
    BalanceConfig,
    BudgetConfig,
    CleanConfig,
    CompareConfig,
    CurveConfig,
    DecisionConfig,
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
    positive,
)


@dataclass(frozen=True)
class Labels(LabelsConfig):
    """As somebody says them: null is filled in, and then they check themselves."""

    queries: int | None = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        pass


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
    labels: Labels = field(default_factory=Labels)
    account: AccountConfig = field(default_factory=AccountConfig)
    quality: QualityConfig = field(default_factory=QualityConfig)
    sanitise: SanitiseConfig = field(default_factory=SanitiseConfig)
    report: ReportConfig = field(default_factory=ReportConfig)
    release: ReleaseConfig = field(default_factory=ReleaseConfig)
    noise: NoiseConfig = field(default_factory=NoiseConfig)
    budget: BudgetConfig = field(default_factory=BudgetConfig)
    sweep: SweepConfig = field(default_factory=SweepConfig)
    compare: CompareConfig = field(default_factory=CompareConfig)
    balance: BalanceConfig = field(default_factory=BalanceConfig)
    decision: DecisionConfig = field(default_factory=DecisionConfig)
    curve: CurveConfig = field(default_factory=CurveConfig)
    clean: CleanConfig = field(default_factory=CleanConfig)
    run: str | None = None  # an earlier run, whose configuration this one begins with
    student_path: str | None = None  # for stage=predict: a published student
    input: str | None = None  # and what it is asked about
    output: str | None = None
    views: bool = False
    owner: bool = False  # ask a model that may not leave; the answers are the owner's too
    stage: str = "all"
    methods: list[str] | None = None  # null: those of this package, consensus for the owner's comparison only
    epsilon: float | None = None  # null: each method has its own
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
    for name, kind in own_kinds().items():
        with open_dict(node):
            node[name] = OmegaConf.structured(kind)
    for name in (*SECTIONS, *own_kinds()):
        OmegaConf.set_readonly(node[name], None)
    return node


def own_kinds() -> dict[str, type[Choice]]:
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
    try:
        if typed.delta is not None:
            check_delta(typed.delta)  # before the budget, whose delta it is unless another is said
        positive("epsilon", typed.epsilon)
        dataset: Dataset = _choice("dataset", typed.dataset, CHOICES["dataset"])
        said = deepcopy({str(key): value for key, value in plain.items()})
        plain["delta"] = _delta(typed, dataset)
        chosen, queries, why = _suited(typed, dataset, plain["delta"])
        # As they are, defaults and types included: 3 and 3.0, said or left out, are one setting and not two draws.
        plain |= {
            name: {"_target_": _target(plain[name]["_target_"], one)} | asdict(one) for name, one in chosen.items()
        }
        plain["labels"]["queries"] = queries
        sections = {name: section(name, plain[name]) for name in SECTIONS}
        return Settings(
            **chosen,
            **sections,
            own={name: _built(name, kind, getattr(typed, name)) for name, kind in own_kinds().items()},
            asked=_asked(typed) if typed.stage == "predict" else None,
            output=typed.output,
            stage=typed.stage,
            methods=_of_this_package() if typed.methods is None else tuple(typed.methods),
            named=tuple(dict.fromkeys([*(typed.methods or ()), *filter(None, [typed.release.method])])),
            epsilon=typed.epsilon,
            why=why,
            delta=plain["delta"],
            seed=typed.seed,
            force=tuple(typed.force),
            n_jobs=typed.n_jobs,
            device=typed.device,
            workspace=Path(typed.workspace),
            plain={str(key): value for key, value in plain.items()},
            said=said,
        )
    except ValueError as error:
        raise ConfigError(str(error)) from error


def _suited(typed: Config, dataset: Dataset, delta: float) -> tuple[dict[str, Any], int, tuple[str, ...]]:
    """Every choice and the number of queries, with what nobody said filled in; and why, where it was."""
    outline = Outline.of(dataset) if _looks(typed) else None
    chosen: dict[str, Any] = {"dataset": dataset}
    why: list[str] = []
    for name, base in CHOICES.items():
        if name != "dataset":
            node = getattr(typed, name)
            chosen[name] = _choice(name, node, base, filled(name, _fields(node), outline, typed.epsilon))
        if outline and name != "aggregator":
            chosen[name], reason = chosen[name].suited(outline)
            what = f"{name}.{chosen[name].by_kind}" if chosen[name].by_kind else name
            why += [f"{what}=auto: {reason}"] * bool(reason)
    if outline is None:
        return chosen, typed.labels.queries or QUERIES, ()
    own: Any = chosen["aggregator"]
    said = _fields(typed.aggregator).get(own.noise_parameter or "gamma") is not None
    teachers = voters(typed.votes.path, chosen["teachers"].count, outline.classes)
    try:
        if typed.epsilon is None or not _asks(typed, outline):
            found, queries = asked_as_usual(own, said, typed.labels.queries, teachers, outline)
        else:
            found, queries = asked_within(own, said, typed.labels.queries, typed.epsilon, delta, teachers, outline)
            told = f"{queries} queries of {teachers} teachers, {found.describe()}"
            why.append(f"epsilon={given(typed.epsilon)}: {told}")
    except ValueError as error:
        raise ConfigError(f"aggregator.{error}") from error
    return chosen | {"aggregator": found}, queries, tuple(why)


def _asks(typed: Config, outline: Outline) -> bool:
    """Whether queries may be answered in this run, so that it has to be known how."""
    from pate.pipelines import methods

    named = _of_this_package() if typed.methods is None else typed.methods
    asking = any(name in methods() and methods()[name].asks for name in named)
    return asking and not typed.labels.path and outline.public > 0 and bool(outline.private or typed.votes.path)


def _fields(node: Any) -> dict[str, Any]:
    """What the YAML of a choice says, and what was said on top of it."""
    return {str(key): value for key, value in node.items()} if isinstance(node, DictConfig) else {}


def section(name: str, values: Mapping[str, Any]) -> Any:
    """A section of the configuration, which checks itself."""
    try:
        plain: Any = OmegaConf.to_container(values) if isinstance(values, DictConfig) else dict(values)
        return SECTIONS[name](**plain)
    except ValueError as error:
        raise ConfigError(f"{name}.{error}") from error


def _asked(typed: Config) -> Asked:
    if typed.student_path is None or typed.input is None:
        raise ConfigError(
            "stage=predict needs student_path= (a student's folder or safetensors file) or run=, and input="
        )
    output = None if typed.output is None else Path(typed.output)
    return Asked(Path(typed.student_path), Path(typed.input), output, typed.views, typed.owner)


def _delta(typed: Config, dataset: Dataset) -> float:
    """As it was said; else as suits the number of records, where a run looks at any."""
    if typed.delta is not None:
        return typed.delta
    if dataset.delta is not None:  # a default that its YAML leaves out
        return dataset.delta
    return dataset.usual_delta() if _looks(typed) else 1e-5


def _looks(typed: Config) -> bool:
    """Whether the run is about to look at the data set."""
    return typed.stage not in (*running_none(), "fetch") and not typed.compare.runs


T = TypeVar("T")


def _choice(group: str, node: Any, base: type[T], filled: Mapping[str, Any] | None = None) -> T:
    """Build the object a group's YAML names, with the class itself as schema; where one of `filled` is null, with that,
    or with its own default."""
    values = _fields(node)
    for key, value in (filled or {}).items():
        if values.get(key) is None:
            values.pop(key, None)
            values |= {} if value is None else {key: value}
    target = str(values.pop("_target_", ""))
    kind = located(group, target)
    if not (isinstance(kind, type) and issubclass(kind, base) and is_dataclass(kind)):
        raise ConfigError(
            f"{group}._target_={target} must be a dataclass derived from {base.__module__}.{base.__name__}"
        )
    refuse_kind_of_ours(group, kind)
    noise = getattr(kind, "noise_parameter", "")  # of an aggregator; null: its default, until it is known how much
    if noise and values.get(noise, "") is None:
        del values[noise]
    return cast(T, _built(group, kind, values, target))


def _target(said: str, one: Choice) -> str:
    """What the configuration of a run names: the choice that was made, where it was made for somebody."""
    return f"{type(one).__module__}.{type(one).__qualname__}" if said.endswith(".auto.Auto") else said


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
