"""What every encoder must declare, and which of them a file may name."""

import sys

import pytest

from pate.features.encoder import Encoder


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
