"""What has to hold before anything runs: whatever the configuration alone can tell is said at once, in one line."""

from __future__ import annotations

import math
from pathlib import Path

from omegaconf import DictConfig

from pate.accounting.calibrate import SMALLEST_DELTA
from pate.accounting.mechanism import require_known
from pate.accounting.smooth_sensitivity import release_cost
from pate.aggregation.labels import read_labels
from pate.aggregation.selection import SELECTIONS
from pate.aggregation.votes import read_votes
from pate.app.compose import settle
from pate.app.suggest import did_you_mean
from pate.errors import ConfigError
from pate.learning.device import torch_device
from pate.ledger.account import LONGEST
from pate.noise import SEEDED
from pate.release.predict import INPUTS, OUTPUTS, located
from pate.release.whose import owners
from pate.report.sweep.comparison import runs_of
from pate.settings import AUDIENCES, Asked, Settings
from pate.workspace.owner import refuse_anothers

STAGES = (
    "fetch", "check", "data", "features", "encode", "teachers", "votes", "queries", "quality", "labels", "account",
    "sanitise", "student", "dpsgd", "dpsgd_publishable", "nonprivate", "compare", "panel", "report", "release",
)  # fmt: skip
ASKED = ("all", *STAGES, "ledger", "clean", "predict")  # all that stage= takes
_PUBLIC_STAGES = (
    "features", "teachers", "votes", "queries", "quality", "labels", "account", "sanitise", "student",
    "dpsgd_publishable", "panel",
)  # fmt: skip


def checked(config: DictConfig) -> Settings:
    """The settings of a composed configuration, or a ConfigError; nothing is written either way."""
    settings = settle(config)
    check_sweep(settings.sweep.epsilon)
    refuse_anothers(settings.workspace)
    if settings.compare.runs:
        if settings.stage != "compare":
            raise ConfigError(f"compare.runs is for stage=compare, and this is stage={settings.stage}")
        runs_of(settings.compare.runs)
    elif settings.stage in ("ledger", "clean"):
        _check_budget(settings)
        if not (settings.workspace / "private").is_dir():
            nothing = {"ledger": "it has no ledger", "clean": "there is nothing to clean"}[settings.stage]
            raise ConfigError(f"workspace={settings.workspace}: nothing was run there, so {nothing}")
    elif settings.asked is None:
        _check(settings)
    else:
        _check_asked(settings.asked)
    return settings


def check_sweep(epsilon: float | None) -> None:
    """Before the first job: what a sweep is asked about as a whole."""
    if epsilon is not None and not (math.isfinite(epsilon) and epsilon > 0):
        raise ConfigError(f"sweep.epsilon must be a positive number, got {epsilon}")


def _check_asked(asked: Asked) -> None:
    """A student is asked: nothing else of the configuration matters."""
    for name, path in (("student_path", asked.student), ("input", asked.input)):
        try:
            there = path.exists()
        except OSError as error:
            raise ConfigError(f"{name}={path} cannot be read: {error.strerror}") from None
        if not there:
            raise ConfigError(f"{name}={path}: no such file")
    if asked.output is not None and (asked.output.is_dir() or asked.output.resolve() == asked.input.resolve()):
        raise ConfigError(f"output={asked.output}: a folder, or the input itself; name another file")
    if asked.input.suffix.lower() not in INPUTS:
        raise ConfigError(f"input={asked.input}: expected a file that ends in {', '.join(INPUTS)}")
    if asked.output is not None and asked.output.suffix.lower() not in OUTPUTS:
        raise ConfigError(f"output={asked.output}: expected a name that ends in {' or '.join(OUTPUTS)}")
    if (why := owners(located(asked.student))) and not asked.owner:
        raise ConfigError(
            f"student_path={asked.student} is the owner's: {why}. What it answers may not leave either; owner=true "
            "asks it for your own eyes"
        )


def _check_budget(settings: Settings) -> None:
    budget = settings.budget
    _one_of("budget.mode", budget.mode, ("research", "strict"))
    if budget.mode == "strict" and budget.epsilon is None:
        raise ConfigError("budget=strict needs budget.epsilon: all that may ever be released from the account")
    if budget.epsilon is not None and not (math.isfinite(budget.epsilon) and budget.epsilon > 0):
        raise ConfigError(f"budget.epsilon must be a positive number, got {budget.epsilon}")
    if not 0 < settings.limit.delta < 1:
        raise ConfigError(f"budget.delta must lie strictly between 0 and 1, got {settings.limit.delta:g}")
    name = budget.account
    if name is not None and not (name.isprintable() and len(name.strip()) > 0 and len(name) <= LONGEST):
        raise ConfigError(f"budget.account must be a name of at most {LONGEST} printable characters")


