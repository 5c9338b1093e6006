"""What every encoder must declare, and which of them a file may name."""

import sys

import numpy as np
import pytest

from pate.features.encoder import Encoded, Encoder, scaled
from pate.features.linear import LinearEncoder


def test_an_encoder_of_nobodys_is_refused_and_nothing_is_imported():
    before = set(sys.modules)
    for kind in ("no_such", "os", "antigravity", "this", "..models.model", None, 3, ["linear"]):
        with pytest.raises(ValueError, match="an encoder of an unknown kind"):
            Encoder.join({}, {"kind": kind})
    assert not {"antigravity", "this"} & (set(sys.modules) - before)


def test_kinds_belong_to_whoever_declared_them_first():
    class Mine(Encoder):
        kind = "mine_alone"

    with pytest.raises(TypeError, match="has declared kind 'mine_alone'"):

        class Yours(Encoder):
            kind = "mine_alone"

    with pytest.raises(TypeError, match=r"kind 'linear' belongs to pate\.features\.linear"):

        class Ours(Encoder):
            kind = "linear"


def test_an_encoder_that_declares_no_kind_is_not_stored():
    class Nameless(Encoder):
        pass

    with pytest.raises(TypeError, match="Nameless declares no kind"):
        Nameless().split()


def test_two_are_the_same_where_they_make_the_same_features():
    mean, components = np.ones(4, np.float32), np.eye(4, 2, dtype=np.float32)
    one = LinearEncoder(mean, components)
    assert one.same(LinearEncoder(mean.copy(), components.copy()))
    for other in (LinearEncoder(), LinearEncoder(mean, 2 * components), LinearEncoder(mean, components, low=0, high=1)):
        assert not one.same(other)
        assert not other.same(one)


@pytest.mark.parametrize(("low", "high"), [(0.0, None), (None, 1.0), (1.0, 0.0), (0.0, float("inf"))])
def test_half_a_range_is_none(low, high):
    with pytest.raises(ValueError, match="low and high must be finite"):
        LinearEncoder(low=low, high=high).check()


def test_only_bytes_are_brought_to_the_unit_interval():
    np.testing.assert_array_equal(scaled(np.array([0, 51, 255], np.uint8)), np.array([0, 0.2, 1], np.float32))
    np.testing.assert_array_equal(scaled(np.array([0, 51, 255], np.int64)), np.array([0, 51, 255], np.float32))


@pytest.mark.parametrize("x", [np.zeros(3, np.float32), np.zeros((3, 2)), np.full((3, 2), np.nan, np.float32)])
def test_features_are_tables_of_finite_floats(x):
    with pytest.raises(ValueError, match="finite float32"):
        Encoded(x).check()
