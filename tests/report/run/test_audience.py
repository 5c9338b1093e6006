"""What may leave is a list of what may: models kept by the owner and whatever comes later stay behind."""

import copy
import json
from dataclasses import fields

import pytest

from pate import pipelines
from pate.choice import Choice
from pate.methods.method import Method
from pate.report.run.audience import public_view
from pate.settings import Settings
from pate.workspace.typed_json import to_json
from tests.evaluation.made_up import typed


def test_what_is_added_to_the_results_later_stays_behind(public_run):
    found = copy.deepcopy(public_run[0])
    found["teachers_secret"] = "CANARY"
    found["pate"]["teachers_secret"] = "CANARY"
    for row in found["methods"]:
        row["secret"] = "CANARY"
    assert "CANARY" not in json.dumps(to_json(public_view(typed(found))))


def test_models_kept_by_the_owner_are_not_on_it(owners_run):
    names = [row.name for row in public_view(typed(owners_run[0])).methods]
    assert names == ["pate"]


def test_a_measure_read_off_answers_that_are_the_owners_is_not_on_it(public_run):
    found = copy.deepcopy(public_run[0])
    found["measure"] = {"name": "balanced_accuracy", "title": "balanced accuracy", "better": "higher",
                        "why": "63% of the noisy labels are `CANARY`"}  # fmt: skip
    for read_off, stays in (("consensus", True), ("pate", False)):
        found["measure"]["read_off"] = read_off
        told = json.dumps(to_json(public_view(typed(found))))
        assert ("CANARY" not in told) == stays


class Toy(Method):
    key, own = "toy", Choice

    def stages(self, settings):
        return []

    def entries(self, settings):
        return []


@pytest.mark.parametrize(
    ("name", "shown"),
    [("pate", {"teachers", "aggregator", "labels", "student"}), ("dpsgd", {"dpsgd"}),
     ("consensus", {"consensus", "student"})],
)  # fmt: skip
def test_of_each_method_its_own_settings_are_shown_and_no_others(public_run, name, shown):
    found = copy.deepcopy(public_run[0])
    (row,) = [one for one in found["methods"] if one["name"] == "pate"]
    found["methods"] = [row | {"name": name}]
    assert set(public_view(typed(found)).config) - {"dataset", "features", "partition", "delta", "seed"} == shown


def test_every_setting_a_method_names_is_one():
    known = {field.name for field in fields(Settings)}
    for method in pipelines.methods().values():
        assert {*method.settings_shown} <= known, method.key


def test_a_methods_own_settings_go_with_its_model_and_stay_with_it(public_run, monkeypatch):
    """Without them nobody could repeat it; names of files among them are the owner's."""
    known = pipelines.methods() | {"toy": Toy()}
    monkeypatch.setattr(pipelines, "methods", lambda: known)
    found = copy.deepcopy(public_run[0])
    found["config"]["toy"] = {"sigma": 4.0, "path": "/secret"}
    assert "toy" not in public_view(typed(found)).config
    (row,) = [one for one in found["methods"] if one["name"] == "pate"]
    found["methods"].append(row | {"name": "toy"})
    seen = public_view(typed(found)).config
    assert seen["toy"] == {"sigma": 4.0}
    assert set(seen) - {"toy"} == set(public_view(typed(public_run[0])).config)


def test_of_leads_those_beside_models_that_leave_are_shown(owners_run):
    """PATE leaves here, and DP-SGD is kept: how far apart they are is the owner's; the baseline is no method."""
    found = typed(owners_run[0])
    seen = public_view(found)
    assert found.methods[0].leads.keys() == {"dpsgd", "dpsgd_publishable", "consensus", "nonprivate"}
    assert [row.leads for row in seen.methods] == [{}]
    assert seen.methods[0].standard_errors == found.methods[0].standard_errors
    assert seen.baseline.leads.keys() == {"pate"}
    assert seen.measure == found.measure
