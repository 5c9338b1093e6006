"""Predictions for reading: the most frequent first, and whose they are."""

import pytest

from pate.report.run.predictions import Predictions, print_predictions


@pytest.mark.parametrize("owners", ["", "it was seeded"])
def test_the_most_frequent_first_and_whose_they_are(capsys, owners):
    print_predictions(Predictions("answers.csv", 4, {"cat": 1, "dog": 3, "ox": 0}, ["a note"], owners))
    told = capsys.readouterr().out.splitlines()
    assert told[:2] == ["4 inputs (dog: 3, cat: 1)", "note: a note"]
    assert told[-1] == "predictions  answers.csv" + " (yours alone)" * bool(owners)
    assert any("the owner's model: it was seeded" in line for line in told) == bool(owners)
