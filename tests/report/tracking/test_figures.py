"""What a tracker is told, and that no figure of private data stands alone."""

import numpy as np
from pate.pipelines.artifacts import PRIVATE

from pate import pipelines
from pate.accounting.guarantee import for_every, for_this
from pate.methods.method import Entry, Method
from pate.models.predictor import Predictor
from pate.noise import SEEDED
from pate.report.tracking.figures import flat, measured, models, on_the_way, prices
from pate.workspace.stage import Stage, owned, releasable
from tests.evaluation.made_up import typed

OTHER = owned("other", Predictor)
ours = pipelines.methods()


class Another(Method):
    """Of somebody else's: trains on private records, and its model is kept."""

    key = "another"

    def stages(self, settings):
        return [Stage("other", lambda run: None, reads=(PRIVATE,), writes=(OTHER,))]

    def entries(self, settings):
        return [Entry("another", "another", OTHER, (OTHER,), stages=("other",), kept=True)]


def test_what_is_told_on_the_way_hangs_on_what_a_method_declares(settings, monkeypatch):
    """By its stage, as figures are named: also of a method of somebody else's."""
    monkeypatch.setattr(pipelines, "methods", lambda: ours | {"another": Another()})
    told = on_the_way(settings("methods=[pate,dpsgd,nonprivate,another]"))
    losses = {name for name in told if name.endswith("_loss")}
    assert losses == {"dpsgd_loss", "dpsgd_publishable_loss", "nonprivate_loss", "other_loss"}  # no student's: public
    assert all(told[name].startswith("the owner's") for name in losses)
    for stage in ("dpsgd", "dpsgd_publishable", "other"):
        assert told[f"{stage}_epsilon_so_far"].startswith("for every data set (the owner's, not publishable)")
    assert on_the_way(settings("dpsgd.epsilon=2"))["dpsgd_epsilon_so_far"].startswith(
        "for every data set (publishable)"
    )


def test_an_infinite_epsilon_is_said_and_no_metric():
    method = {"name": "pate", "epsilon": float("inf"), "epsilon_publishable": None, "delta": 1e-5}
    method |= {"relation": "one record replaced by nothing", "guarantee": "every data set"}
    told = prices(typed({"methods": [method]}))
    promise = "delta 1e-05, one record replaced by nothing"
    assert told["pate_epsilon"] == f"epsilon infinite for every data set (the owner's, not publishable), {promise}"


def test_a_configuration_is_flat_under_the_names_it_is_overridden_by():
    plain = {"a": {"b": 1, "c": {"d": None}}, "e": [1, "x"], "f": "text", "g": {}}
    assert flat(plain) == {"a.b": "1", "a.c.d": "null", "e": '[1, "x"]', "f": "text", "g": "{}"}


def test_numbers_are_measured_and_what_is_none_is_not():
    infinite = {"epsilon": float("inf"), "epsilon_publishable": None, "delta": 1e-5, "guarantee": "every data set"}
    found = typed(
        {"methods": [{"name": "pate", "relation": "one record replaced by nothing", "accuracy": 0.5} | infinite]}
    )
    told = measured(found)
    assert told["pate_accuracy"] == 0.5
    assert not {"pate_epsilon", "pate_epsilon_every_data_set"} & set(told)
    assert set(prices(found)) >= {"pate_epsilon"}
    assert all(isinstance(value, float) and np.isfinite(value) for value in told.values())


MADE = Predictor.__new__(Predictor)  # nobody looks into it here
LEAVES = releasable("leaves", Predictor)


class Releases(Another):
    key = "releases"

    def stages(self, settings):
        return [Stage("leaves", lambda run: None, writes=(LEAVES,))]

    def entries(self, settings):
        return [Entry("releases", "releases", LEAVES, (LEAVES,), stages=("leaves",))]


def test_models_that_are_the_owners_are_told_to_no_tracker(settings, monkeypatch):
    """Neither the one without privacy, nor one that was made to be compared; what leaves carries its worst case."""
    monkeypatch.setattr(pipelines, "methods", lambda: ours | {"another": Another(), "releases": Releases()})
    chosen = settings("methods=[pate,dpsgd,nonprivate,consensus,another,releases]")
    this, every = for_this("exact_rdp", 1.0, 1e-5, "theorem"), for_every("basic", 2.0, 1e-5, "theorem")
    names = ("pate", "dpsgd", "dpsgd_publishable", "nonprivate", "consensus", "another", "releases")
    found = typed({"methods": [{"name": name} for name in names]})
    for method in found.methods:
        method.guarantees[:] = [this, every]
    shown = {name: claim for name, _, claim in models(chosen, found, lambda ref: MADE)}
    assert set(shown) == {"pate", "consensus", "releases"}  # DP-SGD has PATE's epsilon, which is the owner's
    assert set(shown.values()) == {str(every)}
    assert {name for name, _, _ in models(settings("dpsgd.epsilon=2"), found, lambda ref: MADE)} >= {"pate", "dpsgd"}
    assert not list(models(chosen, found, lambda ref: None))


def test_a_model_without_a_price_says_why(settings):
    found = typed({"methods": [{"name": "pate"}], "notes": [SEEDED]})
    found.methods[0].guarantees.clear()
    assert [claim for _, _, claim in models(settings(), found, lambda ref: MADE)] == [SEEDED]
