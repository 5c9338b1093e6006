"""A mechanism from outside, with its price and its law: the exponential one, and no file of pate/ changed for it."""

import csv
import itertools
import json
import math
import os
import re
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from scipy import stats
from scipy.special import log_softmax, softmax

import pate
from pate.accounting import composition, conversion, quadrature
from pate.accounting.cost import of_answers, of_these_answers
from pate.accounting.filter import ORDERS
from pate.accounting.guarantee import for_every
from pate.accounting.ladder import price
from pate.accounting.law import Exactly, OutOfRange
from pate.accounting.plan import queries_for
from pate.accounting.winning import winning, wrong_if_unanimous
from pate.aggregation.aggregator import Aggregator
from pate.errors import ConfigError
from pate.noise import source
from pate.release.statement import of_votes
from pate.report.run.panel import panel
from tests.accounting.brute_force import worst_delta
from tests.command_line import MAIN

COUNTS = np.array([[6, 3, 1], [4, 4, 2], [10, 0, 0]])
_STEP = 0.2  # between nodes, times gamma
SMALL = ["teachers=ridge", "teachers.count=20", "labels.queries=5", "student=supervised", "dpsgd.epochs=1",
         "delta=1e-8", "n_jobs=1"]  # fmt: skip


@dataclass(frozen=True)
class Exponential(Aggregator):
    """Class j with probability proportional to exp(gamma n_j) (McSherry & Talwar 2007).

    A moved vote changes each ln weight by at most gamma, all between -gamma and gamma: every answer is 2 gamma-DP, and
    of range 2 gamma, hence (a, a gamma^2 / 2)-RDP (Cesar & Rogers 2021).
    """

    kind: ClassVar[str] = "exponential of the tests"
    noise_parameter: ClassVar[str] = "gamma"

    gamma: float = 0.2

    def __post_init__(self):
        if not 1e-3 <= self.gamma <= 10:
            raise ValueError(f"gamma must lie between 0.001 and 10, got {self.gamma:g}")

    def answer(self, counts, noise):
        below = np.cumsum(softmax(self.gamma * counts, axis=1), axis=1)
        return (noise.uniform((len(counts), 1)) > below[:, :-1]).sum(axis=1)

    def scaled(self, gamma):
        return replace(self, gamma=gamma)

    def describe(self):
        return f"exponential mechanism, gamma {self.gamma:g} (floating-point)"

    def independent(self, k, teachers, delta):
        step, orders = 2 * self.gamma, conversion.ORDERS
        yield for_every("basic", composition.basic(step, k), delta, "Dwork & Roth 2014, Thm 3.16")
        yield for_every(
            "bounded_range", conversion.epsilon(self.rdp(k, 0, orders), orders, delta), delta, "Cesar & Rogers"
        )

    def rdp(self, k, teachers, orders):
        return k * np.minimum(orders * self.gamma**2 / 2, 2 * self.gamma)

    def pure(self, k):
        return 2 * self.gamma * k

    def law(self, teachers, classes):
        """The argmax after Gumbel noise of scale 1/gamma, of which F(x) = exp(-exp(-gamma x))."""
        low, high = -math.ceil(3 / self.gamma), math.ceil(36 / self.gamma) + 1
        if self.gamma * (teachers + 2 - 2 * low) > 12:
            raise OutOfRange("so many votes a unit of noise overflow")
        per_count, stride = math.ceil(self.gamma / _STEP), max(1, math.floor(_STEP / self.gamma))
        return Exactly(
            quadrature.trapezoid(
                lambda x: -np.exp(-self.gamma * x),
                lambda x: math.log(self.gamma) - self.gamma * x - np.exp(-self.gamma * x),
                low, high, per_count, stride, teachers,
            )
        )  # fmt: skip


@dataclass(frozen=True)
class Certain(Exponential):
    """Answers in another way: no price is about it."""

    def answer(self, counts, noise):
        return counts.argmax(axis=1)


