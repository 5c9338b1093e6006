"""What nobody said is filled in by what is public, and what somebody said stays."""

import pytest

from pate.aggregation.gnmax import GNMax
from pate.aggregation.lnmax import LNMax
from pate.app.unsaid import asked_as_usual, filled, voters
from pate.data.outline import Outline
from pate.features.identity import Identity
from pate.students.graph import GraphStudent
from pate.teachers.graph import GraphTeachers
from pate.teachers.ridge import Ridge

DIGITS = Outline((8, 8), 1200, 397, 10)


def test_a_run_of_which_nothing_is_said(settings):
    found = settings()
    assert (found.features, found.teachers, found.student) == (Identity(), GraphTeachers(count=50), GraphStudent())
    assert (found.aggregator, found.labels.queries) == (LNMax(0.2), 100)
    assert (found.dpsgd.epsilon, found.consensus.epsilon, found.epsilon) == ("pate", 1.0, None)
    assert found.plain["features"] == {"_target_": "pate.features.identity.Identity"}
    assert found.why == (
        "features=auto: as they are, for grey images of 8 x 8",
        "teachers=auto: graph for grey images of 8 x 8",
        "student=auto: graph for grey images of 8 x 8",
        "consensus.student=auto: the run's student for grey images of 8 x 8",
    )


def test_what_somebody_said_stays(settings):
    found = settings(
        "teachers=ridge", "teachers.count=30", "aggregator=gnmax", "aggregator.sigma=7", "labels.queries=9"
    )
    assert found.teachers == Ridge(count=30)
    assert (found.aggregator, found.labels.queries) == (GNMax(7.0), 9)
    assert not any("teachers" in why for why in found.why)


def test_a_mechanism_gets_noise_in_proportion_to_the_votes(settings):
    assert settings("teachers.count=100").aggregator == LNMax(0.1)
    assert settings("aggregator=gnmax", "teachers.count=250").aggregator == GNMax(40.0)
    assert settings("aggregator=gnmax").aggregator == GNMax(8.0)
    assert settings("aggregator.gamma=0.5", "teachers.count=100").aggregator == LNMax(0.5)


def test_a_small_pool_is_not_asked_more_than_it_holds():
    assert asked_as_usual(LNMax(), True, None, 50, Outline((8, 8), 90, 30, 2)) == (LNMax(), 30)
    assert asked_as_usual(LNMax(), True, None, 50, Outline((8, 8), 90, 0, 2)) == (LNMax(), 100)  # it is not read


def test_who_votes():
    assert voters(None, 40, 10) == 40
    assert voters("no/such/file.npz", 40, 10) == 40  # refused elsewhere


@pytest.mark.parametrize("group", ["dpsgd", "consensus", "somebody elses"])
def test_one_epsilon_is_every_methods_that_says_none(group):
    assert filled(group, {"epsilon": None}, DIGITS, 3.0) == {"epsilon": 3.0}
    assert filled(group, {"epsilon": None}, DIGITS, None) == {"epsilon": None}
    assert filled(group, {"epsilon": 2.0}, DIGITS, 3.0) == filled(group, {}, DIGITS, 3.0) == {}


def test_no_data_set_is_looked_at_where_nothing_is_run(settings):
    found = settings("stage=fetch", "epsilon=1")
    assert (found.labels.queries, found.teachers.count, found.why) == (100, 50, ())
