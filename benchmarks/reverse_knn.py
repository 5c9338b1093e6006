"""Reverse k-NN as its authors have it (Li et al. 2022), beside consensus: their split, their epsilon, one relation.

    .venv/bin/python benchmarks/reverse_knn.py            MNIST: 60,000 private, 5000 public and 5000 test images
    .venv/bin/python benchmarks/reverse_knn.py --quick    digits, two draws: seconds

They put public images in 10 to 100 clusters that no deformation changes (DTI clustering, Monnier et al. 2020: affine,
morphological and thin-plate ones, by networks). A private record votes, with its class, for the nearest; counts get
Laplace noise; a public image takes the class that wins its cluster. Noise of scale 1/epsilon is epsilon-DP under
zero-out; theirs is 2/epsilon, for replace-one. Here clusters are k-means under the tangent distance (Simard et al.
1993): hardly changed by small translations, rotations, scalings, shears and thickening.

Printed are shares of right labels of the public pool, and of consensus' predictor or student on the test images too.
All noise is seeded: evaluation.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import hydra
import numpy as np
from consensus import Case, released
from scipy.ndimage import gaussian_filter
from threadpoolctl import threadpool_limits

from pate.accounting.gaussian import epsilon as gaussian_epsilon
from pate.accounting.gaussian_sum import noise_for
from pate.app.preflight import checked
from pate.noise import source

MNIST = ["dataset=mnist", "dataset.public=5000", "features=scattering", "consensus=graph", "student=graph"]
QUICK = ["dataset=digits", "features=identity", "consensus=kernel", "student=krr"]
MOVED = {"zero-out": 1, "replace-one": 2}  # by how many bounds one record moves the sum
_BLUR = 1.0  # of a prototype before it is differentiated, in pixels
_STIFF = 0.03  # what a deformation costs, in mean squares of tangents
_ROUNDS, _ROWS = 30, 5000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epsilons", default="0.1,0.02")
    parser.add_argument("--clusters", default="10,30,100")
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="digits, two draws")
    parser.add_argument("overrides", nargs="*", help="as for pate: consensus, features, ...")
    given = parser.parse_args()
    if given.quick:
        given.draws, given.epsilons, given.clusters = 2, "1.0", "10,20"
    with hydra.initialize_config_module(version_base="1.3", config_module="pate.conf"):
        settings = checked(hydra.compose("config", [*(QUICK if given.quick else MNIST), *given.overrides]))
    if settings.dataset.missing():
        settings.dataset.fetch()
    split = settings.dataset.load()
    asked = [(float(one), relation) for one in given.epsilons.split(",") for relation in MOVED]
    for count in map(int, given.clusters.split(",")):
        prototypes = Prototypes.of(_images(split.public.x), count)
        pool, mine = (prototypes.nearest(_images(side.x)) for side in (split.public, split.private))
        votes = np.zeros((count, len(split.private.classes)), np.int64)
        np.add.at(votes, (mine, split.private.y), 1)
        for epsilon, relation in asked:
            once = partial(share_right, votes, MOVED[relation] / epsilon, pool, split.truth.public_y)
            told(f"{count} clusters", epsilon, relation, once, given.draws)
        clean = (votes.argmax(axis=1)[pool] == split.truth.public_y).mean()
        print(f"{count} clusters without noise: pool {clean:.2%}", flush=True)
    case = Case.of(settings, None, None)
    for epsilon, relation in asked:
        alike = gaussian_epsilon(1 / (MOVED[relation] * noise_for(epsilon, case.delta)), case.delta)
        for what, one in (("consensus", case), ("consensus and student", replace(case, student=settings.student))):
            told(what, epsilon, relation, released(one, replace(settings.consensus, epsilon=alike)), given.draws)


def share_right(votes: np.ndarray, scale: float, pool: np.ndarray, truth: np.ndarray, draw: int) -> list[float]:
    """Of the public pool, which takes the winner of each cluster."""
    noisy = votes + source(draw).discrete_laplace(votes.shape, scale)
    return [np.nan, float((noisy.argmax(axis=1)[pool] == truth).mean())]


def told(what: str, epsilon: float, relation: str, once: Callable[[int], list[float]], draws: int) -> None:
    rows = np.array([once(draw) for draw in range(draws)])
    error = rows.std(axis=0, ddof=1) / np.sqrt(draws)
    shown = [
        f"{title} {mean:.2%} ± {off:.2%}"
        for title, mean, off in zip(("test", "pool"), rows.mean(axis=0), error, strict=True)
        if not np.isnan(mean)
    ]
    print(f"{what}, epsilon {epsilon:g} ({relation}): {', '.join(shown)}", flush=True)


@dataclass(frozen=True)
class Prototypes:
    """Images (n x pixels), and what small deformations add to each (n x pixels x kinds): orthogonal directions, each as
    long as the share of a difference along it that is forgiven."""

    x: np.ndarray
    tangents: np.ndarray

    @classmethod
    def at(cls, x: np.ndarray) -> "Prototypes":
        return cls(x.reshape(len(x), -1), np.stack([_tangents(one) for one in x]))

    @classmethod
    def of(cls, x: np.ndarray, count: int) -> "Prototypes":
        """k-means: each prototype is the mean of its images, less their deformations."""
        from sklearn.cluster import kmeans_plusplus

        flat = x.reshape(len(x), -1)
        found = cls.at(kmeans_plusplus(flat, count, random_state=0)[0].reshape(-1, *x.shape[1:]))
        for _ in range(_ROUNDS):
            whose = found.nearest(x)
            means = found.x.copy()
            for one in np.unique(whose):
                means[one] += found._beyond(one, flat[whose == one]).mean(axis=0)
            found = cls.at(means.reshape(-1, *x.shape[1:]))
        return found

    def nearest(self, x: np.ndarray) -> np.ndarray:
        """The prototype at the smallest tangent distance from each image."""
        flat, found = x.reshape(len(x), -1), []
        with threadpool_limits(1):
            for start in range(0, len(flat), _ROWS):
                rows = flat[start : start + _ROWS]
                squared = [
                    np.square(rows - self.x[one]).sum(axis=1)
                    - np.square((rows - self.x[one]) @ self.tangents[one]).sum(axis=1)
                    for one in range(len(self.x))
                ]
                found.append(np.argmin(squared, axis=0))
        return np.concatenate(found)

    def _beyond(self, one: int, rows: np.ndarray) -> np.ndarray:
        """What no deformation of this prototype explains."""
        rest = rows - self.x[one]
        return rest - (rest @ self.tangents[one]) @ self.tangents[one].T


def _tangents(image: np.ndarray) -> np.ndarray:
    smooth = gaussian_filter(image, _BLUR)
    down, right = np.gradient(smooth)
    rows, columns = (np.linspace(-1, 1, side) for side in image.shape)
    y, x = np.meshgrid(rows, columns, indexing="ij")
    kinds = [down, right, x * down, y * down, x * right, y * right, down**2 + right**2]
    all_kinds = np.stack([one.ravel() for one in kinds], axis=1)
    all_kinds /= np.maximum(np.linalg.norm(all_kinds, axis=0), 1e-12)
    directions, lengths, _ = np.linalg.svd(all_kinds, full_matrices=False)
    return (directions * np.sqrt(lengths**2 / (lengths**2 + _STIFF))).astype(np.float32)


def _images(x: np.ndarray) -> np.ndarray:
    """Between 0 and 1."""
    flat = x.astype(np.float32) / (255 if x.dtype == np.uint8 else max(float(x.max()), 1e-12))
    return flat if flat.ndim == 3 else flat.reshape(len(flat), *[round(flat.shape[1] ** 0.5)] * 2)


if __name__ == "__main__":
    main()
