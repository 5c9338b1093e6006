"""The schema, the sections and the choices are one list, and a composed configuration becomes the objects they name."""

from dataclasses import fields

import pytest
from omegaconf import OmegaConf

from pate.app.compose import CHOICES, SECTIONS, Config, section
from pate.errors import ConfigError
from pate.settings import LabelsConfig, Settings


def test_every_key_of_the_schema_is_a_setting_or_is_asked_of_a_student():
    keys, known = {one.name for one in fields(Config)}, {one.name for one in fields(Settings)}
    assert keys - known == {"run", "student_path", "input", "views", "owner"}
    assert known - keys == {"asked", "named", "own", "plain", "said", "why"}
    assert not set(CHOICES) & set(SECTIONS)
    assert {*CHOICES, *SECTIONS} <= keys


def test_a_section_is_built_of_what_was_said_and_its_defaults(settings):
    found = settings("labels.queries=7", "account.target_epsilon=3")
    assert found.labels == LabelsConfig(queries=7)
    assert found.account.target_epsilon == 3.0
    assert type(found.account.target_epsilon) is float  # 3 and 3.0 are one setting, and one draw of noise


def test_what_a_section_refuses_is_one_line_with_its_whole_name():
    with pytest.raises(ConfigError, match=r"^labels\.queries must be at least 1, got 0$"):
        section("labels", {"queries": 0})
    with pytest.raises(ConfigError, match=r"^sweep\.epsilon must be a positive number, got -1\.0$"):
        section("sweep", OmegaConf.create({"epsilon": -1.0}))


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("noise.seed=-1", "noise.seed must lie between 0 and 2^32 - 1, got -1"),
        ("delta=2", "delta must lie strictly between 0 and 1, got 2"),
        ("budget.delta=1", "budget.delta must lie strictly between 0 and 1, got 1"),
        ("account.target_epsilon=0", "account.target_epsilon must be a positive number, got 0.0"),
        ("sanitise.beta=0.5", "sanitise.beta must be positive and below about 1 / (2 order) = 0.025, got 0.5"),
        ("dpsgd.epsilon=true", "dpsgd.epsilon must be a positive number or `pate`, got True"),
        ("device=gpu", "device=gpu: expected one of auto, cpu, cuda; did you mean cpu?"),
    ],
)
def test_a_wrong_setting_is_refused_in_the_same_words_whatever_is_asked(settings, word, message):
    with pytest.raises(ConfigError) as refused:
        settings(word)
    assert str(refused.value) == message