def _check(settings: Settings) -> None:
    _check_budget(settings)
    if settings.clean.yes:
        raise ConfigError(f"clean.yes is for stage=clean, and this is stage={settings.stage}")
    for name in ("student_path", "input", "output", "views", "owner"):
        if settings.plain[name] and (name, settings.stage) != ("output", "release"):
            raise ConfigError(f"{name} is for stage=predict, and this is stage={settings.stage}")
    if settings.stage == "release" and settings.noise.seed is not None:
        raise ConfigError(f"stage=release with noise.seed: {SEEDED}, and what is not private does not leave")
    if settings.dataset.path and settings.stage != "fetch":
        settings.dataset.require()
    if settings.classes_from_private:
        _check_undeclared_classes(settings)
    labels, votes, sizes = settings.labels, settings.votes, settings.dataset.sizes()
    _one_of("stage", settings.stage, ASKED)
    for name in settings.force:
        _one_of("force", name, STAGES)
    _one_of("device", settings.device, ("auto", "cpu", "cuda"))
    if settings.device == "cuda":
        torch_device("cuda")
    _one_of("labels.selection", labels.selection, SELECTIONS)
    if not 0 < settings.delta < 1:
        raise ConfigError(f"delta must lie strictly between 0 and 1, got {settings.delta:g}")
    if settings.n_jobs == 0:
        raise ConfigError("n_jobs must not be 0: give a number of processes, or -1 for every core")
    for name, seed in (("seed", settings.seed), ("noise.seed", settings.noise.seed or 0)):
        if not 0 <= seed < 2**32:
            raise ConfigError(f"{name} must lie between 0 and 2^32 - 1, got {seed}")
    for name, path in (("votes.path", votes.path), ("labels.path", labels.path)):
        if path is not None and not Path(path).is_file():
            raise ConfigError(f"{name}={path}: no such file")
    if votes.path and settings.partition.group_by:
        raise ConfigError("partition.group_by cannot be checked for votes from a file: leave it out")
    if votes.path and labels.path:
        raise ConfigError("votes.path and labels.path exclude each other: labels need no votes")
    target = settings.account.target_epsilon
    if target is not None and not (math.isfinite(target) and target > 0):
        raise ConfigError(f"account.target_epsilon must be a positive number, got {target}")
    if labels.queries < 1:
        raise ConfigError(f"labels.queries must be at least 1, got {labels.queries}")
    if labels.wrong is not None and not 0 <= labels.wrong < 1:
        raise ConfigError(f"labels.wrong must be a share of at least 0 and below 1, got {labels.wrong}")
    if labels.selection == "active":
        _check_active(settings)
    if settings.has_price:
        _check_aggregator(settings)
    if settings.stage == "sanitise":
        _check_sanitise(settings)
    if not settings.quality.gammas or not all(1e-5 <= gamma <= 100 for gamma in settings.quality.gammas):
        raise ConfigError(f"quality.gammas must lie between 1e-5 and 100, at least one, got {settings.quality.gammas}")
    if votes.path:
        _check_votes(settings, sizes.public)
    elif settings.has_pate and not labels.path and labels.queries > sizes.public:
        raise ConfigError(f"labels.queries={labels.queries}: the public pool has only {sizes.public} inputs")
    if labels.path and settings.dataset.class_names:
        read_labels(labels.path, sizes.public, len(settings.dataset.class_names))
    if settings.has_private and settings.teachers.count > sizes.private and not (votes.path or labels.path):
        raise ConfigError(f"teachers.count={settings.teachers.count}: there are only {sizes.private} private records")
    epsilon = settings.dpsgd.epsilon
    if epsilon != "pate" and not (
        isinstance(epsilon, int | float) and not isinstance(epsilon, bool) and math.isfinite(epsilon) and epsilon > 0
    ):
        raise ConfigError(f"dpsgd.epsilon must be a positive number or `pate`, got {epsilon}")
    _one_of("report.audience", settings.report.audience, AUDIENCES)
    _check_images(settings)
    settings.tracking.require()
    _check_stage_possible(settings)
    trains = settings.stage in ("all", "check", "dpsgd", "compare", "report")
    trains |= settings.stage == "release" and not settings.has_pate
    if settings.has_private and settings.has_dpsgd and trains:
        _check_dpsgd(settings)


def _check_undeclared_classes(settings: Settings) -> None:
    """No epsilon covers a class list read from private labels: nothing that promises one may rest on it."""
    promises = {
        "budget=strict": settings.limit.strict,
        "stage=release": settings.stage == "release",
        "report.audience=public": settings.report.audience == "public",
    }
    for asked in (name for name, wanted in promises.items() if wanted):
        raise ConfigError(
            f"{asked}: the classes would be read from private labels, which no epsilon covers: declare "
            "dataset.classes=[...], every class there can be, from what is known without those labels"
        )


def _check_images(settings: Settings) -> None:
    """Said before any label is drawn: what fits no table would fail after privacy was spent."""
    groups = {"student": settings.student.needs_images and settings.has_pate}
    groups["teachers"] = settings.teachers.needs_images and not (settings.votes.path or settings.labels.path)
    for group, needs in groups.items():
        if needs and not settings.dataset.missing() and settings.dataset.image_shape() is None:
            kind = type(getattr(settings, group)).__name__
            raise ConfigError(f"{group}={kind} needs images (n x H x W), and {settings.dataset.name} has rows")


