"""Artifacts come apart into arrays and facts, and only what fits their fields goes together again."""

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pytest

from pate.workspace.artifact import Artifact, fits


@dataclass(frozen=True)
class Thing(Artifact):
    values: np.ndarray
    layers: dict[str, np.ndarray]
    words: list[str] = field(default_factory=list)
    share: float | None = None


def test_it_comes_apart_and_goes_together():
    thing = Thing(np.arange(3), {"a": np.eye(2), "b": np.zeros(1)}, ["x"], 0.5)
    arrays, facts = thing.split()
    assert set(arrays) == {"values", "layers.a", "layers.b"}
    assert facts == {"words": ["x"], "share": 0.5}
    again = Thing.join(arrays, facts)
    np.testing.assert_array_equal(again.layers["a"], np.eye(2))
    assert (again.words, again.share) == (["x"], 0.5)


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"words": "ab"}, "words: not what a Thing holds there"),
        ({"share": "0.5"}, "share: not what a Thing holds there"),
        ({"share": True}, "share: not what a Thing holds there"),
        ({"more": 1}, "fields are missing, or not those of a Thing"),
    ],
)
def test_what_does_not_fit_is_refused_without_a_value(facts, words):
    with pytest.raises(ValueError, match=words):
        Thing.join({"values": np.arange(3), "layers.a": np.eye(2)}, facts)


def test_a_missing_array_is_refused():
    with pytest.raises(ValueError, match="fields are missing"):
        Thing.join({"values": np.arange(3)}, {})


@pytest.mark.parametrize(
    ("value", "hint", "fit"),
    [
        (1, int, True), (True, int, False), (1, float, True), (1.5, int, False), (None, int | None, True),
        ("a", Literal["a", "b"], True), ("c", Literal["a", "b"], False), ([1, 2], list[int], True),
        ([1, "2"], list[int], False), ({"a": [1.5]}, dict[str, list[float]], True), ({1: 2}, dict[str, int], False),
        (object(), Any, True),
    ],
)  # fmt: skip
def test_types_are_those_declared(value, hint, fit):
    assert fits(value, hint) is fit
