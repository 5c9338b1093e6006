"""The first version of results.json is read as what it said."""

from pate.evaluation.results_file import results_of
from pate.noise import SEEDED
from tests.evaluation.made_up import FIRST, typed


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
    row = FIRST["methods"][0] | {"epsilon_publishable": None}
    found = typed(FIRST | {"methods": [row], "notes": [SEEDED]})
    assert found.methods[0].publishable is None
    assert found.methods[0].worst_case.epsilon == 4.0
    assert not found.pate.accountants[0].publishable


def test_what_a_note_voids_is_not_publishable_whatever_the_row_says():
    found = typed(FIRST | {"notes": [SEEDED]})
    assert FIRST["methods"][0]["epsilon_publishable"] == 4.0
    assert [one.publishable for one in found.methods] == [None] * 3