def closed_form(mechanism, row):
    return log_softmax(mechanism.gamma * np.array(row, dtype=float))


@pytest.mark.parametrize("gamma", [0.05, 0.3])
def test_it_answers_by_its_law(gamma):
    mechanism, times = Exponential(gamma), 20_000
    answers = mechanism.answer(np.tile(COUNTS[0], (times, 1)), source(5))
    for label, chance in enumerate(softmax(gamma * COUNTS[0])):
        assert stats.binomtest(int((answers == label).sum()), times, chance).pvalue > 1e-6
    np.testing.assert_allclose(winning(mechanism, COUNTS), softmax(gamma * COUNTS, axis=1), rtol=1e-11)
    assert wrong_if_unanimous(mechanism, 10, 3) == pytest.approx(2 / (2 + math.exp(10 * gamma)))


def tiny_ensembles():
    rows = [row for row in itertools.product(range(5), repeat=3) if sum(row) == 4 and list(row) == sorted(row)]
    yield from ([row] for row in rows)
    yield from ([first, second] for first in rows for second in rows[::2])
    yield from ([[0, votes], [votes, 0], [1, votes - 1]] for votes in (1, 2, 5))


@pytest.mark.parametrize("gamma", [0.05, 0.3, 2.0])
def test_every_price_covers_every_neighbour_of_tiny_ensembles(gamma):
    mechanism, offered = Exponential(gamma), set()
    for rows, delta in itertools.product(tiny_ensembles(), (1e-2, 1e-6)):
        for one in price(mechanism, np.array(rows), delta):
            offered.add(one.accountant)
            assert one.valid
            assert worst_delta(mechanism, rows, one.epsilon, law=closed_form) <= delta * (1 + 1e-6) + 1e-14, (rows, one)
    exact = {"exact_rdp", "exact_pld"} if gamma < 1 else set()
    assert offered == {"basic", "bounded_range"} | exact


def test_prices_are_the_closed_forms():
    """k answers of range 2 gamma are (k gamma^2 / 2)-zCDP, and 2 k gamma-DP; one answer all but reaches 2 gamma."""
    prices = {one.accountant: one.epsilon for one in price(Exponential(0.1), np.repeat(COUNTS, 20, axis=0), 1e-5)}
    rho = 60 * 0.1**2 / 2
    assert prices["basic"] == pytest.approx(12.0)
    assert rho < prices["bounded_range"] <= rho + 2 * math.sqrt(rho * math.log(1e5))  # Bun & Steinke 2016, Prop 1.3
    assert prices["exact_rdp"] < prices["bounded_range"]
    assert worst_delta(Exponential(2.0), [(5, 0)], 2 * 2.0 - 0.1, law=closed_form) > 0


def test_the_ledger_and_the_plan_know_what_it_costs():
    cost = of_answers(Exponential(0.1), 30, 10, 1e-5)
    np.testing.assert_allclose(cost.rdp, np.minimum(30 * np.array(ORDERS) * 0.005, 30 * 0.2))
    assert cost.pure == pytest.approx(6.0)
    assert cost.epsilon < 6.0
    assert (np.array(of_these_answers(Exponential(0.1), COUNTS)) <= 3 / 30 * np.array(cost.rdp) * (1 + 1e-9)).all()
    assert queries_for(Exponential(0.1), 1.01, 1e-12, 10, 100) == 5  # at so small a delta epsilons add up: 5 x 0.2


def test_the_panel_varies_its_noise():
    found = panel(Exponential(0.2), COUNTS, None, 3, 1e-5, "a relation", False, True, 1)
    assert found.parameter == "gamma"
    assert found.noises == [0.1, 0.2, 0.4]
    names = [one["accountant"] for one in found.accountants]
    assert found.epsilon[1][-1][1][names.index("basic")] == pytest.approx(3 * 0.4)
    plurality = softmax(0.2 * COUNTS, axis=1)[np.arange(3), COUNTS.argmax(axis=1)].mean()
    assert found.agreement[1][-1] == pytest.approx(plurality)


