"""What must hold between settings before a stage runs. What one section or choice can tell alone, it tells itself.

Each rule is one sentence about what would fail later, perhaps after privacy was spent; all are asked, in this order.
"""

from __future__ import annotations

from pate.accounting.filter import composed
from pate.accounting.guarantee import given, shown
from pate.aggregation.labels import read_labels
from pate.app.stages import stages
from pate.errors import ConfigError, one_of
from pate.evaluation.metrics import metrics
from pate.learning.device import torch_device
from pate.noise import SEEDED
from pate.settings import Settings


def check(settings: Settings) -> None:
    """Say the first thing that is wrong, as a ConfigError; nothing is written either way."""
    for rule in RULES:
        rule(settings)


def methods_are_known(settings: Settings) -> None:
    from pate.pipelines import methods

    for name in (*settings.methods, *filter(None, [settings.release.method])):
        one_of("methods" if name in settings.methods else "release.method", name, methods())
    if not settings.methods:
        raise ConfigError(f"methods=[]: name at least one of {', '.join(methods())}")


def nothing_of_other_stages(settings: Settings) -> None:
    if settings.clean.yes:
        raise ConfigError(f"clean.yes is for stage=clean, and this is stage={settings.stage}")
    for name in ("student_path", "input", "output", "views", "owner"):
        if settings.plain[name] and (name, settings.stage) != ("output", "release"):
            raise ConfigError(f"{name} is for stage=predict, and this is stage={settings.stage}")


def seeded_noise_does_not_leave(settings: Settings) -> None:
    if settings.stage == "release" and settings.noise.seed is not None:
        raise ConfigError(f"stage=release with noise.seed: {SEEDED}, and what is not private does not leave")


def data_set_is_there(settings: Settings) -> None:
    if settings.dataset.path and settings.stage != "fetch":
        settings.dataset.require()


def stage_is_of_a_method_that_was_chosen(settings: Settings) -> None:
    """Said before anything of the stage's own: nobody is to mend settings of a method that takes no part."""
    from pate.pipelines import whose

    of = [one.key for one in whose(settings.stage, settings)]
    if of and not set(of) & set(settings.methods):
        raise ConfigError(f"stage={settings.stage} {_no_part(settings)}")


def classes_are_declared_where_an_epsilon_is_promised(settings: Settings) -> None:
    """No epsilon covers a class list read from private labels: nothing that promises one may rest on it."""
    promises = {
        "budget=strict": settings.limit.strict,
        "stage=release": settings.stage == "release",
        "report.audience=public": settings.report.audience == "public",
    }
    asked = next((name for name, wanted in promises.items() if wanted), "")
    if asked and settings.classes_from_private:
        raise ConfigError(
            f"{asked}: the classes would be read from private labels, which no epsilon covers: declare "
            "dataset.classes=[...], every class there can be, from what is known without those labels"
        )


def forced_stages_exist(settings: Settings) -> None:
    for name in settings.force:
        one_of("force", name, stages())


def device_is_there(settings: Settings) -> None:
    if settings.device == "cuda":
        torch_device("cuda")


def files_are_there(settings: Settings) -> None:
    settings.votes.require()
    settings.labels.require()


def files_do_not_contradict(settings: Settings) -> None:
    if settings.votes.path and settings.partition.group_by:
        raise ConfigError("partition.group_by cannot be checked for votes from a file: leave it out")
    if settings.votes.path and settings.labels.path:
        raise ConfigError("votes.path and labels.path exclude each other: labels need no votes")


def active_queries_are_not_planned_on_votes(settings: Settings) -> None:
    if settings.labels.selection == "active" and settings.account.on_votes:
        raise ConfigError("account.on_votes plans for queries fixed in advance: labels.selection=active has none")


def labels_from_a_file_fit_the_pool(settings: Settings) -> None:
    if settings.labels.path and settings.dataset.class_names:
        read_labels(settings.labels.path, settings.dataset.sizes().public, len(settings.dataset.class_names))


def tracking_is_there(settings: Settings) -> None:
    settings.tracking.require()


def metrics_can_be_loaded(settings: Settings) -> None:
    """Said before any label is drawn: what is broken would fail when all is there to be scored."""
    if settings.stage in ("all", "compare", "report"):
        metrics()


