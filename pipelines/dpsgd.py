"""dpsgd: train on the private records directly, with clipped and noised gradients, at the epsilon asked for."""

import numpy as np

from pate.accounting.price import RELATION, Costs, shown
from pate.data.split import Private
from pate.dpsgd.accountant import Accountant, Spent
from pate.features.encoder import Encoded, Encoder
from pate.learning.checkpoint import Checkpoint
from pate.learning.device import torch_device
from pate.ledger.ledger import Release
from pate.models.predictor import Predictor
from pate.noise import SEEDED, source
from pate.progress import progress
from pate.release.withheld import withheld
from pate.settings import Settings
from pate.workspace.runner import Run
from pate.workspace.stage import stage

from .artifacts import (
    COSTS,
    DPSGD,
    DPSGD_PUBLISHABLE,
    ENCODER,
    OWNERS_DPSGD,
    OWNERS_SPENT,
    PRIVATE,
    PRIVATE_FEATURES,
    SPENT,
    SPENT_PUBLISHABLE,
)
from .needs import PRIVATE_RECORDS, PUBLIC_INPUTS, TWO_EPSILONS, VOTES_OF_THIS_RUN

_CONFIG = ["dpsgd", "delta", "noise", "seed"]
_IGNORES = ["dpsgd.micro_batch"]  # memory only: another one must not draw another model


@stage(
    reads=[PRIVATE, ENCODER, PRIVATE_FEATURES],
    writes=[DPSGD, SPENT],
    config=_CONFIG,
    ignores=_IGNORES,
    needs=[PRIVATE_RECORDS],
    crosses="noisy sums of clipped gradients, and noisy second moments (Abadi et al. 2016)",
)
def dpsgd(run: Run, private: Private, encoder: Encoder, private_features: Encoded) -> tuple[Predictor, Spent]:
    return _train(run, private, encoder, private_features, run.settings.dpsgd.epsilon, "publishable")


@stage(
    name="dpsgd",
    reads=[PRIVATE, ENCODER, PRIVATE_FEATURES, COSTS],
    writes=[OWNERS_DPSGD, OWNERS_SPENT],
    config=_CONFIG,
    ignores=_IGNORES,
    needs=[PRIVATE_RECORDS],
)
def dpsgd_at_pates_epsilon(
    run: Run, private: Private, encoder: Encoder, private_features: Encoded, costs: Costs
) -> tuple[Predictor, Spent]:
    """PATE's epsilon depends on the private votes, so this model is for the owner's comparison only."""
    return _train(run, private, encoder, private_features, costs.best.epsilon, "the owner's")


@stage(
    reads=[PRIVATE, ENCODER, PRIVATE_FEATURES, COSTS],
    writes=[DPSGD_PUBLISHABLE, SPENT_PUBLISHABLE],
    config=_CONFIG,
    ignores=_IGNORES,
    needs=[PUBLIC_INPUTS, PRIVATE_RECORDS, VOTES_OF_THIS_RUN, TWO_EPSILONS],
)
def dpsgd_publishable(
    run: Run, private: Private, encoder: Encoder, private_features: Encoded, costs: Costs
) -> tuple[Predictor, Spent]:
    """At the epsilon PATE may publish: worst case against worst case. To release this too would cost as much again."""
    return _train(run, private, encoder, private_features, costs.publishable.epsilon, "the owner's")


def _train(
    run: Run, private: Private, encoder: Encoder, features: Encoded, epsilon: float, shown_to: str
) -> tuple[Predictor, Spent]:
    settings, noise = run.settings, source(run.settings.noise.seed)
    own, checkpoint = settings.dpsgd.encoder(encoder), Checkpoint(run.pieces)
    if shown_to != "publishable":
        epsilon = settings.dpsgd.reachable(len(private.y), epsilon, settings.delta)
    run.notes += (SEEDED,) * noise.seeded
    marked = withheld(run.all_notes) or shown_to
    release = training_release(settings, settings.dpsgd.plan(len(private.y), epsilon, settings.delta))
    if shown_to == "publishable":
        run.spending.whole(release, begun=checkpoint.load() is not None)
    else:
        run.spending.owners(release)
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
        shown_to=marked,
    )
    run.summary = (
        f"{spent.steps} steps, noise multiplier {spent.noise_multiplier:.2f}: epsilon {shown(spent.epsilon)} "
        f"{spent.relation}, {shown(spent.epsilon_replace_one)} replace-one, delta {spent.delta:g}, "
        f"{marked}"
    )
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
