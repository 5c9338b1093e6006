"""dpsgd: train on the private records directly, with clipped and noised gradients, at the epsilon asked for."""

from collections.abc import Collection, Iterator, Mapping

import numpy as np

from pate.accounting.calibrate import SMALLEST_DELTA
from pate.accounting.costs import RELATION, Costs
from pate.accounting.guarantee import KEPT, Guarantee, given
from pate.data.split import Private
from pate.dpsgd.accountant import Accountant, Spent
from pate.dpsgd.statement import of_gradients
from pate.errors import ConfigError
from pate.features.encoder import Encoded, Encoder
from pate.learning.checkpoint import Checkpoint
from pate.learning.class_weights import WEIGHED
from pate.learning.device import torch_device
from pate.ledger.ledger import Release
from pate.methods.method import Entry, Made, Method
from pate.models.predictor import Predictor
from pate.noise import SEEDED, source
from pate.progress import progress
from pate.release.statement import Statement
from pate.release.withheld import withheld
from pate.settings import Settings
from pate.workspace.runner import Run
from pate.workspace.stage import Effort, Ref, Stage, stage

from .artifacts import (
    COSTS,
    DPSGD_DECIDED,
    DPSGD_PUBLISHABLE,
    ENCODER,
    OWNERS_DPSGD,
    OWNERS_SPENT,
    PRIVATE,
    PRIVATE_FEATURES,
    SPENT,
    SPENT_PUBLISHABLE,
)
from .artifacts import DPSGD as DPSGD_MODEL
from .decision import answering
from .needs import (
    NAME_IT,
    NOT_RELEASED,
    PATE,
    PRIVATE_RECORDS,
    PUBLIC_INPUTS,
    TWO_EPSILONS,
    VOTES_OF_THIS_RUN,
    labels_have_a_price,
)
from .release import release_of

_CONFIG = ["dpsgd", "delta", "noise", "seed", "class_weights"]
_IGNORES = ["dpsgd.micro_batch"]  # memory only: another one must not draw another model


def _effort(settings: Settings) -> Effort:
    return Effort("dpsgd", settings.dpsgd, settings.dataset.sizes().private * settings.dpsgd.epochs)


@stage(
    reads=[PRIVATE, ENCODER, PRIVATE_FEATURES],
    writes=[DPSGD_MODEL, SPENT],
    config=_CONFIG,
    ignores=_IGNORES,
    effort=_effort,
    needs=[PRIVATE_RECORDS],
    crosses="noisy sums of clipped gradients, and noisy second moments (Abadi et al. 2016)",
)
def dpsgd(run: Run, private: Private, encoder: Encoder, private_features: Encoded) -> tuple[Predictor, Spent]:
    return _train(run, private, encoder, private_features, run.settings.dpsgd.epsilon, kept=False)


@stage(
    name="dpsgd",
    reads=[PRIVATE, ENCODER, PRIVATE_FEATURES],
    writes=[OWNERS_DPSGD, OWNERS_SPENT],
    config=_CONFIG,
    ignores=_IGNORES,
    effort=_effort,
    needs=[PRIVATE_RECORDS],
)
def dpsgd_kept(run: Run, private: Private, encoder: Encoder, private_features: Encoded) -> tuple[Predictor, Spent]:
    """At an epsilon of its own, and for the owner's comparison all the same."""
    return _train(run, private, encoder, private_features, run.settings.dpsgd.epsilon, kept=True)


@stage(
    name="dpsgd",
    reads=[PRIVATE, ENCODER, PRIVATE_FEATURES, COSTS],
    writes=[OWNERS_DPSGD, OWNERS_SPENT],
    config=_CONFIG,
    ignores=_IGNORES,
    effort=_effort,
    needs=[PRIVATE_RECORDS],
)
def dpsgd_at_pates_epsilon(
    run: Run, private: Private, encoder: Encoder, private_features: Encoded, costs: Costs
) -> tuple[Predictor, Spent]:
    """PATE's epsilon depends on the private votes, so this model is for the owner's comparison only."""
    return _train(run, private, encoder, private_features, costs.best.epsilon, kept=True)


