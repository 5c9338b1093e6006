"""results.json: typed, fits its schema, and read from this version and those before."""

import json

import jsonschema
import pytest

from pate.data.labels import CLASSES_FROM_PRIVATE
from pate.evaluation.results import Results
from pate.evaluation.results_file import read_results, results_of, write_results
from pate.noise import SEEDED
from pate.release.withheld import withheld
from pate.workspace.files import Unreadable
from pate.workspace.typed_json import schema, to_json
from pate.workspace.versions import RESULTS
from tests.evaluation.made_up import FIRST


def test_a_real_run_fits_the_schema_and_reads_back_as_it_was(owners_run):
    found, place = owners_run
    written = json.loads((place / "results.json").read_text())
    assert written["version"] == RESULTS
    jsonschema.validate(written, schema(Results))
    assert to_json(read_results(place / "results.json")) == written == found


@pytest.mark.parametrize(
    "damage",
    [
        {"methods": {}}, {"methods": [{"name": 3}]}, {"stages": []}, {"notes": [1]}, {"pate": None},
        {"methods": [{"name": "\x1b[31m", "title": "x"}]}, {"notes": ["\x07"]},
    ],
)  # fmt: skip
@pytest.mark.parametrize("version", [1, 2, 3])
def test_what_is_damaged_is_refused_in_one_line(tmp_path, damage, version):
    plain = FIRST if version == 1 else to_json(results_of(FIRST)) | {"version": version}
    (tmp_path / "results.json").write_text(json.dumps(plain | damage))
    with pytest.raises(Unreadable) as refused:
        read_results(tmp_path / "results.json")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("version", [1, 2])
def test_before_a_row_told_it_what_learned_from_the_pool_was_a_student(version):
    """Both versions were written before rows said whether they learned from labels: PATE's did."""
    plain = to_json(results_of(FIRST)) | {"version": 2} if version == 2 else FIRST
    for row in plain["methods"]:
        row.pop("from_labels", None)
    assert [one.name for one in results_of(plain).methods if one.from_labels] == ["pate"]
    mine = to_json(results_of(FIRST))
    mine["methods"][0] |= {"from_pool": True, "from_labels": False}
    assert not any(one.from_labels for one in results_of(mine).methods)


def test_it_is_the_owners_and_whole_or_not_there(tmp_path):
    file = write_results(results_of(FIRST), tmp_path)
    assert file.stat().st_mode & 0o777 == 0o600
    assert read_results(file) == results_of(FIRST)
    assert [one.name for one in tmp_path.iterdir()] == ["results.json"]


@pytest.mark.parametrize("note", [SEEDED, f"labels: {CLASSES_FROM_PRIVATE}"])
def test_what_a_run_noted_withholds_its_epsilons_whatever_stands_beside_them(tmp_path, note):
    """A file somebody edited, or another program wrote: the note is there, and `withheld` is empty."""
    plain = to_json(results_of(FIRST | {"notes": [note]}))
    told = [one for row in plain["methods"] for one in row["guarantees"]] + plain["pate"]["accountants"]
    every = [one for one in told if not one["data_dependent"]]
    assert every
    assert all(one["withheld"] for one in every)
    for one in told:
        one |= {"withheld": "", "publishable": not one["data_dependent"]}
    (tmp_path / "results.json").write_text(json.dumps(plain))
    found = read_results(tmp_path / "results.json")
    read = [one for row in found.methods for one in row.guarantees] + found.pate.accountants
    assert not any(one.publishable for one in read)
    assert all(one.withheld == withheld([note]) for one in read if not one.data_dependent)
    assert all(row.epsilon_publishable is None for row in found.methods)
