"""Consensus apart from the pipeline: what each part of it is worth, one change at a time.

    .venv/bin/python benchmarks/consensus.py --what components,whitening dataset=fashion_mnist features=scattering
    .venv/bin/python benchmarks/consensus.py --what pool,elsewhere --keep mnist.npz dataset=mnist features=scattering \
        consensus=graph consensus.epsilon=0.05
    .venv/bin/python benchmarks/consensus.py --quick    all of it on digits, two draws: seconds

Every draw has its own seeded noise: all of this is evaluation. What comes out is the accuracy of the consensus' own
predictor, or with consensus.student=student that of a student of features, on the test set and on the public pool (true
labels score, and nothing else), with standard errors over draws.
`--keep` stores the features, so that the next call need not compute them again.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import hydra
import numpy as np

from pate.app.preflight import checked
from pate.consensus.answers import centred_length
from pate.consensus.clusters import ClusterConsensus
from pate.consensus.consensus import Consensus
from pate.consensus.drawing import Answers, draw
from pate.consensus.graph import GraphConsensus
from pate.consensus.kernel import KernelConsensus
from pate.consensus.ridge import fit
from pate.noise import source
from pate.students.student import Lesson, Student

QUICK = ["dataset=digits", "features=identity", "consensus=kernel", "consensus.epsilon=2"]
TITLES = ("test", "pool", "balanced test", "balanced pool")
Row = list[float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--what", default="all", help=f"of {', '.join(ABLATIONS)}, separated by commas")
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="an npz file in which features are kept")
    parser.add_argument("--elsewhere", type=Path, help="an npz (x) of public inputs from another distribution")
    parser.add_argument("--quick", action="store_true", help="digits, two draws; overrides still hold")
    parser.add_argument("overrides", nargs="*", help="as for pate: dataset, features, consensus, ...")
    given = parser.parse_args()
    if given.quick:
        given.draws, given.overrides = 2, [*QUICK, *given.overrides]
    with hydra.initialize_config_module(version_base="1.3", config_module="pate.conf"):
        settings = checked(hydra.compose("config", ["consensus.student=itself", *given.overrides]))
    case = Case.of(settings, given.keep, given.elsewhere)
    for name in ABLATIONS if given.what == "all" else given.what.split(","):
        for said, one in ABLATIONS[name](case, settings.consensus):
            started = time.monotonic()
            rows = np.array([one(draw) for draw in range(given.draws)])
            error = rows.std(axis=0, ddof=1) / np.sqrt(len(rows))
            told = ", ".join(
                f"{title} {100 * mean:.2f}% ± {100 * off:.2f}%"
                for title, mean, off in zip(TITLES, rows.mean(axis=0), error, strict=False)
                if not np.isnan(mean)
            )
            print(f"{name}: {said}: {told}, {time.monotonic() - started:.0f} s", flush=True)


@dataclass(frozen=True)
class Case:
    """Features of all sides, true labels, and what is asked of a draw."""

    private: np.ndarray
    public: np.ndarray
    test: np.ndarray
    y: np.ndarray
    public_y: np.ndarray
    test_y: np.ndarray
    classes: int
    delta: float
    elsewhere: np.ndarray | None = None
    student: Student | None = None  # of features, who learns what is believed of the pool
    balanced: bool = False

    @classmethod
    def of(cls, settings, keep: Path | None, elsewhere: Path | None) -> "Case":  # type: ignore[no-untyped-def]
        sides = ("private", "public", "test")
        if keep and keep.exists():
            kept = dict(np.load(keep))
        else:
            if settings.dataset.missing():
                settings.dataset.fetch()
            split = settings.dataset.load()
            encoder = settings.features.fit(split.public.x)
            kept = {side: encoder.transform(getattr(split, side).x) for side in sides}
            kept |= {"y": split.private.y, "public_y": split.truth.public_y, "test_y": split.truth.test_y}
            if elsewhere:
                kept["elsewhere"] = encoder.transform(np.load(elsewhere)["x"])
            if keep:
                np.savez(keep, **kept)
        labels = [kept[name] for name in ("y", "public_y", "test_y")]
        classes = len(settings.dataset.class_names)
        student = settings.student if settings.consensus.student == "student" else None
        asked = (classes, settings.delta, kept.get("elsewhere"), student)
        return cls(*(kept[side] for side in sides), *labels, *asked)

    def scores(self, test: np.ndarray, pool: np.ndarray) -> Row:
        """Shares of right answers where labels are known, and with `balanced` their means over classes."""
        pairs = [(test.argmax(axis=1), self.test_y), (pool.argmax(axis=1), self.public_y)]
        found = [float((said == truth).mean()) if len(truth) else np.nan for said, truth in pairs]
        if self.balanced:
            for said, truth in pairs:
                found.append(float(np.mean([(said[truth == one] == one).mean() for one in np.unique(truth)])))
        return found


def released(
    case: Case, consensus: Consensus, group: np.ndarray | None = None, scale: np.ndarray | None = None
) -> Callable[[int], Row]:
    """The consensus as it is: one draw after the other from one sum, hiding a record or all of a group's; `scale`
    shortens each record's answer."""
    plan = consensus.plan(consensus.epsilon, case.delta, None if group is None else "site")
    basis = consensus.basis(case.public, case.classes, plan.floor(len(case.y), case.classes))
    plan = plan.in_releases(consensus.how_often(basis.components, len(case.public)))
    phi = basis.read(case.private)
    answers = Answers(plan, phi if scale is None else phi * scale[:, None], case.y, group, case.classes)
    pool, test = basis.pool(case.public), basis.read(case.test)

    def once(number: int) -> Row:
        learned = consensus.learn(pool, draw(consensus, answers, pool, source(number)))
        if case.student is None:
            return case.scores(test @ learned.weights, pool @ learned.weights)
        model = case.student.fit(Lesson.of_beliefs(case.public, case.public, learned.belief, number))
        return case.scores(model.proba(case.test), model.proba(case.public))

    return once


