"""A student apart from teachers: true labels of random public inputs, some replaced by another class.

    .venv/bin/python benchmarks/students.py dataset=mnist features=scattering student=graph_cnn labels.queries=100

    .venv/bin/python benchmarks/students.py --quick    two draws of the simplest student on digits: seconds

Every draw has its own inputs, its own wrong labels (`--right`, exactly that share is kept) and its own seed. What comes
out is the accuracy on the test set and on the public inputs that had no label, with standard errors over draws.
"""

import argparse
import math
import time

import hydra
import numpy as np

from pate.app.preflight import checked
from pate.students.student import Lesson

QUICK = ["dataset=digits", "features=identity", "student=supervised", "labels.queries=50"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--right", type=float, default=0.98, help="share of labels that are right")
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("overrides", nargs="*", help="as for pate: dataset, features, student, labels.queries")
    parser.add_argument(
        "--quick", action="store_true", help="a small student on digits, two draws; overrides still hold"
    )
    given = parser.parse_args()
    if given.quick:
        given.draws, given.overrides = 2, [*QUICK, *given.overrides]
    with hydra.initialize_config_module(version_base="1.3", config_module="pate.conf"):
        settings = checked(hydra.compose("config", given.overrides))
    if settings.dataset.missing():
        settings.dataset.fetch()
    split = settings.dataset.load()
    encoder = settings.features.fit(split.public.x)
    features = encoder.transform(split.public.x)
    seen = settings.student.encoder(encoder)
    test, pool = seen.transform(split.test.x), seen.transform(split.public.x)
    rows = []
    for draw in range(given.draws):
        index, label = labels(
            split.truth.public_y, len(split.public.classes), settings.labels.queries, given.right, draw
        )
        wrong = settings.labels.wrong or 0.0
        started = time.monotonic()
        lesson = Lesson(split.public.x, features, index, label, len(split.public.classes), wrong, draw)
        model = settings.student.fit(lesson)
        took, rest = time.monotonic() - started, np.setdiff1d(np.arange(len(pool)), index)
        row = [
            share(model.predict(test), split.truth.test_y),
            share(model.predict(pool[rest]), split.truth.public_y[rest]),
        ]
        if (views := model.views(test)) is not None:
            row.append(share(views.argmax(axis=1), split.truth.test_y))
            row.append(share(model.views(pool[rest]).argmax(axis=1), split.truth.public_y[rest]))
        rows.append(row)
        print(f"draw {draw}: {shown(row)}, {took:.0f} s", flush=True)
    mean, error = np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1) / np.sqrt(len(rows))
    print(f"mean of {len(rows)}: {shown(mean)}; standard errors {shown(error)}")


def labels(truth: np.ndarray, classes: int, count: int, right: float, draw: int) -> tuple[np.ndarray, np.ndarray]:
    """Random inputs; of their true labels a fixed number is replaced by any other class."""
    rng = np.random.default_rng(draw)
    index = np.sort(rng.choice(len(truth), count, replace=False))
    label = truth[index].copy()
    bad = rng.choice(count, count - round(right * count), replace=False)
    label[bad] = (label[bad] + rng.integers(1, classes, len(bad))) % classes
    return index, label


def share(said: np.ndarray, truth: np.ndarray) -> float:
    return float((said == truth).mean()) if len(truth) else math.nan


def shown(row: list[float]) -> str:
    names = ("test", "pool", "test of moved copies", "pool of moved copies")
    return ", ".join(f"{name} {value:.2%}" for name, value in zip(names, row, strict=False) if not math.isnan(value))


if __name__ == "__main__":
    main()
