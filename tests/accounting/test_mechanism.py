"""A price belongs to one class: what answers in another way is refused by name, before anything runs."""

from dataclasses import dataclass

import numpy as np
import pytest

from pate.accounting.cost import of_answers, of_these_answers
from pate.accounting.guarantee import for_every, for_this
from pate.accounting.ladder import price, prices
from pate.accounting.mechanism import Mechanism, require_known
from pate.accounting.plan import queries_for
from pate.accounting.winning import winning, wrong_if_unanimous
from pate.aggregation.aggregator import Aggregator
from pate.aggregation.confident_gnmax import ConfidentGNMax
from pate.aggregation.gnmax import GNMax
from pate.aggregation.lnmax import LNMax
from pate.errors import ConfigError
from pate.release.statement import of_votes

COUNTS = np.array([[9, 1], [6, 4]])
KNOWN = [LNMax, GNMax, ConfidentGNMax]


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
    "promise": lambda one: of_votes(one, 5, 10, 1e-4, data="digits"),
    "chances": lambda one: winning(one, COUNTS),
    "wrong answers": lambda one: wrong_if_unanimous(one, 10, 2),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", [*NOISELESS, Aggregator])
def test_no_accountant_prices_what_answers_in_another_way(kind, way):
    words = (
        f"no accountant knows {kind.__name__}: it does not itself declare .*independent, rdp.* not inherited: choose"
    )
    with pytest.raises(ValueError, match=words):
        WAYS[way](kind())


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KNOWN)
def test_those_that_are_known_have_all_of_them(kind, way):
    WAYS[way](kind())


def derived(parent, **own):
    return dataclass(frozen=True)(type("Derived", (parent,), own))


@pytest.mark.parametrize("parent", KNOWN)
@pytest.mark.parametrize(
    "own",
    [
        {},
        {"kind": "mine"},
        {"describe": lambda self: "another name"},
        {"__post_init__": lambda self: None},
        {"scaled": lambda self, gamma: self},
        {"_draw": lambda self: None},
        {"_argmax": None},
        {"rdp": lambda self, k, teachers, orders: 0 * orders},
        {"answer": LNMax.answer, "scaled": LNMax.scaled, "rdp": LNMax.rdp, "noise_parameter": "gamma"},
    ],
    ids=lambda own: ", ".join(own) or "nothing",
)
def test_whatever_a_derived_class_changes_it_inherits_no_price(parent, own):
    with pytest.raises(ValueError, match="no accountant knows Derived"):
        require_known(derived(parent, **own)())


def own_price(**more):
    """All that has to be declared; `more` besides."""
    free = {"independent": lambda self, k, teachers, delta: [for_every("mine", 1.0 * k, delta, "a theorem")]}
    costs = free | {"rdp": lambda self, k, teachers, orders: k * np.ones(len(orders))}
    answers = {"answer": lambda self, counts, noise: counts.argmax(axis=1), "scaled": lambda self, gamma: self}
    return costs | answers | {"noise_parameter": ""} | more


def test_a_class_that_declares_all_that_is_asked_has_its_own_price():
    mine = derived(Aggregator, **own_price())()
    require_known(mine)
    assert [one.accountant for one in price(mine, COUNTS, 1e-4)] == ["mine"]  # no law, no paper: nothing is claimed
    assert of_answers(mine, 5, 10, 1e-4).epsilon == 5.0
    assert of_these_answers(mine, COUNTS) is None


@pytest.mark.parametrize("missing", ["answer", "scaled", "independent", "rdp", "noise_parameter"])
def test_each_part_that_is_missing_is_named(missing):
    own = own_price()
    del own[missing]
    with pytest.raises(ValueError, match=f"it does not itself declare {missing}, and"):
        require_known(derived(Aggregator, **own)())


@pytest.mark.parametrize("parent", KNOWN)
def test_a_price_of_its_own_does_not_go_with_another_ones_law(parent):
    """It answers in its own way: the parent's exact law, pure epsilon, published bound and words are not about it."""
    with pytest.raises(ValueError, match=r"no accountant knows Derived: it does not itself declare describe.*law"):
        require_known(derived(parent, **own_price())())


@pytest.mark.parametrize("kind", [Mechanism, Aggregator])
def test_what_answers_nothing_has_no_price(kind):
    with pytest.raises(ValueError, match="answer, scaled, independent, rdp"):
        require_known(kind())


@pytest.mark.parametrize(
    "wrong",
    [
        for_this("mine", 1.0, 1e-4, "a theorem"),
        for_every("mine", 1.0, 1e-4, "one direction", valid=False),
        for_every("mine", -1.0, 1e-4, "a theorem"),
        for_every("mine", float("nan"), 1e-4, "a theorem"),
    ],
)
def test_what_does_not_hold_for_every_data_set_is_not_taken_for_it(wrong):
    mine = derived(Aggregator, **own_price(independent=lambda self, k, teachers, delta: [wrong]))()
    for way in ("price", "cost", "plan", "promise"):
        with pytest.raises(ValueError, match="mine is no price that holds for every data set"):
            WAYS[way](mine)


def test_a_bound_for_comparison_is_never_claimed():
    bound = for_this("paper", 0.1, 1e-4, "one direction")
    mine = derived(Aggregator, **own_price(published=lambda self, counts, delta: [bound]))()
    with pytest.raises(ValueError, match="paper is for comparison, and may not be claimed"):
        price(mine, COUNTS, 1e-4)


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