def the_class_that_is_asked_about_is_one(settings: Settings) -> None:
    """Of the declared classes: of others nobody knows before the data is read, and something may be spent."""
    if settings.compare.positive is not None:
        if not settings.dataset.class_names:
            raise ConfigError(
                f"compare.positive={settings.compare.positive} names one of the declared classes: declare "
                "dataset.classes=[...] too"
            )
        settings.compare.asked(settings.dataset.class_names)


def the_class_of_the_threshold_is_one(settings: Settings) -> None:
    positive, names = settings.decision.positive, list(settings.dataset.class_names)
    if positive is not None:
        if not names:
            raise ConfigError(
                f"decision.positive={positive} names one of the declared classes: declare dataset.classes=[...] too"
            )
        one_of("decision.positive", positive, names)


def records_are_weighed_by_what_was_declared(settings: Settings) -> None:
    """Shares counted in private labels are private, and one record would change what all others weigh."""
    if settings.balance.records and settings.dataset.shares is None:
        raise ConfigError(
            "balance.records=true weighs records by dataset.priors, and none are declared: give shares you know "
            "without the data, as dataset.priors=[0.94,0.06]; those in private labels are private"
        )


def the_column_to_report_by_is_there(settings: Settings) -> None:
    """Said before any label is drawn."""
    if settings.report.by is not None and settings.stage in ("all", "check", "compare", "report"):
        settings.dataset.require_column(settings.report.by)


def stage_has_what_it_needs(settings: Settings) -> None:
    """Of the stages of one name a configuration chooses one: it is refused if none of them could be it."""
    from pate.pipelines import answering

    some = [one for name in (settings.stage, *answering(settings)) for one in stages().get(name, ())]
    unmet = [[need.otherwise for need in one.needs if not need.met(settings)] for one in some]
    if unmet and all(unmet):
        raise ConfigError(f"stage={settings.stage} {unmet[0][0]}")


def private_records_or_a_file(settings: Settings) -> None:
    if not (settings.has_private or settings.labels.path or settings.votes.path):
        raise ConfigError("the data set has no private records: give labels.path or votes.path")


def the_method_of_the_stage_is_not_left_out(settings: Settings) -> None:
    from pate.pipelines import whose

    reasons = [one.left_out(settings) for one in whose(settings.stage, settings) if one.key in settings.methods]
    if reasons and all(reasons):
        raise ConfigError(f"stage={settings.stage}: {reasons[0]}")


def some_method_takes_part(settings: Settings) -> None:
    from pate.pipelines import methods, taking_part

    if settings.stage in ("all", "compare", "report") and not taking_part(settings):
        reasons = (methods()[name].left_out(settings) for name in settings.methods)
        raise ConfigError(f"methods=[{','.join(settings.methods)}]: {'; '.join(reasons)}")


def seeded_noise_has_no_public_page(settings: Settings) -> None:
    if settings.report.audience == "public" and settings.noise.seed is not None:
        raise ConfigError(
            f"report.audience=public: {SEEDED}, so no page of it may leave; draw without noise.seed first"
        )


def what_is_released_may_leave(settings: Settings) -> None:
    from pate.pipelines import refuse_release

    if settings.stage == "release":
        refuse_release(settings)


def stage_is_part_of_a_method(settings: Settings) -> None:
    from pate.pipelines import answering, graph

    there = {one.name for one in graph(settings).stages}
    if settings.stage in stages() and settings.stage not in there and not answering(settings):
        raise ConfigError(f"stage={settings.stage} {_no_part(settings)}")


def _no_part(settings: Settings) -> str:
    return f"is no part of methods=[{','.join(settings.methods)}]: name its method"


def labels_from_a_file_have_inputs(settings: Settings) -> None:
    if settings.labels.path and not settings.has_public:
        raise ConfigError("labels.path needs the public inputs it labels: dataset.public must be above 0")


def a_delta_promises_something(settings: Settings) -> None:
    """Where it matters most: what leaves, and what a strict budget pays for. Elsewhere it is a warning."""
    if settings.warnings and (settings.stage == "release" or settings.limit.strict):
        what = "stage=release" if settings.stage == "release" else "budget=strict"
        raise ConfigError(f"{what}: {settings.warnings[0]}: choose a smaller one")