def _check_dpsgd(settings: Settings) -> None:
    """Said before any label is drawn at whose price it would train."""
    chosen, records = settings.dpsgd, settings.dataset.sizes().private
    if chosen.lot > records:
        raise ConfigError(f"dpsgd.lot={chosen.lot}: there are only {records} private records, so ask for at most that")
    if not settings.dataset.missing():
        chosen.check_image(settings.dataset.image_shape())
    if settings.delta < SMALLEST_DELTA:
        raise ConfigError(f"delta={settings.delta:g}: DP-SGD is priced from {SMALLEST_DELTA:g} on")
    if chosen.epsilon != "pate":
        chosen.plan(records, chosen.epsilon, settings.delta)  # says if no noise fits this budget


def _check_active(settings: Settings) -> None:
    """Rounds of queries: what they ask is known only once answers are drawn."""
    labels = settings.labels
    if not 1 <= labels.rounds <= labels.queries:
        raise ConfigError(f"labels.rounds must lie between 1 and labels.queries={labels.queries}, got {labels.rounds}")
    if settings.stage in ("queries", "quality"):
        raise ConfigError(f"stage={settings.stage} draws nothing, and labels.selection=active asks by earlier answers")
    if settings.account.on_votes:
        raise ConfigError("account.on_votes plans for queries fixed in advance: labels.selection=active has none")


def _check_aggregator(settings: Settings) -> None:
    """Said before any teacher is trained: answers without a price are never drawn."""
    try:
        require_known(settings.aggregator)
    except ValueError as error:
        raise ConfigError(f"aggregator: {error}") from error


def _check_sanitise(settings: Settings) -> None:
    """What can be published of a data-dependent price, and how: known before anything is drawn."""
    _check_aggregator(settings)
    wanted = settings.sanitise
    if settings.aggregator.smooth_sigma is None or settings.labels.selection == "active":
        raise ConfigError(
            "stage=sanitise covers aggregator=gnmax aggregator.noise=continuous and queries fixed in advance: no "
            "theorem is known here for others"
        )
    try:
        release_cost(wanted.order, wanted.beta, wanted.sigma_ss)
    except ValueError as error:
        raise ConfigError(f"sanitise.{error}") from error


def _check_votes(settings: Settings, public: int) -> None:
    """Votes from a file must cover the queries and, where a student learns from them, be votes on this public pool."""
    classes = len(settings.dataset.class_names)
    counts = read_votes(str(settings.votes.path), classes).counts
    if settings.labels.queries > len(counts):
        raise ConfigError(f"labels.queries={settings.labels.queries}: votes.path holds only {len(counts)} queries")
    on_pool = settings.labels.selection in ("medoids", "active")
    needed = settings.stage in ("all", "check", "student", "compare", "report", "quality") or on_pool
    if needed and counts.shape != (public, classes or counts.shape[1]):
        raise ConfigError(
            f"votes.path holds {counts.shape[0]} queries over {counts.shape[1]} classes, "
            f"the public pool of {settings.dataset.name} {public} inputs of {classes} classes"
        )


def _check_stage_possible(settings: Settings) -> None:
    """A stage that was asked for by name must have what it needs."""
    from pate.pipelines import refuse_release

    wanted = settings.stage
    if not settings.has_pate and wanted in _PUBLIC_STAGES:
        raise ConfigError(f"stage={wanted} needs public inputs: dataset.public must be above 0")
    if not settings.has_private and wanted in ("teachers", "dpsgd", "dpsgd_publishable", "nonprivate"):
        raise ConfigError(f"stage={wanted} needs private records, and the data set has none")
    priced = ("teachers", "votes", "queries", "quality", "account", "sanitise", "panel", "dpsgd_publishable")
    if settings.labels.path and wanted in priced:
        raise ConfigError(f"stage={wanted} is not part of a run that takes its labels from labels.path")
    if settings.votes.path and wanted == "teachers":
        raise ConfigError("stage=teachers is not part of a run that takes its votes from votes.path")
    if not (settings.has_private or settings.labels.path or settings.votes.path):
        raise ConfigError("the data set has no private records: give labels.path or votes.path")
    if wanted == "dpsgd" and not settings.has_dpsgd:
        raise ConfigError("dpsgd.epsilon=pate needs the epsilon PATE spent, which this run cannot know: give a number")
    if wanted == "dpsgd_publishable" and (settings.dpsgd.epsilon != "pate" or settings.labels.selection == "active"):
        raise ConfigError(f"stage={wanted} is part of runs with two epsilons of PATE's: dpsgd.epsilon=pate, not active")
    if settings.report.audience == "public" and settings.noise.seed is not None:
        raise ConfigError(
            f"report.audience=public: {SEEDED}, so no page of it may leave; draw without noise.seed first"
        )
    if wanted == "release":
        refuse_release(settings)
    if settings.labels.path and not settings.has_pate:
        raise ConfigError("labels.path needs the public inputs it labels: dataset.public must be above 0")


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ConfigError(f"{name}={value}: expected one of {', '.join(allowed)}{did_you_mean(value, allowed)}")
