"""What Hydra and OmegaConf have to say about a wrong word, in one line with what was probably meant."""

import shlex

import hydra
import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from omegaconf.errors import OmegaConfBaseException

from pate.app import one_line as module
from pate.app.one_line import one_line


def refused(monkeypatch, word):
    monkeypatch.setattr(module.sys, "argv", ["pate", word])
    with (
        hydra.initialize_config_module(version_base="1.3", config_module="pate.conf"),
        pytest.raises((HydraException, OmegaConfBaseException)) as wrong,
    ):
        hydra.compose("config", [word])
    return one_line(wrong.value)


@pytest.mark.parametrize(
    ("word", "begins", "ends"),
    [
        ("labels.querys=5", "labels.querys: no such key; there are ", "; did you mean labels.queries=5?"),
        ("labels.zzzzzzzz=5", "labels.zzzzzzzz: no such key; there are ", "queries, rounds, selection, wrong"),
        ("teachers=rigde", "teachers=rigde: no such choice. Available options in 'teachers': ", "mean teachers=ridge?"),
        ("labels.queries=many", "labels.queries: Value 'many' of type 'str' could not be converted", "Integer"),
    ],
)
def test_a_wrong_word_is_named_with_what_is_allowed_there(monkeypatch, word, begins, ends):
    told = refused(monkeypatch, word)
    assert told.startswith(begins)
    assert told.endswith(ends)
    assert "\n" not in told


@pytest.mark.parametrize("value", ["Größe.csv", "a(1).csv", "x=y", 'says "x".csv'])
def test_a_value_that_has_to_be_quoted_is_shown_quoted(monkeypatch, value):
    told = refused(monkeypatch, f"workspace={value}")
    assert told.startswith(f"workspace={value}: not understood. ")
    (word,) = shlex.split(told.rpartition("quoted: ")[2])  # what the shell makes of it
    assert OverridesParser.create().parse_override(word).value() == value


def test_a_name_in_a_list_is_quoted_and_as_a_key_goes_in_a_file(monkeypatch):
    for word in ("dataset.drop=[Größe]", "dataset.kinds={Größe: numeric}"):
        assert "file of settings (--config-dir)" in refused(monkeypatch, word)


def test_any_other_error_is_its_own_words_on_one_line():
    assert one_line(HydraException("  a first line\n\n   and a second\n")) == "a first line and a second"
