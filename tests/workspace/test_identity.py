"""What leads to a draw has a name now, and the one the first version gave it."""

import json
from dataclasses import dataclass
from typing import ClassVar

from pate.aggregation.lnmax import LNMax
from pate.choice import Choice
from pate.workspace.identity import Said, named, said


@dataclass(frozen=True)
class Two:
    aggregator: Choice
    seed: int = 3


def test_both_names_of_a_configuration():
    both = said(Two(LNMax()), ["aggregator", "seed"])
    assert both.now == {"aggregator": {"kind": "lnmax", "revision": 1}, "seed": 3}
    assert both.first == {
        "aggregator": {"_target_": "pate.aggregation.lnmax.LNMax", "gamma": 0.2, "noise": "discrete"},
        "seed": 3,
    }


def test_what_the_first_version_could_not_say_has_no_first_name():
    @dataclass(frozen=True)
    class Later(LNMax):
        kind: ClassVar[str] = "lnmax"
        clipped: bool = False

    assert said(Two(Later()), ["aggregator"]).first == said(Two(LNMax()), ["aggregator"]).first
    assert said(Two(Later(clipped=True)), ["aggregator"]).first is None


def test_what_is_ignored_is_left_out_of_both():
    both = said(Two(LNMax(gamma=0.5)), ["aggregator"], ["aggregator.gamma"])
    assert both.now == {"aggregator": {"kind": "lnmax", "revision": 1}}
    assert "gamma" not in both.first["aggregator"]


def test_something_is_known_by_its_first_name_only_if_it_was_kept_there():
    names = Said("now", "first")
    assert names.known(lambda key: key == "first") == "first"
    assert names.known(lambda key: True) == "now"
    assert names.known(lambda key: False) == "now"
    assert Said("now", None).known(lambda key: key == "first") == "now"


def test_a_key_has_a_first_name_only_if_all_its_parts_have():
    key = lambda *parts: json.dumps(parts)  # noqa: E731
    assert named(key, "a", Said(1, 2), Said.all([Said(3, 4), 5])) == Said('["a", 1, [3, 5]]', '["a", 2, [4, 5]]')
    assert named(key, "a", Said(1, None)).first is None
    assert named(key, "a", Said.all([Said(1, None), 5])).first is None
