"""Make the workspaces of this version that later ones must be able to open: run once, with the code they are of.

    python -m tests.golden.make tests/golden/DATE [NAME ...]

Everything goes through the command line, so that the same file makes them with any version. Each is a tar file, as git
keeps no 0700; private records are small and made up.
"""

from __future__ import annotations

import csv
import os
import random
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

import numpy as np

PATE = [sys.executable, "-c", "from pate.app.cli import main; main()"]
SMALL = ["teachers.count=10", "labels.queries=20", "n_jobs=1"]
WHOSE = ["dataset=arrays", "dataset.path=clinic", "dataset.label=y", "dataset.classes=[0,1]"]
CLINIC = [*WHOSE, "dataset.drop=[who]"]
TRAINED = ["stage=dpsgd", "dpsgd.epsilon=2", "dpsgd.epochs=5", "dpsgd.lot=32"]
LONG = ["stage=dpsgd", "dpsgd.epsilon=2", "dpsgd.epochs=1500", "dpsgd.lot=32"]  # some seconds, so that it can be killed
FEW = ["dataset.private=300", "dataset.public=100", "dataset.test=50"]
STRICT = ["partition.group_by=who", "budget=strict", "budget.epsilon=50"]
GNMAX = ["aggregator=gnmax", "aggregator.sigma=5", "aggregator.noise=continuous"]
# name -> the runs that made it; the tests run them again and expect nothing to be drawn
MADE: dict[str, list[list[str]]] = {
    "pate": [[*CLINIC, *SMALL, "dpsgd.lot=32", "dpsgd.epochs=5"], ["stage=release", *CLINIC, *SMALL]],
    "images": [["stage=release", "features=pca", "features.components=20", "student=krr", *FEW, *SMALL]],
    "active": [["stage=student", "labels.selection=active", "labels.rounds=2", *CLINIC, *SMALL]],
    "confident": [["stage=labels", "aggregator=confident_gnmax", "aggregator.threshold=5", *CLINIC, *SMALL]],
    "dpsgd": [[*TRAINED, *CLINIC]],
    "killed": [[*LONG, *CLINIC]],
    "killed_seeded": [[*LONG, *CLINIC, "noise.seed=7"]],
    "groups": [["stage=student", *WHOSE, *STRICT, *SMALL]],
    "abandoned": [[*TRAINED, "dpsgd.epochs=1500", *CLINIC]],
    "seeded": [["stage=student", "noise.seed=7", *CLINIC, *SMALL], [*LONG, *CLINIC, "noise.seed=7"]],
    "sanitised": [["stage=sanitise", *GNMAX, *CLINIC, *SMALL]],
    "votes": [["stage=labels", "votes.path=hospitals.npz", "labels.queries=20"]],
}


def main(target: Path, *only: str) -> None:
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        for name, runs in MADE.items():
            if only and name not in only:
                continue
            folder = Path(temporary, name)
            folder.mkdir()
            if name == "votes":
                hospitals(folder / "hospitals.npz")
            elif name != "images":
                clinic(folder / "clinic")
            if name == "abandoned":
                killed(runs[0], folder)
                for pieces in (folder / "workspace" / "private" / "dpsgd").glob("*.pieces"):
                    shutil.rmtree(pieces)
            for words in runs:
                if name.startswith("killed"):
                    killed(words, folder)
                else:
                    subprocess.run([*PATE, "--quiet", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            with tarfile.open(target / f"{name}.tar.gz", "w:gz") as archive:
                archive.add(folder, name)
            print(name, (target / f"{name}.tar.gz").stat().st_size)


def killed(words: list[str], folder: Path) -> None:
    """End a training by SIGKILL once it has saved its state."""
    child = subprocess.Popen([*PATE, *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not list((folder / "workspace" / "private").glob("dpsgd/*.pieces/*.npy")):
        if child.poll() is not None:
            raise SystemExit(f"{' '.join(words)}: ended before it could be killed")
        time.sleep(0.01)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()


def clinic(folder: Path) -> None:
    """Made-up patients, some with several records."""
    folder.mkdir()
    chance = random.Random(5)
    for name, records, first in (("private", 300, 0), ("public", 100, 1000), ("test", 60, 2000)):
        with open(folder / f"{name}.csv", "w", newline="") as stream:
            rows = csv.writer(stream)
            rows.writerow(["age", "town", "smokes", "weight", "y", "who"])
            for place in range(records):
                age, weight = chance.randint(18, 90), round(chance.gauss(70, 10), 1)
                smokes, town = chance.random() < 0.4, chance.choice(["Oslo", "Bern", "Rome"])
                ill = int(age + 20 * smokes + chance.gauss(0, 8) > 62)
                rows.writerow([age, town, smokes, weight, ill, chance.randrange(80) if first == 0 else first + place])


def hospitals(file: Path) -> None:
    """Votes of fifty teachers on forty inputs."""
    rng = np.random.default_rng(3)
    right = rng.integers(0, 10, 40)
    votes = np.where(rng.random((50, 40)) < 0.8, right, rng.integers(0, 10, (50, 40)))
    np.savez(file, predictions=votes, classes=10)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
