"""results.json: typed, fits its schema, and read from this version and the first."""

import json
from dataclasses import replace

import jsonschema
import pytest

from pate.evaluation.results import MethodResult, Results
from pate.evaluation.results_file import read_results, results_of, write_results
from pate.workspace.files import Unreadable
from pate.workspace.typed_json import schema, to_json
from pate.workspace.versions import RESULTS
from tests.evaluation.made_up import typed

RELATION = "one record replaced by nothing"
FIRST = {
    "methods": [
        {
            "name": "pate", "epsilon": 1.0, "delta": 1e-5, "epsilon_publishable": 4.0, "guarantee": "this data set",
            "relation": RELATION, "accuracy": 0.9, "accuracy_standard_error": 0.01, "public_accuracy": 0.91,
            "calibration_error": 0.02, "by_class": {"0": 0.9}, "confusion": [[9]], "seconds": 1.5,
        },
        {
            "name": "dpsgd", "epsilon": 1.0, "delta": 1e-5, "epsilon_publishable": None, "guarantee": "every data set",
            "relation": RELATION, "accuracy": 0.8, "ahead": [0.1, 0.01, 0.0], "steps": 20, "noise_multiplier": 1.5,
        },
        {"name": "nonprivate", "epsilon": None, "delta": None, "epsilon_publishable": None, "accuracy": 0.95},
    ],
    "pate": {"queries": 20, "accountants": [
        {"accountant": "basic", "epsilon": 4.0, "guarantee": "every data set", "theorem": "t", "valid": True,
         "delta": 1e-5, "relation": RELATION, "publishable": True, "assumes_fixed_queries": False},
    ]},
    "stages": {"labels": {"key": "k", "seconds": 0.5, "memory": None, "reused": True, "seeded": False, "summary": "s"}},
    "config": {"dataset": {"name": "toy"}}, "notes": ["a note"],
}  # fmt: skip


def test_a_real_run_fits_the_schema_and_reads_back_as_it_was(owners_run):
    found, place = owners_run
    written = json.loads((place / "results.json").read_text())
    assert written["version"] == RESULTS
    jsonschema.validate(written, schema(Results))
    assert to_json(read_results(place / "results.json")) == written == found


def test_the_first_version_says_the_same_in_its_own_words():
    found = results_of(FIRST)
    pate, dpsgd, bound = found.methods
    assert (pate.epsilon, pate.guarantee, pate.epsilon_publishable) == (1.0, "this data set", 4.0)
    assert (pate.title, pate.accuracy, pate.public_accuracy) == ("PATE", 0.9, 0.91)
    assert pate.metrics["calibration_error"] == 0.02
    assert (dpsgd.epsilon, dpsgd.epsilon_publishable, dpsgd.kept) == (1.0, None, True)
    assert dpsgd.details == {"steps": 20, "noise_multiplier": 1.5}
    assert (bound.private, bound.epsilon) == (False, None)
    assert found.pate.accountants[0].publishable
    assert found.stages["labels"].reused


def test_what_was_seeded_then_is_not_publishable_now():
    from pate.noise import SEEDED

    row = FIRST["methods"][0] | {"epsilon_publishable": None}
    found = typed(FIRST | {"methods": [row], "notes": [SEEDED]})
    assert found.methods[0].publishable is None
    assert found.methods[0].worst_case.epsilon == 4.0
    assert not found.pate.accountants[0].publishable


@pytest.mark.parametrize(
    "damage",
    [
        {"methods": {}}, {"methods": [{"name": 3}]}, {"stages": []}, {"notes": [1]}, {"pate": None},
        {"methods": [{"name": "\x1b[31m", "title": "x"}]}, {"notes": ["\x07"]},
    ],
)  # fmt: skip
@pytest.mark.parametrize("version", [1, 2])
def test_what_is_damaged_is_refused_in_one_line(tmp_path, damage, version):
    plain = to_json(results_of(FIRST)) if version == 2 else FIRST
    (tmp_path / "results.json").write_text(json.dumps(plain | damage))
    with pytest.raises(Unreadable) as refused:
        read_results(tmp_path / "results.json")
    assert "\n" not in str(refused.value)


def test_it_is_the_owners_and_whole_or_not_there(tmp_path):
    file = write_results(results_of(FIRST), tmp_path)
    assert file.stat().st_mode & 0o777 == 0o600
    assert read_results(file) == results_of(FIRST)
    assert [one.name for one in tmp_path.iterdir()] == ["results.json"]


def test_a_method_of_no_known_epsilon_has_none():
    row = MethodResult("pate", "PATE")
    assert (row.epsilon, row.delta, row.relation, row.guarantee, row.accuracy) == (None,) * 5
    assert replace(row, metrics={"accuracy": 0.5}).accuracy == 0.5
