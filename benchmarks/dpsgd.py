"""How fast DP-SGD is beside its peers: one step of the same model on the same lot, on one thread.

    .venv/bin/pip install --constraint constraints.txt --editable '.[bench]'
    .venv/bin/python benchmarks/dpsgd.py --json dpsgd.json
    .venv/bin/python benchmarks/dpsgd.py --quick    every method once, on small lots: seconds, and no measure of speed

A step is forward, backward, clip, noise and update; our noise is cryptographic ("clip only" has none; "ahead" lets a
second thread draw it during the step before, as training does), the peers' is torch's. Methods take turns in one
process, in a new order every round; what is slow has fewer rounds. The first table is with malloc as it is, the second
with a malloc that keeps large blocks instead of returning them. 14 GB, 15 minutes. All convolve in channels_last, the
faster format, but Opacus' hooks and ghost, which are silently wrong in it (1.6.0). Whatever does not give our clipped
sum, when there is no noise, is named below the table: it measures something else.
"""

from __future__ import annotations

import argparse
import copy
import ctypes
import json
import os
import random
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor, nn
from torch.func import functional_call, grad, vmap
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, TensorDataset

from pate.dpsgd.descent import add_noise
from pate.dpsgd.engine import clipped_sum
from pate.dpsgd.layers import squared_norms
from pate.noise import source

CASES = [("linear", 1024), ("linear", 2048), ("mlp", 256), ("mlp", 2048), ("cnn", 512)]
QUICK = [("linear", 64), ("cnn", 32)]
SHAPES = {"linear": (4000,), "mlp": (784,), "cnn": (1, 28, 28)}
SECRET, SECOND, AHEAD = source(None), ThreadPoolExecutor(1), {}
AGREE = 1e-4  # relative, of clipped sums
PATIENCE, FEWEST = 12.0, 3  # seconds of a case that a slow method may take, but no fewer rounds than these
KEEPING = {"MALLOC_MMAP_THRESHOLD_": 2**36, "MALLOC_TRIM_THRESHOLD_": 2**36, "MALLOC_TOP_PAD_": 2**26}  # bytes
MALLOCS = {"malloc as it is": {}, "malloc that keeps large blocks": {k: str(v) for k, v in KEEPING.items()}}


def network(name: str) -> nn.Sequential:
    torch.manual_seed(0)
    if name == "linear":
        return nn.Sequential(nn.Linear(4000, 10))
    if name == "mlp":
        return nn.Sequential(nn.Linear(784, 1000), nn.ReLU(), nn.Linear(1000, 10))
    return nn.Sequential(
        *(nn.Conv2d(1, 16, 8, 2, padding=2), nn.Tanh(), nn.MaxPool2d(2, 1)),
        *(nn.Conv2d(16, 32, 4, 2), nn.Tanh(), nn.MaxPool2d(2, 1)),
        *(nn.Flatten(), nn.Linear(512, 32), nn.Tanh(), nn.Linear(32, 10)),
    )


def plain(model: nn.Module, x: Tensor, y: Tensor, clip: float, noise: float) -> None:
    cross_entropy(model(x), y).backward()


def ours(model: nn.Module, x: Tensor, y: Tensor, clip: float, noise: float) -> None:
    gradient = clipped_sum(model, x, y, clip, squared=known(x)).gradient
    if noise:
        add_noise(gradient, drawn(sum(g.numel() for g in gradient), noise * clip))
    for p, g in zip(model.parameters(), gradient, strict=True):
        p.grad = g.div_(len(x))


@cache
def known(x: Tensor) -> Tensor:
    """Of the records, which do not change: training has their norms at hand."""
    return squared_norms(x.flatten(1))


def drawn(total: int, deviation: float) -> Tensor:
    return torch.from_numpy(SECRET.many_gaussians(total, deviation))


def ours_ahead(model: nn.Module, x: Tensor, y: Tensor, clip: float, noise: float) -> None:
    """As in training: a second thread draws the noise of the next step."""
    total, deviation = sum(p.numel() for p in model.parameters()), max(noise, 1e-9) * clip
    ready = AHEAD.pop(id(model), None) or SECOND.submit(drawn, total, deviation)
    AHEAD[id(model)] = SECOND.submit(drawn, total, deviation)
    gradient = clipped_sum(model, x, y, clip, squared=known(x)).gradient
    add_noise(gradient, ready.result())
    for p, g in zip(model.parameters(), gradient, strict=True):
        p.grad = g.div_(len(x))


def torch_func(model: nn.Module, x: Tensor, y: Tensor, clip: float, noise: float) -> None:
    gradients = by_record(model, x, y)
    weights = (clip / norms(gradients)).clamp(max=1.0)
    for p, g in zip(model.parameters(), gradients, strict=True):
        total = torch.einsum("n,n...->...", weights, g)
        p.grad = (total + noise * clip * torch.randn_like(total)) / len(x)


def by_record(model: nn.Module, x: Tensor, y: Tensor) -> list[Tensor]:
    """torch's tutorial on per-sample gradients."""

    def loss(parameters: dict[str, Tensor], record: Tensor, label: Tensor) -> Tensor:
        return cross_entropy(functional_call(model, parameters, (record[None],)), label[None])

    parameters = {name: p.detach() for name, p in model.named_parameters()}
    return list(vmap(grad(loss), in_dims=(None, 0, 0))(parameters, x, y).values())


def norms(gradients: list[Tensor]) -> Tensor:
    return torch.stack([g.flatten(1).norm(dim=1) for g in gradients]).norm(dim=0)


HERE = {"plain SGD": plain, "clip only": ours, "ours": ours, "ahead": ours_ahead, "torch.func": torch_func}
OPACUS = ["hooks", "functorch", "ew", "ghost"]
METHODS = [*HERE, *OPACUS]


