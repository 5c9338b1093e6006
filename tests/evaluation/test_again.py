"""The commands that go on from a run, as a shell and Hydra read them back."""

import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from hypothesis import example, given
from hypothesis import strategies as st

from pate.data.labels import CLASSES_FROM_PRIVATE
from pate.evaluation.again import again, model_of, predicting, releasing
from pate.evaluation.results_file import read_results

FOLDER = Path("workspace/runs/one")


@given(
    st.text(
        st.characters(codec="utf-8", exclude_categories=["C", "Z"]) | st.sampled_from("'\\\"$ ,=[]{}()"), min_size=1
    )
)
@example("a'b\\'c")
@example("back\\")
@example("it's, [a] {folder}=1")
def test_a_folder_comes_back_from_the_shell_and_from_hydra(name):
    folder = Path("runs") / name
    _, _, word = shlex.split(again("release", folder))
    (override,) = OverridesParser.create().parse_overrides([word])
    assert override.key_or_group == "run"
    assert str(getattr(override.value(), "text", override.value())) == str(folder)


@pytest.fixture
def found(owners_run):
    return read_results(owners_run[1] / "results.json")


def test_the_first_that_may_leave_unless_a_row_is_named(found):
    assert releasing(found, FOLDER) == "pate stage=release run=workspace/runs/one release.method=pate"
    assert releasing(found, FOLDER, "consensus").endswith("release.method=consensus")  # drawn again, to be released
    assert releasing(found, FOLDER, "nonprivate") == ""
    assert releasing(found, FOLDER, "llama") == ""


def test_an_epsilon_that_was_pates_gets_a_number_that_may_be_published(found):
    worst = next(row for row in found.methods if row.name == "dpsgd_publishable")
    command = f"pate stage=release run={FOLDER} release.method=dpsgd dpsgd.epsilon={worst.best.shown}"
    assert releasing(found, FOLDER, "dpsgd") == releasing(found, FOLDER, "dpsgd_publishable") == command
    alone = replace(found, methods=[row for row in found.methods if row.name == "dpsgd"])
    assert releasing(alone, FOLDER, "dpsgd") == ""


def test_of_one_epsilon_every_method_can_be_named_afterwards(found):
    kept = [replace(row, kept=True) for row in found.methods]
    then = replace(found, methods=kept, config=found.config | {"epsilon": 1.0})
    assert releasing(then, FOLDER, "pate") == "pate stage=release run=workspace/runs/one release.method=pate"
    assert releasing(replace(then, config=found.config), FOLDER, "pate") == ""


def test_what_was_seeded_is_drawn_without_and_what_is_void_does_not_leave(seeded_run, found):
    seeded = read_results(seeded_run[1] / "results.json")
    assert releasing(seeded, FOLDER).endswith("release.method=pate noise.seed=null")
    assert predicting(seeded, FOLDER) == "pate stage=predict run=workspace/runs/one input=FILE owner=true"
    assert releasing(replace(found, notes=[CLASSES_FROM_PRIVATE]), FOLDER) == ""


def test_where_a_model_lies(found, seeded_run):
    sides = {row.name: model_of(found, row.name, owner=True) for row in found.methods}
    assert {name: place.parts[-3] for name, place in sides.items()} == {
        "pate": "release", "dpsgd": "private", "dpsgd_publishable": "private", "consensus": "private",
        "nonprivate": "private",
    }  # fmt: skip
    assert all((place / "model.safetensors").exists() or list(place.glob("*.safetensors")) for place in sides.values())
    assert model_of(found) == sides["pate"]
    assert model_of(found, "dpsgd") is None
    assert model_of(replace(found, published="out/leaves.zip")) == Path("out/leaves")
    seeded = read_results(seeded_run[1] / "results.json")
    assert model_of(seeded) is None
    assert model_of(seeded, owner=True).parts[-3] == "evaluation"