@pytest.mark.parametrize("teachers", [20, None])
def test_the_statement_for_release_holds_with_and_without_the_number_of_teachers(teachers):
    told = of_votes(Exponential(0.1), 5, teachers, 1e-12, data="digits")
    assert told.guarantee.epsilon == pytest.approx(5 * 0.2)
    assert told.guarantee.accountant == "basic"
    assert told.mechanism == "exponential mechanism, gamma 0.1 (floating-point)"
    assert not told.exact_noise


@pytest.fixture
def run(tmp_path, monkeypatch):
    """pate.run in an empty folder, with a YAML of one's own that names the class above."""
    group = tmp_path / "mine" / "aggregator"
    group.mkdir(parents=True)
    (group / "exponential.yaml").write_text(f"_target_: {__name__}.Exponential\ngamma: 0.2\n")
    monkeypatch.chdir(tmp_path)
    return lambda *more: pate.run(
        [f"hydra.searchpath=[file://{group.parent}]", "aggregator=exponential", *SMALL, *more]
    )


def test_a_whole_run_with_its_ledger_and_its_release(run, tmp_path):
    found = run()
    offered = {one["accountant"]: one["epsilon"] for one in found["pate"]["accountants"]}
    assert offered["basic"] == pytest.approx(5 * 0.4)
    assert offered["exact_rdp"] < offered["basic"]
    assert any("floating-point noise" in note for note in found["notes"])
    (page,) = (tmp_path / "workspace").glob("runs/*/report.html")
    text = page.read_text()
    assert "5 of 5 queries answered by exponential mechanism, gamma 0.2 (floating-point)" in text
    assert '<td title="Cesar &amp; Rogers">bounded_range</td>' in text  # its price, in the panel that varies its noise
    assert "gamma" in json.loads(re.search(r'id="panel-data">(.*?)</script>', text)[1])["parameter"]
    run("stage=release", "output=model")
    card = (tmp_path / "model" / "MODEL_CARD.md").read_text()
    assert "exponential mechanism, gamma 0.2 (floating-point)" in card
    assert "**2.000**" in card
    (entry,) = [one for one in run("stage=ledger")["entries"] if one["kind"] == "labels"]  # drawn once, served twice
    assert entry["mechanism"] == "exponential mechanism, gamma 0.2 (floating-point)"
    assert entry["parameters"] == {"kind": "exponential of the tests", "gamma": 0.2, "answers": 5, "teachers": 20}
    assert entry["pure_epsilon"] == pytest.approx(2.0)
    assert entry["this_data_set"]["epsilon"] < 2.0


def test_a_sweep_holds_it_against_another(run, tmp_path):
    """In processes that know of it by a YAML and the path alone."""
    both = [
        "-m",
        f"hydra.searchpath=[file://{tmp_path / 'mine'}]",
        "aggregator=exponential,lnmax",
        "aggregator.gamma=0.2",
    ]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    command = [*MAIN, *both, *SMALL, "methods=[pate]", "hydra.sweep.dir=swept"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    with open(tmp_path / "swept" / "sweep.csv", newline="") as file:
        rows = {row["aggregator"]: row for row in csv.DictReader(file)}
    assert rows.keys() == {"exponential", "lnmax"}
    assert float(rows["exponential"]["pate_epsilon_publishable"]) == pytest.approx(5 * 0.4)
    assert "│ exponential │" in done.stdout
    assert "exponential" in (tmp_path / "swept" / "report.html").read_text()
    assert "2 by this sweep from account digits" in done.stdout


def test_one_that_is_derived_from_it_is_refused_before_anything_runs(run, tmp_path):
    with pytest.raises(ConfigError, match="aggregator: no accountant knows Certain: it does not itself declare"):
        run(f"aggregator._target_={__name__}.Certain")
    assert not (tmp_path / "workspace").exists()