def methods_that_were_named_take_part(settings: Settings) -> None:
    """Before the others are trained, and spend: what was asked for by name is not left out in a note."""
    from pate.pipelines import methods

    if settings.stage in ("all", "compare", "report"):
        missing = [why for name in settings.named if (why := methods()[name].left_out(settings))]
        if missing:
            raise ConfigError(f"methods=[{','.join(settings.methods)}]: {'; '.join(missing)}")


def budgets_of_ones_own_are_kept(settings: Settings) -> None:
    from pate.pipelines import taking_part

    others = [one.key for one in taking_part(settings) if not one.keeps_budgets]
    if settings.partition.allowed and others:
        raise ConfigError(
            f"partition.budget_by: {' and '.join(others)} would spend a whole epsilon on every record, whatever it "
            "allows: choose methods=[consensus], which keeps budgets"
        )


def nothing_is_released_above_the_epsilon(settings: Settings) -> None:
    from pate.pipelines import foreseen, graph, taking_part, targets

    if settings.epsilon is None:
        return
    told = f"epsilon={given(settings.epsilon)}"
    pipeline = graph(settings)
    needed = pipeline.needed(targets(settings))
    crossing = {one.name for one in needed if one.crosses}
    for method in taking_part(settings):  # one that knows no model of the owner's releases what it draws
        own = sorted(crossing & {one.name for one in method.stages(settings)})
        if own and settings.kept(method.key, by_itself=True):
            raise ConfigError(
                f"{told}: stage {own[0]} of {method.key} would release, and spend, beside the one model the epsilon is "
                f"for: name it (release.method={method.key}), or leave {method.key} out of methods="
            )
    for stage, release in foreseen(settings, [one.name for one in pipeline.stages]):
        if release.cost.epsilon > settings.epsilon:
            raise ConfigError(
                f"{told}: {stage} would cost {shown(release.cost.epsilon)}, delta {given(settings.delta)}, "
                f"{release.relation}: leave the epsilon of its own out, or raise the run's"
            )
    several = dict(foreseen(settings, [one.name for one in needed]))
    costs = [one.cost for one in several.values()]
    together = min(composed(costs, settings.delta, "renyi"), composed(costs, settings.delta, "basic"))
    if len(several) > 1 and together > settings.epsilon:
        what = f"{' and '.join(several)} together would cost {shown(together)}"
        raise ConfigError(f"{told}: {what}, delta {given(settings.delta)}")


def methods_can_do_their_part(settings: Settings) -> None:
    """Each that has a part in what is asked for; where the data is only looked at, all that would take part."""
    from pate.pipelines import graph, taking_part, targets

    needed = {one.name for one in graph(settings).needed(targets(settings))}
    for method in taking_part(settings):
        if settings.stage == "check" or needed & {one.name for one in method.stages(settings)}:
            method.check(settings)


RULES = (
    methods_are_known,
    nothing_of_other_stages,
    seeded_noise_does_not_leave,
    data_set_is_there,
    stage_is_of_a_method_that_was_chosen,
    classes_are_declared_where_an_epsilon_is_promised,
    forced_stages_exist,
    device_is_there,
    files_are_there,
    files_do_not_contradict,
    active_queries_are_not_planned_on_votes,
    labels_from_a_file_fit_the_pool,
    tracking_is_there,
    metrics_can_be_loaded,
    the_class_that_is_asked_about_is_one,
    the_class_of_the_threshold_is_one,
    records_are_weighed_by_what_was_declared,
    the_column_to_report_by_is_there,
    stage_has_what_it_needs,
    private_records_or_a_file,
    the_method_of_the_stage_is_not_left_out,
    some_method_takes_part,
    seeded_noise_has_no_public_page,
    what_is_released_may_leave,
    labels_from_a_file_have_inputs,
    stage_is_part_of_a_method,
    methods_that_were_named_take_part,
    a_delta_promises_something,
    budgets_of_ones_own_are_kept,
    methods_can_do_their_part,
    nothing_is_released_above_the_epsilon,
)
