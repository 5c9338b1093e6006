"""What the first version would have said of a configuration, or that it could not have said it."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

from pate.aggregation.lnmax import LNMax
from pate.workspace.first_version import declared_then


@dataclass(frozen=True)
class Later(LNMax):
    kind: ClassVar[str] = "lnmax"
    clipped: bool = False


def test_a_field_that_came_later_is_left_out_at_its_default():
    then = {"_target_": "pate.aggregation.lnmax.LNMax", "gamma": 0.5, "noise": "discrete"}
    assert declared_then({"aggregator": Later(gamma=0.5)}) == {"aggregator": then}


def test_what_it_could_not_say_is_refused():
    with pytest.raises(ValueError):
        declared_then({"aggregator": Later(clipped=True)})


def test_every_choice_of_the_default_configuration_could_be_said(settings):
    given = settings()
    parts = {name: getattr(given, name) for name in ("dataset", "teachers", "aggregator", "student", "dpsgd", "noise")}
    said_then = declared_then(parts)
    assert said_then["teachers"]["_target_"].startswith("pate.teachers.")
    assert said_then["aggregator"]["_target_"] == "pate.aggregation.lnmax.LNMax"
    assert said_then["noise"] == {"seed": None}


def test_a_field_that_came_later_and_makes_no_difference_may_say_what_it_likes():
    then = {"_target_": "pate.aggregation.lnmax.LNMax", "gamma": 0.2, "noise": "discrete"}
    assert declared_then({"aggregator": Later(clipped=True)}, {"aggregator.clipped"}) == {"aggregator": then}
    with pytest.raises(ValueError):
        declared_then({"aggregator": Later(clipped=True)}, {"teachers.clipped"})
