"""What all data sets have in common: their fields, their YAML, and the digits that need no file."""

from dataclasses import asdict
from pathlib import Path

import pytest
from hydra.utils import get_class
from omegaconf import OmegaConf

import pate
from pate.data.arrays import Arrays
from pate.data.digits import Digits
from pate.data.idx import Mnist
from pate.errors import ConfigError

CHOICES = sorted((Path(pate.__path__[0]).parent / "conf" / "dataset").glob("*.yaml"))


@pytest.mark.parametrize("choice", CHOICES, ids=lambda path: path.stem)
def test_each_yaml_lists_every_field_with_its_default(choice):
    config = OmegaConf.load(choice)
    cls = get_class(config.pop("_target_"))
    assert set(config) == set(asdict(cls()))
    assert OmegaConf.to_object(OmegaConf.merge(OmegaConf.structured(cls), config)) == cls()
    assert cls().name == choice.stem
    assert choice.read_text().startswith("# ")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"private": -1}, "dataset.private=-1"),
        ({"public": -5}, "dataset.public=-5"),
        ({"test": -2}, "dataset.test=-2"),
        ({"delta": 0.0}, "dataset.delta=0.0"),
        ({"delta": 1.0}, "dataset.delta=1.0"),
        ({"seed": -1}, "dataset.seed=-1"),
    ],
)
def test_impossible_values_are_refused_by_name(fields, message):
    with pytest.raises(ConfigError, match=message):
        Digits(**fields)


def test_classes_are_known_before_any_file_is():
    assert Mnist(path="nowhere").class_names == tuple("0123456789")
    assert Arrays(classes=["no", "yes"]).class_names == ("no", "yes")
    assert Arrays().class_names == ()


def test_the_folder_is_the_path_or_data_and_the_name(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert Mnist().folder().resolve() == tmp_path / "data" / "mnist"
    assert Mnist(path="/elsewhere").folder() == Path("/elsewhere")
