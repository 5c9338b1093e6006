"""A method and a metric of somebody else's, in table, page, csv, ledger and release: no file of pate/ knows them."""

import csv
import json
import math
import os
import sqlite3
import subprocess

import pytest
from scipy.stats import norm

from pate.accounting.gaussian import epsilon as gaussian_epsilon
from tests.command_line import MAIN
from tests.plugged import installed

TOY = '''
"""Noisy means: the sum and the number of every class's clipped records, once, with Gaussian noise."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pate.accounting import gaussian
from pate.accounting.filter import ORDERS, Cost
from pate.accounting.guarantee import ZERO_OUT, for_every
from pate.choice import Choice
from pate.evaluation.metrics import metric
from pate.ledger.ledger import Release
from pate.methods.method import Entry, Method
from pate.models.classifier import Classifier
from pate.models.predictor import Predictor
from pate.noise import source
from pate.pipelines.artifacts import ENCODER, PRIVATE, PRIVATE_FEATURES
from pate.pipelines.release import release_of
from pate.release.statement import Statement
from pate.workspace.stage import releasable, stage

MEANS = releasable("means", Predictor)


@dataclass(frozen=True)
class Means(Choice):
    kind: ClassVar[str] = "means"
    sigma: float = 4.0

    def __post_init__(self):
        if not self.sigma > 0:
            raise ValueError(f"sigma must be a positive number, got {self.sigma}")


def promise(settings):
    """A record is one row of at most length 1 in one sum, and one in one count: together at most sqrt(2) (zero-out)."""
    epsilon = gaussian.epsilon(1 / settings.means.sigma, settings.delta)
    return for_every("gaussian", epsilon, settings.delta, "Balle & Wang 2018, Thm 8")


def released(settings):
    found, rdp = promise(settings), tuple(order / (2 * settings.means.sigma**2) for order in ORDERS)
    words = f"class means with Gaussian (floating-point) noise of multiplier {settings.means.sigma:g}"
    cost = Cost(rdp, float("inf"), found.epsilon, found.delta)
    return Release("means", words, settings.means.parameters(), str(ZERO_OUT), cost, [list(rdp)] * 2)


@stage(reads=[PRIVATE, ENCODER, PRIVATE_FEATURES], writes=[MEANS], config=["means", "noise", "delta"],
       crosses="Gaussian noise on sums of clipped records (Balle & Wang 2018)")
def means(run, private, encoder, private_features):
    """means: class means with noise."""
    settings, x, classes = run.settings, private_features.x, len(private.classes)
    run.spending.whole(released(settings), begun=False)
    rows = x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1)
    noise, scale = source(settings.noise.seed), settings.means.sigma * np.sqrt(2)
    sums = np.stack([rows[private.y == one].sum(axis=0) for one in range(classes)])
    counts = np.bincount(private.y, minlength=classes)
    drawn = noise.gaussian((classes, rows.shape[1] + 1), scale)
    mean = (sums + drawn[:, :-1]) / np.maximum(counts + drawn[:, -1], 1)[:, None]
    weight, bias = (20 * mean).astype(np.float32), (-10 * np.square(mean).sum(axis=1)).astype(np.float32)
    run.summary = "noisy means of every class"
    return Predictor.of(Classifier({"0.weight": weight, "0.bias": bias}, "none"), encoder, private)


class NoisyMeans(Method):
    key = "means"
    own = Means

    def stages(self, settings):
        return [means]

    def entries(self, settings):
        return [Entry("means", "noisy means", MEANS, (MEANS,), about="one noisy mean a class", mark="^", colour="good",
                      stages=("features", "encode", "means"), guarantees=lambda made: [promise(settings)])]

    def release(self, settings):
        return release_of(MEANS, ["means", "delta"], statement)

    def foreseen(self, settings, stages):
        if "means" in stages:
            yield "means", released(settings)


def statement(run, account):
    return Statement("noisy means", run.settings.dataset.name, released(run.settings).mechanism,
                     "It is the noisy means of its classes.", "**A trusted curator.** Whoever added the noise.",
                     guarantee=promise(run.settings), exact_noise=False, account=account)


@metric("share of the first class")
def first_class_share(belief, truth):
    return float((belief.argmax(axis=1) == 0).mean())
'''
SMALL = ["methods=[pate,means]", "teachers=ridge", "teachers.count=20", "labels.queries=20", "n_jobs=1"]