@stage(
    reads=[PRIVATE, ENCODER, PRIVATE_FEATURES, COSTS],
    writes=[DPSGD_PUBLISHABLE, SPENT_PUBLISHABLE],
    config=_CONFIG,
    ignores=_IGNORES,
    effort=_effort,
    needs=[PUBLIC_INPUTS, PRIVATE_RECORDS, VOTES_OF_THIS_RUN, TWO_EPSILONS],
)
def dpsgd_publishable(
    run: Run, private: Private, encoder: Encoder, private_features: Encoded, costs: Costs
) -> tuple[Predictor, Spent]:
    """At the epsilon PATE may publish: worst case against worst case. To release this too would cost as much again."""
    return _train(run, private, encoder, private_features, costs.publishable.epsilon, kept=True)


def _train(
    run: Run, private: Private, encoder: Encoder, features: Encoded, epsilon: float, kept: bool
) -> tuple[Predictor, Spent]:
    settings, noise = run.settings, source(run.settings.noise.seed)
    own, checkpoint = settings.dpsgd.encoder(encoder), Checkpoint(run.pieces)
    if kept:
        epsilon = settings.dpsgd.reachable(len(private.y), epsilon, settings.delta)
    run.notes += (SEEDED,) * noise.seeded
    why = withheld(run.all_notes) or KEPT * kept
    release = training_release(settings, settings.dpsgd.plan(len(private.y), epsilon, settings.delta))
    if kept:
        run.spending.owners(release)
    else:
        run.spending.whole(release, begun=checkpoint.load() is not None)
    model, spent = settings.dpsgd.fit(
        features.x if own.same(encoder) else _encoded(own, private.x),
        private.y,
        len(private.classes),
        epsilon=epsilon,
        delta=settings.delta,
        seed=settings.seed,
        noise=noise,
        device=torch_device(settings.device),
        shape=private.x.shape[1:],
        checkpoint=checkpoint,
        withheld=why,
        weights=settings.class_weights,
    )
    run.notes += (WEIGHED,) * bool(settings.class_weights)
    promised = "; ".join(str(one.without(why)) for one in (spent.guarantee(), spent.replace_one()))
    run.summary = f"{spent.steps} steps, noise multiplier {spent.noise_multiplier:.2f}: {promised}"
    return Predictor.of(model, own, private), spent


def training_release(settings: Settings, plan: Accountant) -> Release:
    """The whole plan: it is reserved before the first step."""
    return Release(
        kind="dpsgd",
        mechanism=f"DP-SGD, {type(settings.dpsgd).__name__}: clipped gradients with Gaussian (floating-point) noise",
        parameters=plan.parameters(),
        relation=RELATION,
        cost=plan.cost(),
        dependent=[list(plan.cost().rdp)] * 2,
    )


def _encoded(encoder: Encoder, x: np.ndarray) -> np.ndarray:
    with progress("private records encoded for DP-SGD", len(x)) as advance:
        return encoder.transform(x, advance)


def _statement(run: Run, account: Mapping[str, str], spent: Spent) -> Statement:
    return of_gradients(spent, data=run.settings.dataset.name, account=account)


_RELEASES = {model: release_of(model, [], _statement, [SPENT]) for model in (DPSGD_MODEL, DPSGD_DECIDED)}


