"""What is advised can be pasted, whatever a column is called."""

import shlex

import pytest
import yaml
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException

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
    "Größe",
    "Körner;Zahl",
    "温度 (C)",
]


def typed(command):
    (word,) = shlex.split(command)  # what the shell makes of it
    return OverridesParser.create().parse_override(word).value()


@pytest.mark.parametrize("name", NAMES)
def test_lists_and_names(name):
    assert typed(advice.drop(name)) == [name]
    assert typed(advice.keep(name)) == [name]
    assert typed(advice.group_by(name)) == name


@pytest.mark.parametrize("name", NAMES)
def test_kinds(name):
    advised = advice.kind(name, "numeric")
    yaml_, in_a_file, _ = advised.partition(" under dataset: in a file of settings (--config-dir)")
    if in_a_file:  # a key that Hydra's grammar has no place for
        assert yaml.safe_load(yaml_) == {"kinds": {name: "numeric"}}
        with pytest.raises(HydraException):
            OverridesParser.create().parse_override(f"dataset.kinds={{{name}: numeric}}")
    else:
        assert typed(advised) == {name: "numeric"}
