"""How fast the accountants are: a table, medians of three runs.

.venv/bin/python benchmarks/accounting.py            a minute
.venv/bin/python benchmarks/accounting.py --quick    the same on few votes, once: seconds, and no measure of speed
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from pate.accounting import moments
from pate.accounting.exact import Ensemble, exact, over_chunks
from pate.accounting.exact_rdp import divergences
from pate.accounting.ladder import price
from pate.accounting.quadrature import gaussian, laplace
from pate.aggregation.lnmax import LNMax

REFERENCE = Path(__file__).parents[1] / "tests" / "accounting" / "votes_mnistlike_250.npz"
SIZES = [(1_000, 250, 10), (10_000, 250, 10), (1_000, 100, 10), (1_000, 1_000, 10), (1_000, 250, 2), (1_000, 250, 30)]
ORDERS = 1 + 8 * 2.0 ** (np.arange(-2, 3) / 8)  # as many as a price needs


def votes(queries: int, teachers: int, classes: int, seed: int = 0) -> np.ndarray:
    """Histograms from near-unanimous to split, as ensembles give them."""
    rng = np.random.default_rng(seed)
    leader = rng.beta(4, 1, size=queries)
    rest = rng.dirichlet(np.full(classes - 1, 0.3), size=queries) * (1 - leader)[:, None]
    shares = np.column_stack([leader, rest])
    return rng.multinomial(teachers, shares / shares.sum(axis=1, keepdims=True))


def seconds(work: Callable[[], object], times: int = 3) -> float:
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few votes, once")
    quick = parser.parse_args().quick

    def size(queries: int) -> int:
        return max(20, queries // 1000) if quick else queries

    table = Table(title="accounting")
    for column in ("what", "size", "seconds", "a second"):
        table.add_column(column, justify="left" if column == "what" else "right")

    def row(what: str, size: int, work: Callable[[], object], times: int = 3) -> None:
        taken = seconds(work, 1 if quick else times)
        table.add_row(what, f"{size:,}", f"{taken:.2f}", f"{size / taken:,.0f}")
        console.print(f"{what}: {size:,} in {taken:.2f} s", highlight=False)

    console = Console()
    many, orders = votes(size(1_000_000), 250, 10), np.linspace(1, 64, 32)
    row(
        "PATE-2017, queries x 32 orders",
        len(many),
        lambda: moments.pate2017(moments.plurality_loses(many, 0.05, "continuous"), 0.05, orders).sum(axis=0),
    )
    started = Ensemble.of(votes(size(20_000), 250, 10))
    over_chunks(started.histograms, gaussian(40.0, 250, 10), lambda _: None, None)  # start workers
    reference = np.load(REFERENCE)["counts"].astype(int)
    reference = reference[: size(len(reference))]
    cases = [
        ("exact RDP, reference votes, distinct histograms", reference, laplace(0.05, 250, 10)),
        ("exact RDP, 10 classes, distinct histograms", votes(size(60_000), 250, 10), laplace(0.05, 250, 10)),
        ("the same, Gaussian noise", votes(size(60_000), 250, 10), gaussian(40.0, 250, 10)),
        ("exact RDP, 100 classes, distinct histograms", votes(size(2000), 250, 100), laplace(0.05, 250, 100)),
    ]
    for what, counts, grid in cases:
        distinct = Ensemble.of(counts).histograms
        row(what, len(distinct), partial(over_chunks, distinct, grid, lambda law: divergences(law, ORDERS), None))
    for queries, teachers, classes in SIZES:
        counts = Ensemble.of(votes(size(queries), teachers, classes))
        grid = laplace(12.5 / teachers, teachers, classes)
        row(
            f"exact RDP and PLD, queries ({teachers} teachers, {classes} classes)",
            size(queries),
            partial(exact, counts, grid, [1e-5]),
        )
    large = votes(size(100_000), 250, 10)
    row("the whole ladder, queries", len(large), partial(price, LNMax(0.05), large, 1e-5), 1)
    console.print(table)


if __name__ == "__main__":
    main()
