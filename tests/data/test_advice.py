"""What is advised can be pasted, whatever a column is called."""

import shlex

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser

from pate.data import advice

NAMES = [
    "age",
    "Term (yyyy.mm.dd)",
    "Culmen Length (mm)",
    "a, b: c = {d} [e]",
    'says "x"',
    "it's",
    "100%",
    "back\\slash",
]


def typed(command):
    (word,) = shlex.split(command)  # what the shell makes of it
    return OverridesParser.create().parse_override(word).value()


@pytest.mark.parametrize("name", NAMES)
def test_lists_and_names(name):
    assert typed(advice.drop(name)) == [name]
    assert typed(advice.keep(name)) == [name]
    assert typed(advice.group_by(name)) == name


@pytest.mark.parametrize("name", [name for name in NAMES if "'" not in name and '"' not in name])
def test_kinds(name):
    assert typed(advice.kind(name, "numeric")) == {name: "numeric"}