@dataclass(frozen=True)
class Places:
    """All sides in a basis, and the noise that pays for one answer of length 1."""

    private: np.ndarray
    pool: np.ndarray
    test: np.ndarray
    sigma: float

    @classmethod
    def of(cls, case: Case, *several: Consensus, share: float = 0.5) -> "Places":
        """In one basis, or in two side by side: each with its share of the squared length."""
        lengths = [1.0] if len(several) == 1 else [np.sqrt(share), np.sqrt(1 - share)]
        plan = several[0].plan(several[0].epsilon, case.delta, None)
        floor = plan.floor(len(case.y), case.classes)
        found = []
        for length, one in zip(lengths, several, strict=True):
            basis = one.basis(case.public, case.classes, floor)
            found.append(
                [length * x for x in (basis.read(case.private), basis.pool(case.public), basis.read(case.test))]
            )
        private, pool, test = (np.hstack(side) for side in zip(*found, strict=True))
        return cls(private, pool, test, plan.sigma)

    def learn(
        self, case: Case, answer: np.ndarray, length: float, sigma: float, rng: np.random.Generator
    ) -> np.ndarray:
        """Weights from the noisy sum of phi (x) answer, each answer at most so long, with continuous noise."""
        noise = sigma * length
        total = self.private.T @ answer + noise * rng.standard_normal((self.private.shape[1], case.classes))
        return fit(self.pool, total, len(case.y), noise, length).weights


def plain(case: Case, consensus: Consensus) -> Iterator[tuple[str, Callable[[int], Row]]]:
    """As it is configured."""
    yield f"epsilon {consensus.epsilon}", released(case, consensus)


def sites(case: Case, consensus: Consensus) -> Iterator[tuple[str, Callable[[int], Row]]]:
    """Whole sites of 60 records are hidden, at several clips: a site's answer counts as that many records' at most."""
    group = np.arange(len(case.y)) // 60
    for clip in (4.0, 8.0, 16.0, 32.0):
        yield f"{group.max() + 1} sites, clip {clip}", released(case, replace(consensus, clip=clip), group)


def clusters(case: Case, consensus: Consensus) -> Iterator[tuple[str, Callable[[int], Row]]]:
    """Reverse k-NN (Li et al. 2022), for several numbers of clusters and votes, at the same epsilon and relation."""
    for count, votes in ((50, 1), (100, 1), (200, 1), (100, 3), (500, 1)):
        if count < len(case.public):
            chosen = ClusterConsensus(consensus.epsilon, components=count, votes=votes)
            yield f"{count} clusters, {votes} votes a record", released(case, chosen)


def components(case: Case, consensus: Consensus) -> Iterator[tuple[str, Callable[[int], Row]]]:
    for count in (30, 60, 120, 250, 500, 1000, None):
        if count is None or count < len(case.public):
            yield f"{count or 'as many as the rule says'}", released(case, replace(consensus, components=count))


def whitening(case: Case, consensus: Consensus) -> Iterator[tuple[str, Callable[[int], Row]]]:
    """Also what noise in the shape of the public spectrum is: noise of covariance C^-q, a record's length bounded in
    its norm, is plain noise in a basis whitened by as much."""
    for power in (0.0, 0.25, 0.5, 0.75, 1.0):
        yield f"power {power}", released(case, KernelConsensus(consensus.epsilon, whitening=power))


def both(case: Case, consensus: Consensus) -> Iterator[tuple[str, Callable[[int], Row]]]:
    """Kernel and graph at once, each with a share of the squared length."""
    epsilon = consensus.epsilon
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        places = Places.of(case, KernelConsensus(epsilon), GraphConsensus(epsilon), share=share)
        yield f"share of the kernel {share}", _once(case, places)