@pytest.fixture(scope="module")
def pate(tmp_path_factory):
    """The command line where the package is installed, in a folder of its own."""
    place = tmp_path_factory.mktemp("plugged")
    points = {"pate.methods": ["means = toy:NoisyMeans"], "pate.metrics": ["first_class_share = toy:first_class_share"]}

    def run(*arguments):
        environment = os.environ | {"PYTHONPATH": str(place / "site")}
        done = subprocess.run(
            [*MAIN, *arguments], cwd=place, env=environment, capture_output=True, text=True, timeout=600
        )
        return done, place

    with installed(place / "site", {"toy": TOY}, points):
        yield run


@pytest.fixture(scope="module")
def whole(pate):
    done, place = pate(*SMALL)
    assert done.returncode == 0, done.stderr
    (file,) = place.glob("workspace/runs/*/results.json")
    return done.stdout, json.loads(file.read_text()), file.parent


def test_it_is_a_row_of_the_table_with_all_that_belongs_to_its_epsilon(whole):
    text, found, _ = whole
    (row,) = [one for one in found["methods"] if one["name"] == "means"]
    expected = gaussian_epsilon(0.25, 1e-4)
    assert row["epsilon"] == row["epsilon_publishable"] == pytest.approx(expected)
    assert _delta_of(expected, 0.25) == pytest.approx(1e-4, rel=1e-6)  # the closed form, worked here
    assert "noisy means" in text
    assert row["accuracy"] > 0.3  # ten classes


def _delta_of(epsilon, mu):
    """Balle & Wang 2018, Theorem 8."""
    return norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu)


def test_the_metric_is_in_table_results_and_page(whole):
    text, found, folder = whole
    for row in found["methods"]:
        assert 0 <= row["metrics"]["first_class_share"] <= 1
    page = (folder / "report.html").read_text()
    assert "share of the first class" in text
    assert "share of the first class" in page
    assert "noisy means" in page
    assert "triangles noisy means" in page  # the legend of its mark


def test_it_is_in_the_ledger(whole, pate):
    done, place = pate("stage=ledger")
    assert "class means with Gaussian" in done.stdout
    with sqlite3.connect(place / "workspace" / "private" / "ledger.sqlite") as ledger:
        kinds = [json.loads(line)["release"]["kind"] for (line,) in ledger.execute("SELECT line FROM entries")]
    assert kinds == ["labels", "means"]


def test_it_can_be_released_and_nothing_is_drawn_again(whole, pate):
    done, place = pate("stage=release", "release.method=means", *SMALL)
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stderr.split("\n") if line.startswith("means ")]
    assert "reused" in line
    (card,) = place.glob("workspace/published/*/MODEL_CARD.md")
    text = card.read_text()
    assert "by noisy means" in text
    assert "A trusted curator" in text
    assert f"**{math.ceil(gaussian_epsilon(0.25, 1e-4) * 1000) / 1000:.3f}**" in text


def test_it_is_a_column_of_a_sweep(pate):
    done, place = pate("-m", *SMALL, "means.sigma=2,4", "hydra.sweep.dir=swept", "workspace=swept_workspace")
    assert done.returncode == 0, done.stderr
    with open(place / "swept" / "sweep.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["means_epsilon"]) for row in rows] == pytest.approx(
        [gaussian_epsilon(1 / 2, 1e-4), gaussian_epsilon(1 / 4, 1e-4)]
    )
    assert all(row["means_first_class_share"] for row in rows)
    assert "noisy means" in done.stdout


def test_its_settings_are_checked_and_a_strict_budget_knows_it_beforehand(pate):
    done, _ = pate(*SMALL, "means.sigma=0")
    assert (done.returncode, "means.sigma must be a positive number, got 0" in done.stderr) == (2, True)
    done, _ = pate(*SMALL, "methods=[means]", "budget=strict", "budget.epsilon=0.01", "workspace=strict", "stage=means")
    assert done.returncode == 3
    assert "nothing was drawn for it" in done.stderr


@pytest.mark.parametrize("named", [["release.method=pate"], []])
def test_one_epsilon_is_not_shared_with_a_method_that_releases_unasked(pate, named):
    """It knows no model of the owner's: what both release would cost more than the epsilon."""
    done, _ = pate("epsilon=1", "stage=compare", "workspace=one_epsilon", *SMALL, *named)
    assert done.returncode == 2
    assert "epsilon=1: stage means of means would release, and spend, beside the one model" in done.stderr
    done, _ = pate("epsilon=0.5", "stage=compare", "workspace=one_epsilon", *SMALL, "release.method=means")
    assert (done.returncode, "epsilon=0.5: means would cost 0.77" in done.stderr) == (2, True)
