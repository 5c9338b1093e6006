"""A price belongs to one class: what answers in another way is refused by name, before anything runs."""

from dataclasses import dataclass

import numpy as np
import pytest

from pate.accounting.cost import of_answers, of_these_answers
from pate.accounting.known import KNOWN
from pate.accounting.ladder import price, prices
from pate.accounting.plan import queries_for
from pate.accounting.winning import winning, wrong_if_unanimous
from pate.aggregation.aggregator import Aggregator
from pate.aggregation.confident_gnmax import ConfidentGNMax
from pate.aggregation.gnmax import GNMax
from pate.aggregation.lnmax import LNMax
from pate.errors import ConfigError
from pate.release.statement import Promise

COUNTS = np.array([[9, 1], [6, 4]])


@dataclass(frozen=True)
class NoiselessLNMax(LNMax):
    def answer(self, counts, noise):
        return counts.argmax(axis=1)


@dataclass(frozen=True)
class NoiselessGNMax(GNMax):
    def answer(self, counts, noise):
        return counts.argmax(axis=1)


@dataclass(frozen=True)
class NoiselessConfidentGNMax(ConfidentGNMax):
    def answer(self, counts, noise):
        return counts.argmax(axis=1)


NOISELESS = [NoiselessLNMax, NoiselessGNMax, NoiselessConfidentGNMax]
WAYS = {
    "price": lambda one: price(one, COUNTS, 1e-4),
    "price of adaptive queries": lambda one: price(one, COUNTS, 1e-4, adaptive=True),
    "prices": lambda one: prices(one, COUNTS, [1e-4, 1e-5]),
    "cost": lambda one: of_answers(one, 5, 10, 1e-4),
    "cost of these answers": lambda one: of_these_answers(one, COUNTS),
    "plan": lambda one: queries_for(one, 1.0, 1e-4, 10, 5),
    "promise": lambda one: Promise.of_votes(one, 5, 10, 1e-4, data="digits"),
    "chances": lambda one: winning(one, COUNTS),
    "wrong answers": lambda one: wrong_if_unanimous(one, 10, 2),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", [*NOISELESS, Aggregator])
def test_no_accountant_prices_what_answers_in_another_way(kind, way):
    with pytest.raises(ValueError, match=f"no accountant knows {kind.__name__}, only LNMax, GNMax, ConfidentGNMax"):
        WAYS[way](kind())


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KNOWN)
def test_those_that_are_known_have_all_of_them(kind, way):
    WAYS[way](kind())


@pytest.mark.parametrize("kind", NOISELESS)
@pytest.mark.parametrize("stage", ["all", "teachers", "labels", "release"])
def test_it_is_refused_before_anything_runs(settings, tmp_path, kind, stage):
    with pytest.raises(ConfigError, match=f"aggregator: no accountant knows {kind.__name__}"):
        settings(f"stage={stage}", f"aggregator={conf(kind)}", f"aggregator._target_={__name__}.{kind.__name__}")
    assert not (tmp_path / "workspace").exists()


def test_where_no_answer_is_drawn_none_is_refused(settings, tmp_path):
    np.savez(tmp_path / "labels.npz", index=np.arange(2), label=np.arange(2))
    chosen = settings(f"labels.path={tmp_path / 'labels.npz'}", f"aggregator._target_={__name__}.NoiselessLNMax")
    assert type(chosen.aggregator).__name__ == "NoiselessLNMax"


def conf(kind):
    return {"NoiselessLNMax": "lnmax", "NoiselessGNMax": "gnmax"}.get(kind.__name__, "confident_gnmax")
