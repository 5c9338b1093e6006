"""A curve says what each method costs for every data set and how well it does, and never less of either's doubt."""

import json
import math
from statistics import stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pate.evaluation.curve import Curve, LeftOut, Level, curve, rows
from pate.evaluation.measure import ACCURACY, of
from pate.noise import SEEDED
from pate.workspace.typed_json import from_json, to_json
from tests.evaluation.curves import made_up, ran, row


def only(*several, **known):
    """The one line of these runs."""
    (line,) = curve("toy", several, sorted({one.epsilon for one in several}), [0], **known).lines
    return line


def test_a_point_stands_at_its_price_for_every_data_set():
    (point,) = only(ran(1.0, 0, row("sums", 0.8, 0.97))).points
    assert (point.epsilon, point.guarantee.epsilon) == (1.0, 0.97)
    assert point.guarantee.holds_for == "every data set"
    assert not point.guarantee.publishable  # it was kept: it is what it would cost


def test_of_several_runs_the_dearest_counts_and_the_error_is_that_of_their_mean():
    scores = [0.8, 0.86, 0.83]
    (point,) = only(*(ran(1.0, n, row("sums", score, 0.9 + n / 100)) for n, score in enumerate(scores))).points
    assert point.guarantee.epsilon == 0.92
    assert point.runs == 3
    assert point.score == pytest.approx(0.83)
    assert point.error == pytest.approx(stdev(scores) / math.sqrt(3))
    assert (point.low, point.high) == (pytest.approx(0.83 - point.error), pytest.approx(0.83 + point.error))


@given(st.integers(1, 5), st.floats(0, 1))
def test_one_model_that_serves_all_seeds_is_no_repetition(seeds, score):
    same = [ran(1.0, seed, row("sums", score, 1.0, error=0.03), keys={"sums": "k"}) for seed in range(seeds)]
    (point,) = only(*same).points
    assert (point.runs, point.score, point.error) == (1, score, 0.03)


def test_what_is_the_same_at_every_epsilon_is_a_level():
    found = made_up()
    assert found.bounds == [Level("bound", 0.99, None)]
    assert found.baseline == Level("always a", 0.3, 0.02)


def test_only_a_student_has_a_number_of_answers():
    votes, sums = (next(line for line in made_up().lines if line.method == name) for name in ("votes", "sums"))
    assert [point.answers for point in votes.points] == [7, 7]
    assert {point.answers for point in sums.points} == {None}
    assert votes.at(0.1) is None
    assert votes.at(4.0).score == 0.9


def test_the_measure_is_that_of_the_largest_epsilon_where_labels_are_most():
    balanced = of("balanced_accuracy", "100% of the noisy labels are `5`")
    several = [ran(0.1, 0, row("sums", 0.1, 0.1), measure=balanced), ran(8.0, 0, row("sums", 0.9, 8.0))]
    assert curve("toy", several, [0.1, 8.0], [0]).measure == ACCURACY


def test_a_method_of_unknown_price_is_left_out_and_said():
    unknown = row("votes", 0.8, math.inf).__class__(name="votes", title="votes", metrics={"accuracy": 0.8})
    found = curve("toy", [ran(1.0, 0, unknown, row("sums", 0.7, 1.0))], [1.0], [0])
    assert [line.method for line in found.lines] == ["sums"]
    assert found.left_out == [LeftOut("votes", 1.0, "what it costs for every data set is not known")]


def ahead(*several):
    return curve("toy", several, sorted({one.epsilon for one in several}), [0]).ahead


def against(epsilon, seed, lead):
    one, other = row("sums", 0.8, epsilon, over={"votes": lead}), row("votes", 0.8, epsilon, over={"sums": -lead})
    return ran(epsilon, seed, one, other)


def test_who_is_ahead_is_said_of_neighbouring_epsilons_at_once():
    said = ahead(against(0.1, 0, 0.1), against(1, 0, 0.2), against(2, 0, 0.001), against(4, 0, -0.3))
    assert said == [
        "epsilon 0.1 to 1: sums is ahead",
        "epsilon 2: no method is ahead of all others by more than chance",
        "epsilon 4: votes is ahead",
    ]


def test_who_is_ahead_is_so_in_every_run():
    assert ahead(against(1, 0, 0.1), against(1, 1, 0.1)) == ["epsilon 1: sums is ahead"]
    assert "no method" in ahead(against(1, 0, 0.1), against(1, 1, 0.001))[0]


def test_nobody_is_ahead_where_epsilons_mean_different_things_or_nothing_is_beside():
    one, other = row("sums", 0.8, 1.0, over={"votes": 0.3}), row("votes", 0.5, 1.0, delta=1e-3, over={"sums": -0.3})
    assert ahead(ran(1.0, 0, one, other)) == []
    assert ahead(ran(1.0, 0, row("sums", 0.8, 1.0))) == []


def test_the_terms_of_its_epsilons_are_said_with_whatever_voids_them():
    told = made_up().terms
    for part in ("every data set", "delta 1e-05", "one record replaced by nothing", "if it were released"):
        assert part in told
    one = ran(1.0, 0, row("sums", 0.8, 1.0))
    one.found.notes.append(SEEDED)
    assert SEEDED in curve("toy", [one], [1.0], [0]).terms


def test_it_warns_of_choosing_by_it():
    assert "covered by no epsilon" in made_up().warning


def test_its_file_says_its_version_and_is_read_back():
    plain = json.loads(json.dumps(to_json(made_up())))
    assert plain["version"] == 1
    assert from_json(Curve, plain) == made_up()


def test_the_table_has_every_point_and_every_hole():
    table = rows(made_up())
    assert len({tuple(one) for one in table}) == 1  # the same columns
    points = [one for one in table if one["epsilon"] is not None]
    assert [(one["method"], one["grid"], one["epsilon"]) for one in points] == [
        ("sums", 0.1, 0.1), ("sums", 1.0, 1.0), ("sums", 4.0, 4.0), ("votes", 1.0, 0.998), ("votes", 4.0, 3.99),
    ]  # fmt: skip
    assert all(one["delta"] == 1e-5 and one["relation"] and one["holds_for"] for one in points)
    holes = [one["notes"] for one in table if one["score"] is None]
    assert holes == [["no noise is <enough>"], ["seed 0 did not finish: the <disk> is full"]]


def test_where_nothing_ran_there_is_nothing_to_see():
    found = curve("toy", [], [1.0], [0])
    assert (found.lines, found.bounds, found.baseline, found.ahead) == ([], [], None, [])
