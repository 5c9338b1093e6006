"""Every benchmark still runs, in its quick mode; and none is without one."""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
SAYS = {
    "accounting": ["PATE-2017, queries x 32 orders: 1,000 in", "the whole ladder, queries: 100 in"],
    "consensus": ["plain: epsilon 2.0: test ", "residuals: one release: test ", "weights: power 1.0: test "],
    "dpsgd": ["linear, 64", "cnn, 32", "torch.func", "ghost"],
    "proxies": ["optdigits: 15 private, 5 public", "cifar_grey: 15 private, 5 public", "hotel.csv: 2 rows"],
    "reverse_knn": [
        "20 clusters, epsilon 1 (zero-out): pool ",
        "20 clusters without noise: pool ",
        "consensus, epsilon 1 (replace-one): test ",
    ],
    "user_tables": ["credit: 20 private, 5 public, 5 test", "usps: 15 private, 5 public, 4 test"],
    "students": ["draw 1: test ", "mean of 2: test "],
}


def test_every_benchmark_is_here():
    assert {file.stem for file in FOLDER.glob("*.py")} == set(SAYS)


@pytest.mark.slow
@pytest.mark.parametrize("name", SAYS)
def test_its_quick_mode_runs(name, tmp_path):
    done = subprocess.run(
        [sys.executable, FOLDER / f"{name}.py", "--quick"], cwd=tmp_path, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    for words in SAYS[name]:
        assert words in done.stdout
    assert list(tmp_path.iterdir()) == []  # nothing is left behind