class Trainer(NamedTuple):
    """`backward` and a step of the optimiser leave the step's gradient in the parameters, zero_grad clears it."""

    model: nn.Module
    backward: Callable[[], None]
    optimizer: torch.optim.Optimizer

    def turn(self) -> None:
        self.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()  # at the end: Opacus holds a gradient a record until then


def trainer(method: str, model: nn.Module, x: Tensor, y: Tensor, clip: float, noise: float) -> Trainer:
    layout = torch.contiguous_format if method in ("hooks", "ghost") else torch.channels_last
    model = copy.deepcopy(model).to(memory_format=layout)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    if method in HERE:
        return Trainer(model, partial(HERE[method], model, x, y, clip, noise), optimizer)
    from opacus import PrivacyEngine

    private, optimizer, *criterion, _ = PrivacyEngine().make_private(
        module=model,
        optimizer=optimizer,
        data_loader=DataLoader(TensorDataset(x, y), len(x)),
        noise_multiplier=noise,
        max_grad_norm=clip,
        poisson_sampling=False,
        grad_sample_mode=method,
    )
    loss = criterion[0] if criterion else nn.CrossEntropyLoss()  # ghost brings its own
    return Trainer(model, lambda: loss(private(x), y).backward(), optimizer)


def measure(name: str, lot: int, rounds: int) -> dict[str, dict]:
    """Of each method: how far its clipped sum is from ours, the MB a step takes, the seconds of every round."""
    model, x, y = network(name), torch.randn(lot, *SHAPES[name]), torch.randint(0, 10, (lot,))
    clip = float(norms(by_record(model, x[:64], y[:64])).median())  # some are clipped, some are not

    def clipped(method: str) -> Tensor:
        own = trainer(method, model, x[:256], y[:256], clip, noise=0.0)
        own.backward()
        own.optimizer.step()
        gradient = torch.cat([p.grad.flatten() for p in own.model.parameters()])
        own.optimizer.zero_grad()
        return gradient

    truth = clipped("ours")
    found, turns = {}, {}
    for method in METHODS:
        off = float((clipped(method) - truth).norm() / truth.norm())
        turn = turns[method] = trainer(method, model, x, y, clip, noise=0.0 if method == "clip only" else 1.0).turn
        found[method] = {"off": off, "mb": peak(turn), "seconds": []}
    count = {method: min(rounds, max(FEWEST, int(PATIENCE / timed(turn)))) for method, turn in turns.items()}
    for i in range(rounds):
        due = [method for method in METHODS if i * count[method] % rounds < count[method]]
        for method in random.Random(i).sample(due, len(due)):
            found[method]["seconds"].append(timed(turns[method]))
    return found


def timed(turn: Callable[[], None]) -> float:
    started = time.perf_counter()
    turn()
    return time.perf_counter() - started


def peak(turn: Callable[[], None]) -> float:
    """MB of memory above what was in use before (Linux)."""

    def status(field: str) -> int:
        return int(Path("/proc/self/status").read_text().split(field + ":")[1].split()[0])

    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")  # the high-water mark starts anew
    before = status("VmRSS")
    turn()
    return (status("VmHWM") - before) / 1024


def shown(title: str, results: dict[str, dict[str, dict]]) -> Table:
    table = Table(title=title, caption="hooks, functorch, ew (ExpandedWeights), ghost: modes of Opacus")
    for column in ("", "", *METHODS):
        table.add_column(column, justify="right")
    for case, found in results.items():
        ms = {method: 1000 * statistics.median(one["seconds"]) for method, one in found.items()}
        table.add_row(case, "ms a step", *(f"{t:.1f}" for t in ms.values()))
        table.add_row("", "times plain SGD", *(f"{t / ms['plain SGD']:.2f}" for t in ms.values()))
        table.add_row("", "times ours", *(f"{t / ms['ours']:.2f}" for t in ms.values()))
        table.add_row("", "MB at most", *(f"{one['mb']:,.0f}" for one in found.values()))
        table.add_row("", "rounds", *(f"{len(one['seconds'])}" for one in found.values()), end_section=True)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--only", choices=list(SHAPES))
    parser.add_argument("--json", type=Path, help="file for every round's seconds")
    parser.add_argument("--quick", action="store_true", help="small lots, one round, malloc as it is")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)  # the child
    given = parser.parse_args()
    cases = [case for case in (QUICK if given.quick else CASES) if given.only in (None, case[0])]
    rounds = 1 if given.quick else given.rounds
    if given.measure:
        warnings.simplefilter("ignore")  # Opacus' on its generator
        torch.set_num_threads(1)
        print(json.dumps({f"{name}, {lot}": measure(name, lot, rounds) for name, lot in cases}))
        return
    console, results = Console(), {}
    console.width = max(console.width, 120)
    for title, settings in list(MALLOCS.items())[: 1 if given.quick else None]:
        child = subprocess.run(
            [sys.executable, __file__, *sys.argv[1:], "--measure"],
            env={**os.environ, "OMP_NUM_THREADS": "1", **settings},
            stdout=subprocess.PIPE,
            check=True,
        )
        results[title] = json.loads(child.stdout)
        console.print(shown(f"{title}: torch {torch.__version__}, Opacus {version('opacus')}", results[title]))
        for case, found in results[title].items():
            for method, one in found.items():
                if method != "plain SGD" and not one["off"] < AGREE:
                    console.print(f"{case}: {method} is off by {one['off']:.1e}: it measures something else")
    if given.json:
        given.json.write_text(json.dumps(results))


if __name__ == "__main__":
    main()
