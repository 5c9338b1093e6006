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


@pytest.mark.parametrize(
    ("priors", "message"),
    [
        ({"no": 0.9}, "one share to each of no, yes"),
        ({"no": 0.9, "yes": 0.05, "maybe": 0.05}, "one share to each of no, yes"),
        ({"no": 0.9, "yes": 0.2}, "they add up to 1.1"),
        ({"no": 1.1, "yes": -0.1}, "shares of at least 0"),
        ({"no": "most", "yes": 0.1}, "must be numbers"),
        ({"no": True, "yes": 0.0}, "must be numbers"),
        ([0.9], "one share for each of no, yes, in this order"),
        ("0.9", "one share for each of no, yes"),
        (0.9, "one share for each of no, yes"),
    ],
)
def test_priors_that_are_no_shares_of_the_classes_are_refused(priors, message):
    with pytest.raises(ConfigError, match=message):
        Arrays(classes=["no", "yes"], priors=priors)


def test_priors_are_those_of_declared_classes():
    with pytest.raises(ConfigError, match="declared classes"):
        Arrays(priors=[0.9, 0.1])


def test_priors_are_a_list_in_the_order_of_the_classes_or_a_mapping_in_any():
    told = {"no": 0.94, "yes": 0.06}
    assert Arrays(classes=["no", "yes"], priors=[0.94, 0.06]).shares == told
    assert Arrays(classes=["no", "yes"], priors={"yes": 0.06, "no": 0.94}).shares == told
    assert Arrays(classes=["0", "1"], priors={0: 0.94, 1: 0.065}).shares == {"0": 0.94, "1": 0.065}  # rounded
    assert Arrays(classes=["no", "yes"]).shares is None


def test_classes_are_known_before_any_file_is():
    assert Mnist(path="nowhere").class_names == tuple("0123456789")
    assert Arrays(classes=["no", "yes"]).class_names == ("no", "yes")
    assert Arrays().class_names == ()


def test_the_folder_is_the_path_or_data_and_the_name(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert Mnist().folder().resolve() == tmp_path / "data" / "mnist"
    assert Mnist(path="/elsewhere").folder() == Path("/elsewhere")
