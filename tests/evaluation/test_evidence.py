"""Vote gaps, confidence and mistakes, each against a count or a closed form."""

import numpy as np
import pytest

from pate.aggregation.confident_gnmax import ConfidentGNMax
from pate.aggregation.lnmax import LNMax
from pate.aggregation.votes import Votes
from pate.data.written import AsWritten
from pate.evaluation.evidence import confidence, gaps, mistakes
from pate.models.decision import Decision
from pate.models.model import Model

COUNTS = np.array([[50, 0, 0], [30, 15, 5], [20, 18, 12], [26, 24, 0]])
VOTES = Votes(COUNTS)


def test_every_query_falls_into_one_bar():
    found = gaps(VOTES, np.array([0, 1, 3]), LNMax(0.2))
    assert sum(found["queries"]) == 3
    assert found["median"] == 15
    assert found["close"] == pytest.approx(1 / 3)
    bars = np.array(found["edges"])
    for gap in (50, 15, 2):
        assert found["queries"][np.searchsorted(bars, gap, side="right") - 1] > 0


def test_the_line_is_the_chance_that_one_laplace_noise_beats_another_by_the_gap():
    found = gaps(VOTES, np.arange(4), LNMax(0.2, "continuous"))
    for gap, chance in zip(found["at"], found["overturned"], strict=True):
        x = 0.2 * gap
        assert chance == pytest.approx(np.exp(-x) * (2 + x) / 4, rel=1e-9)


def test_with_a_threshold_it_is_that_of_answers_given():
    found = gaps(VOTES, np.arange(4), ConfidentGNMax(40.0, 5.0, 5.0))
    assert found["overturned"][0] == pytest.approx(0.5)


def test_labels_are_right_where_teachers_agree():
    truth = np.array([0, 0, 1, -1])
    found = confidence(VOTES, truth, LNMax(1.0))
    assert found["agree"] == [0.4, 0.6, 1.0]
    assert found["share"] == pytest.approx([1 / 3] * 3)
    assert found["plurality"] == [0.0, 1.0, 1.0]
    assert found["label"][2] == pytest.approx(1.0)
    assert 0.05 < found["label"][0] < 0.3  # noise of scale 1 overturns a gap of 2 now and then


def test_without_known_labels_there_is_nothing_to_tell():
    assert confidence(VOTES, np.full(4, -1), LNMax(1.0)) == {}


class Fixed(Model):
    """Believes what it is told."""

    classes = 2

    def proba(self, rows):
        return rows


def test_mistakes_are_those_it_is_surest_of_first():
    belief = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.3, 0.7]])
    images = np.arange(4 * 9, dtype=np.float32).reshape(4, 3, 3)
    found = mistakes(Fixed(), belief, images, np.array([1, 1, 1, -1]), ["cat", "dog"])
    told, shown = found.mistakes, found.images
    assert (found.wrong, found.scored, found.columns) == (2, 3, 0)
    assert [(one["truth"], one["answer"], one["confidence"]) for one in told] == [
        ("dog", "cat", 0.9),
        ("dog", "cat", 0.6),
    ]
    assert shown.dtype == np.uint8
    assert shown.shape == (2, 3, 3)
    assert (shown[0] < shown[1]).all()


def test_mistakes_are_of_what_is_answered_which_need_not_be_the_most_probable_class():
    belief = np.array([[0.9, 0.1], [0.6, 0.4]])
    images = np.arange(2 * 9, dtype=np.float32).reshape(2, 3, 3)
    found = mistakes(Fixed(), belief, images, np.array([0, 0]), ["cat", "dog"], decision=Decision(None, 1, 0.3))
    assert found.mistakes == [{"truth": "cat", "answer": "dog", "confidence": 0.4}]


TABLE = np.array([[1.25, 2.0], [3.0, 4.0], [5.0, 6.0]])
BELIEF = np.array([[0.9, 0.1], [0.2, 0.8], [0.95, 0.05]])


def test_rows_of_a_table_are_shown_as_they_were_written():
    written = AsWritten(["town", "age"], {"0": np.array(["Rome", "Bern", "Oslo"]), "1": np.array(["1", "", "3"])})
    found = mistakes(Fixed(), BELIEF, TABLE, np.array([1, -1, 1]), ["a", "b"], written)
    assert [one["row"] for one in found.mistakes] == [
        [["town", "Oslo"], ["age", "3"]],
        [["town", "Rome"], ["age", "1"]],
    ]
    assert (found.wrong, found.scored, found.columns, len(found.images)) == (2, 2, 2, 0)


def test_rows_of_which_nobody_knows_how_they_were_written_are_shown_as_numbers():
    found = mistakes(Fixed(), BELIEF, TABLE, np.array([1, 1, 0]), ["a", "b"])
    assert [one["row"] for one in found.mistakes] == [[["x0", "1.25"], ["x1", "2"]]]


def test_where_no_label_is_known_nothing_is_said_to_be_right():
    found = mistakes(Fixed(), BELIEF, TABLE, np.full(3, -1), ["a", "b"])
    assert (found.mistakes, found.wrong, found.scored) == ([], 0, 0)
