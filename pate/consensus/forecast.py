"""What a consensus would cost and could say at this epsilon and at others, before anything is drawn.

No private record is read: prices follow from epsilon and delta, components from public inputs and the number of
records, and how loud answers can be from public second moments (`pate.consensus.spectrum`).

How many labels would be right nobody can tell without labels. As a stand-in the public inputs are grouped into as many
clusters as there are classes, and the clusters are taken for classes: half of the inputs answer for all records, the
noise of the mechanism is simulated with a fixed seed, and the other half is labelled; then the other way round. It
tells from where on noise drowns what there is to hear, and is no promise: classes that are no clusters are harder.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from pate.accounting.guarantee import Guarantee, given
from pate.consensus.consensus import Consensus
from pate.consensus.levels import Level, beliefs, leading, levels
from pate.consensus.spectrum import Loudness, loudness
from pate.evaluation.results import Table
from pate.noise import source
from pate.workspace.artifact import Artifact

_FEWEST = 4  # public inputs a cluster, on average: with fewer no forecast is made


@dataclass(frozen=True)
class Forecast(Artifact):
    """Of the epsilon that was `asked` and of others, each with the one under replace-one, its noise (`sigma` in bounds,
    where the mechanism knows them, and an entry's deviation in answers), components, directions that can be heard, the
    most the signal can be over the noise, and the share of pseudo-classes that came back. `price` holds both guarantees
    at the one asked for."""

    asked: float
    price: list[dict[str, Any]]
    mechanism: str
    epsilons: list[float]
    replaced: list[float]
    sigma: list[float | None]
    noise: list[float]
    components: list[int]
    heard: list[int]
    signal_to_noise: list[float]
    recovered: list[float | None]

    @property
    def own(self) -> int:
        """The place of what was asked for."""
        return self.epsilons.index(self.asked)

    def guarantees(self) -> tuple[Guarantee, Guarantee]:
        """Zero-out, replace-one."""
        out, other = map(Guarantee.of, self.price)
        return out, other

    def details(self) -> dict[str, float | None]:
        """Of the epsilon that was asked for."""
        at = self.own
        return {
            "epsilon_replace_one": self.guarantees()[1].epsilon,
            "sigma": self.sigma[at],
            "noise_of_an_entry": self.noise[at],
            "components": self.components[at],
            "directions_heard_at_most": self.heard[at],
            "signal_to_noise_at_most": self.signal_to_noise[at],
            "pseudo_classes_recovered": self.recovered[at],
        }

    def table(self) -> Table:
        columns = {
            "epsilon": "g",
            "replace-one": ".3f",
            "sigma": ".4g",
            "noise of an entry": ".4g",
            "components": "g",
            "heard": "g",
            "signal/noise": ".3g",
            "pseudo-classes": ".1%",
        }
        rounded_up = [math.ceil(1000 * one) / 1000 for one in self.replaced]  # never less than what would be spent
        rows = zip(
            *(self.epsilons, rounded_up, self.sigma, self.noise),
            *(self.components, self.heard, self.signal_to_noise, self.recovered),
            strict=True,
        )
        delta, relation = self.guarantees()[0].delta, self.guarantees()[0].relation
        return Table(
            "What would consensus cost?",
            f"At delta {given(delta)}, {relation}; told by public inputs and the number of private records: nothing "
            "was drawn. Sigma is noise in bounds on one answer. Directions heard and signal to noise are upper "
            "bounds. Pseudo-classes are clusters of public inputs in the place of classes, and how many of them noise "
            "left: a forecast, no promise, for classes that are no clusters are harder.",
            columns,
            [list(row) for row in rows],
        )

    def describe(self) -> str:
        at, share = self.own, self.recovered[self.own]
        on_clusters = "" if share is None else f"; {share:.0%} of pseudo-classes (public clusters) came back"
        return (
            f"{self.mechanism}, {self.noise[at]:.4g} on every entry; {self.heard[at]} of {self.components[at]} "
            f"directions can be heard, signal to noise at most {self.signal_to_noise[at]:.3g}{on_clusters}"
        )


def forecast(
    consensus: Consensus,
    features: np.ndarray,
    classes: int,
    records: int,
    delta: float,
    group: str | None,
    asked: float,
) -> Forecast:
    """From public features and the number of private records."""
    basis, several = levels(consensus, features, classes, records, delta, group, asked)
    pool, pseudo = basis.pool(features), pseudo_classes(features, classes)
    places = basis.as_records(features, pool)
    plans = [one.plan.in_releases(consensus.how_often(one.components, len(features))) for one in several]
    noise = [one.scale(classes)[1] for one in plans]
    loud: list[Loudness] = []
    back: list[float | None] = []
    for components, alike in groupby(zip(several, noise, strict=True), key=lambda one: one[0].components):
        shown = list(alike)
        stand = leading(places, components)
        asks = stand if places is pool else leading(pool, components)
        loud += [loudness(stand, classes, deviation, records) for _, deviation in shown]
        if pseudo is None:
            back += [None] * len(shown)
        else:
            back += recovered(consensus, [level for level, _ in shown], stand, asks, pseudo, records)
    own = next(plan for plan, one in zip(plans, several, strict=True) if one.epsilon == asked)
    return Forecast(
        asked,
        [one.plain() for one in own.guarantees()],
        own.describe(),
        [one.epsilon for one in several],
        [one.plan.guarantees()[1].epsilon for one in several],
        [one.plan.parameters().get("sigma") for one in several],
        noise,
        [one.components for one in several],
        [one.heard for one in loud],
        [one.signal_to_noise for one in loud],
        back,
    )


def pseudo_classes(features: np.ndarray, classes: int) -> np.ndarray | None:
    """Clusters of the public inputs, one a class; None where there are too few inputs for it, or all are alike."""
    from sklearn.cluster import KMeans

    if len(features) < _FEWEST * classes or (features == features[0]).all():
        return None
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")  # of fewer distinct inputs than clusters: some are then empty
        return np.asarray(KMeans(classes, n_init=2, random_state=0).fit_predict(features), dtype=np.int64)


def recovered(
    consensus: Consensus,
    several: Sequence[Level],
    places: np.ndarray,
    pool: np.ndarray,
    pseudo: np.ndarray,
    records: int,
) -> list[float]:
    """At each of several levels of as many components the share of inputs whose pseudo-class is what half of the
    others, in the place of all records, made of them. What these say is the same at all levels: noise alone differs."""
    classes, noise = int(pseudo.max()) + 1, source(0)
    order, right = np.random.default_rng(0).permutation(len(pool)), [0] * len(several)
    alone = consensus.plan(several[0].epsilon, several[0].plan.delta, None)  # each public input is a unit of its own
    for step, half in enumerate((order[::2], order[1::2])):
        others = np.setdiff1d(order, half)
        said = alone.added_up(places[others], pseudo[others], classes, None) * (records / len(others))
        for number, level in enumerate(several):
            steps = alone.scale(classes)[0] / level.plan.scale(classes)[0]
            total = np.rint(said * steps).astype(np.int64)
            belief = beliefs(consensus, pool, total, records, level.plan, noise.at(step))
            right[number] += int((belief[half].argmax(axis=1) == pseudo[half]).sum())
    return [one / len(pool) for one in right]
