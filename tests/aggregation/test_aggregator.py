"""An aggregator is a choice with a price of its own: known by its privacy parameters, inherited by nobody."""

from dataclasses import dataclass, fields

import numpy as np
import pytest

from pate.aggregation.aggregator import Aggregator
from pate.aggregation.confident_gnmax import ConfidentGNMax
from pate.aggregation.gnmax import GNMax
from pate.aggregation.lnmax import LNMax
from pate.noise import source

KINDS = {"lnmax": LNMax, "gnmax": GNMax, "confident_gnmax": ConfidentGNMax}


@pytest.mark.parametrize("kind", KINDS)
def test_its_fields_are_its_privacy_parameters(kind):
    aggregator = KINDS[kind](noise="continuous")
    names = {field.name for field in fields(aggregator)}
    assert aggregator.noise_parameter in names
    assert aggregator.parameters() == {"kind": kind} | {name: getattr(aggregator, name) for name in names}


@pytest.mark.parametrize("kind", KINDS)
def test_other_noise_is_another_aggregator(kind):
    """What is drawn is kept under `identity`: an answer of one noise must not be served for another."""
    said = [KINDS[kind]().scaled(gamma).identity() for gamma in (0.01, 0.02, 0.5)]
    said.append(KINDS[kind](noise="continuous").scaled(0.5).identity())
    assert len({str(one) for one in said}) == 4
    assert {one["kind"] for one in said} == {kind}


def test_one_that_declares_nothing_answers_nothing_and_costs_unknown():
    @dataclass(frozen=True)
    class Silent(Aggregator):
        pass

    with pytest.raises(TypeError, match="Silent does not answer queries"):
        Silent().answer(np.array([[3, 1]]), source(0))
    with pytest.raises(TypeError, match="Silent does not say how its noise is scaled"):
        Silent().scaled(0.1)