def _once(case: Case, places: Places) -> Callable[[int], Row]:
    answer = np.eye(case.classes)[case.y] - 1 / case.classes

    def once(draw: int) -> Row:
        rng = np.random.default_rng(draw)
        weights = places.learn(case, answer, centred_length(case.classes), places.sigma, rng)
        return case.scores(places.test @ weights, places.pool @ weights)

    return once


def residuals(case: Case, consensus: Consensus) -> Iterator[tuple[str, Callable[[int], Row]]]:
    """A second release of what the first leaves unsaid. Gaussian mechanisms compose as 1/sigma^2 = 1/a^2 + 1/b^2 (Dong,
    Roth & Su 2019), so a share of the budget is that share of 1/sigma^2. Residuals are clipped anew: the shorter the
    clip, the less noise."""
    places, whole = Places.of(case, consensus), centred_length(case.classes)
    answer = np.eye(case.classes)[case.y] - 1 / case.classes
    yield "one release", _once(case, places)
    for share in (0.5, 0.8):
        for clip in (1.0, 0.7, 0.4):

            def twice(draw: int, share: float = share, clip: float = clip) -> Row:
                rng = np.random.default_rng(draw)
                first = places.learn(case, answer, whole, places.sigma / np.sqrt(share), rng)
                rest = answer - places.private @ first
                length = np.linalg.norm(rest, axis=1, keepdims=True)
                rest *= np.minimum(1, clip * whole / np.maximum(length, 1e-12))
                weights = first + places.learn(case, rest, clip * whole, places.sigma / np.sqrt(1 - share), rng)
                return case.scores(places.test @ weights, places.pool @ weights)

            yield f"{share:.0%} for the first, residuals cut to {clip}", twice


def weights(case: Case, consensus: Consensus) -> Iterator[tuple[str, Callable[[int], Row]]]:
    """Rare classes count for more: (1/prior)^power, the largest at the bound; priors as if they were declared."""
    case = replace(case, balanced=True)
    prior = np.maximum(np.bincount(case.public_y, minlength=case.classes) / max(len(case.public_y), 1), 1e-6)
    places, whole = Places.of(case, consensus), centred_length(case.classes)
    for power in (0.0, 0.5, 1.0):
        weight = prior**-power / (prior**-power).max()
        answer = (np.eye(case.classes)[case.y] - 1 / case.classes) * weight[case.y][:, None]

        def weighed(draw: int, answer: np.ndarray = answer) -> Row:
            found = places.learn(case, answer, whole, places.sigma, np.random.default_rng(draw))
            return case.scores(places.test @ found, places.pool @ found)

        yield f"power {power}", weighed


def budgets(case: Case, consensus: Consensus) -> Iterator[tuple[str, Callable[[int], Row]]]:
    """Records with an epsilon of their own: 34% a tenth of the run's, 43% half of it, 23% all (individualized PATE:
    Boenisch et al. 2023). An answer shorter by s is hidden by 1/s times as much noise, so who asks for less answers
    more softly. Beside it: all at the least of these, only those who ask for nothing, and all at the most."""
    shares = (0.1, 0.5, 1.0)
    noise = [consensus.plan(share * consensus.epsilon, case.delta, None).sigma for share in shares]  # type: ignore[attr-defined]
    level = np.random.default_rng(0).choice(3, len(case.y), p=(0.34, 0.43, 0.23))
    yield f"all at {shares[0]} of epsilon", released(case, replace(consensus, epsilon=shares[0] * consensus.epsilon))
    yield "only those at the whole epsilon", released(case, consensus, scale=1.0 * (level == 2))
    yield "each at its own", released(case, consensus, scale=noise[-1] / np.array(noise)[level])
    yield "all at the whole epsilon", released(case, consensus)


def pool(case: Case, consensus: Consensus) -> Iterator[tuple[str, Callable[[int], Row]]]:
    """Fewer public inputs; the pool that is scored is the smaller one."""
    for count in (100, 300, 1000, 3000, 9000):
        if count <= len(case.public):
            fewer = replace(case, public=case.public[:count], public_y=case.public_y[:count])
            yield f"{count} public inputs", released(fewer, consensus)


def elsewhere(case: Case, consensus: Consensus) -> Iterator[tuple[str, Callable[[int], Row]]]:
    """Public inputs from another distribution than private and test ones; the pool has no labels then."""
    if case.elsewhere is not None:
        own = replace(case, public=case.public[: len(case.elsewhere)], public_y=case.public_y[:0])
        yield f"{len(own.public)} inputs of its own", released(own, consensus)
        yield f"{len(own.public)} from elsewhere", released(replace(own, public=case.elsewhere), consensus)


SEVERAL = (plain, sites, clusters, components, whitening, both, residuals, weights, budgets, pool, elsewhere)
ABLATIONS = {one.__name__: one for one in SEVERAL}


if __name__ == "__main__":
    main()