class DPSGD(Method):
    """The baseline: at an epsilon of its own, or beside PATE at the epsilon PATE spent, and at the one PATE may publish
    (worst case against worst case). Whatever was trained beside PATE is the owner's."""

    key = "dpsgd"
    shaped_by = ("dpsgd",)

    def left_out(self, settings: Settings) -> str:
        if not settings.has_private:
            return "no private records: DP-SGD is left out"
        if settings.dpsgd.epsilon == PATE and not labels_have_a_price(settings):
            return (
                "dpsgd.epsilon=pate needs the epsilon PATE spent, which this run cannot know: DP-SGD is left out, "
                "unless it is given a number"
            )
        return ""

    def check(self, settings: Settings) -> None:
        chosen, records = settings.dpsgd, settings.dataset.sizes().private
        if chosen.lot > records:
            raise ConfigError(
                f"dpsgd.lot={chosen.lot}: there are only {records} private records, so ask for at most that"
            )
        if not settings.dataset.missing():
            chosen.check_image(settings.dataset.image_shape())
        if settings.delta < SMALLEST_DELTA:
            raise ConfigError(f"delta={given(settings.delta)}: DP-SGD is priced from {given(SMALLEST_DELTA)} on")
        if chosen.epsilon != PATE:
            chosen.plan(records, chosen.epsilon, settings.delta)  # says if no noise fits this budget

    def stages(self, settings: Settings) -> list[Stage]:
        if settings.dpsgd.epsilon != PATE:
            own = (dpsgd_kept, OWNERS_DPSGD) if self.kept(settings) else (dpsgd, DPSGD_MODEL)
            return [own[0], *answering(settings, own[1])[1]]
        worst = [dpsgd_publishable, *answering(settings, DPSGD_PUBLISHABLE)[1]] if _two_epsilons(settings) else []
        return [dpsgd_at_pates_epsilon, *answering(settings, OWNERS_DPSGD)[1], *worst]

    def kept(self, settings: Settings) -> bool:
        """At PATE's epsilon it is the owner's, and where one epsilon for the whole run is another method's to spend."""
        return settings.dpsgd.epsilon == PATE or settings.kept(self.key, by_itself=True)

    def entries(self, settings: Settings) -> list[Entry]:
        kept, model = self.kept(settings), type(settings.dpsgd).__name__
        spent, trained = (OWNERS_SPENT, OWNERS_DPSGD) if kept else (SPENT, DPSGD_MODEL)
        trained = answering(settings, trained)[0]
        own = _entry("dpsgd", "DP-SGD", trained, spent, f"noisy gradients ({model})", kept)
        worst = _entry(
            "dpsgd_publishable",
            "DP-SGD, worst case",
            answering(settings, DPSGD_PUBLISHABLE)[0],
            SPENT_PUBLISHABLE,
            f"noisy gradients ({model}), at the epsilon PATE may publish",
            kept=True,
        )
        return [own, *[worst] * (settings.dpsgd.epsilon == PATE and _two_epsilons(settings))]

    def notes(self, settings: Settings, made: Made) -> Iterator[str]:
        at_pates, kept = settings.dpsgd.epsilon == PATE, self.kept(settings)
        spent = made(OWNERS_SPENT if kept else SPENT)
        costs = made(COSTS) if at_pates else None
        if spent and kept and not at_pates:
            yield NOT_RELEASED.format(self.key)
        if spent and at_pates and (costs is None or costs.best.data_dependent):
            yield "DP-SGD was calibrated to the epsilon PATE spent, which is the owner's; so is its model"
        if settings.partition.group_by and spent:
            yield f"DP-SGD protects one record, not all records of one {settings.partition.group_by}"

    def release(self, settings: Settings) -> Stage | None:
        return None if self.kept(settings) else _RELEASES[answering(settings, DPSGD_MODEL)[0]]

    def refused_release(self, settings: Settings) -> str:
        if settings.dpsgd.epsilon != PATE:
            return NAME_IT.format(self.key) if self.kept(settings) else ""
        return (
            "DP-SGD's model is calibrated to what PATE spent on these very data, which is the owner's: give "
            "dpsgd.epsilon a number"
        )

    def foreseen(self, settings: Settings, stages: Collection[str]) -> Iterator[tuple[str, Release]]:
        if "dpsgd" in stages and not self.kept(settings):
            plan = settings.dpsgd.plan(settings.dataset.sizes().private, settings.dpsgd.epsilon, settings.delta)
            yield "dpsgd", training_release(settings, plan)


def _two_epsilons(settings: Settings) -> bool:
    """Of active queries PATE has one epsilon, the publishable."""
    return settings.labels.selection != "active"


def _entry(key: str, title: str, model: Ref, spent: Ref, about: str, kept: bool) -> Entry:
    def guarantees(made: Made) -> list[Guarantee]:
        return [made(spent).guarantee()]

    def details(made: Made) -> dict[str, float | None]:
        return made(spent).details()

    return Entry(
        key=key,
        title=title,
        short="DP-SGD",
        model=model,
        shown_by=(spent,),
        about=about,
        mark="s",
        colour="dpsgd",
        stages=("features", "encode", key),
        guarantees=guarantees,
        details=details,
        kept=kept,
    )
