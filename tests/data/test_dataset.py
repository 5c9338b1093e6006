"""What all data sets have in common: their fields, their YAML, and the digits that need no file."""

from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from hydra.utils import get_class
from omegaconf import OmegaConf
from sklearn.datasets import load_digits

import pate
from pate.data.arrays import Arrays
from pate.data.digits import Digits
from pate.data.idx import Mnist
from pate.data.split import Sizes
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


def test_digits_are_split_as_their_yaml_says():
    digits = Digits()
    split = digits.load()
    assert digits.sizes() == Sizes(1200, 397, 200)
    assert split.private.x.shape == (1200, 8, 8)
    assert split.private.x.dtype == np.float32
    assert split.private.x.max() == 1.0
    assert split.private.y.dtype == np.int64
    assert split.test.x.shape == (200, 8, 8)
    assert (digits.files(), digits.missing()) == ([], False)


def test_digits_use_every_record_once_and_keep_labels_with_images():
    bunch = load_digits()
    split = Digits(seed=3).load()
    images = np.concatenate([split.private.x, split.public.x, split.test.x]).reshape(1797, 64)
    labels = np.concatenate([split.private.y, split.truth.public_y, split.truth.test_y])
    ours = np.column_stack([images * 16, labels])
    theirs = np.column_stack([bunch.data, bunch.target])
    assert sorted(map(tuple, ours)) == sorted(map(tuple, theirs))


def test_the_seed_of_the_digits_chooses_the_split():
    assert np.array_equal(Digits(seed=1).load().private.y, Digits(seed=1).load().private.y)
    assert not np.array_equal(Digits(seed=1).load().private.y, Digits(seed=2).load().private.y)


def test_no_public_records_leaves_all_to_the_test():
    split = Digits(public=0).load()
    assert len(split.public.x) == 0
    assert len(split.test.x) == 597
    assert Digits(public=0).sizes() == Sizes(1200, 0, 597)


def test_grouping_by_a_column_that_is_not_there_is_refused():
    with pytest.raises(ConfigError, match="digits cannot be grouped by 'patient'"):
        Digits().load("patient")
