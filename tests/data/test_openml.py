"""OpenML's arrays, written back in the original layout."""

import numpy as np
import pytest
from sklearn import datasets
from sklearn.utils import Bunch

from pate.data import openml
from pate.data.idx import read_idx
from pate.data.openml import OpenMLAdult, OpenMLImages
from pate.data.sources import ADULT_FILES, IDX_FILES

ADULT_COLUMNS = ["age", "workclass", "hours"]


def adult_bunch(rows):
    """What scikit-learn makes of OpenML's adult: numbers as floats, categories as codes, unknown as nan."""
    works = sorted({row[1] for row in rows} - {"?"})
    codes = [np.nan if row[1] == "?" else works.index(row[1]) for row in rows]
    data = np.array([[float(row[0]), code, float(row[2])] for row, code in zip(rows, codes, strict=True)])
    target = np.array([row[3] for row in rows], dtype=object)
    return Bunch(data=data, target=target, feature_names=ADULT_COLUMNS, categories={"workclass": works})


def test_images_become_the_four_idx_files(tmp_path, monkeypatch):
    images = np.random.default_rng(0).integers(0, 256, (5, 784))
    monkeypatch.setattr(openml, "_MNIST_TRAIN", 3)
    bunch = Bunch(data=images.astype(float), target=np.array(list("31415"), dtype=object))
    monkeypatch.setattr(datasets, "fetch_openml", lambda name, **options: bunch)
    OpenMLImages("mnist_784", 1).collect(IDX_FILES, tmp_path, tmp_path)
    assert np.array_equal(read_idx(tmp_path / IDX_FILES[0], 3), images[:3].reshape(3, 28, 28))
    assert read_idx(tmp_path / IDX_FILES[1], 1).tolist() == [3, 1, 4]
    assert np.array_equal(read_idx(tmp_path / IDX_FILES[2], 3), images[3:].reshape(2, 28, 28))
    assert read_idx(tmp_path / IDX_FILES[3], 1).tolist() == [1, 5]


def test_the_idx_header_is_the_published_one():
    # the first 16 bytes of MNIST's t10k-images: magic 2051, 10000 images, 28 rows, 28 columns
    expected = bytes.fromhex("00000803000027100000001c0000001c")
    assert openml.idx(np.zeros((10000, 28, 28), np.uint8))[:16] == expected


def test_census_records_return_to_ucis_two_files(tmp_path, monkeypatch):
    rows = [("25", "Private", "40", "<=50K"), ("38", "?", "50", ">50K"), ("39", "State-gov", "13", "<=50K")]
    monkeypatch.setattr(openml, "_ADULT_TEST", 2)
    monkeypatch.setattr(datasets, "fetch_openml", lambda name, **options: adult_bunch(rows))
    OpenMLAdult("adult", 2).collect(ADULT_FILES, tmp_path, tmp_path)
    assert (tmp_path / "adult.data").read_text() == "39, State-gov, 13, <=50K\n\n"
    expected = "|1x3 Cross validator\n25, Private, 40, <=50K.\n38, ?, 50, >50K.\n\n"
    assert (tmp_path / "adult.test").read_text() == expected


@pytest.mark.parametrize("source", [OpenMLImages("mnist_784", 1), OpenMLAdult("adult", 2)])
def test_it_asks_for_a_fixed_version_and_keeps_no_cache(tmp_path, monkeypatch, source):
    asked = {}

    def fetch_openml(name, **options):
        asked.update(options, name=name)
        raise OSError("no network")

    monkeypatch.setattr(datasets, "fetch_openml", fetch_openml)
    with pytest.raises(OSError, match="no network"):
        source.collect(IDX_FILES, tmp_path, tmp_path)
    assert (asked["name"], asked["version"], asked["cache"]) == (source.name, source.version, False)
    assert str(source) == f"OpenML {source.name} version {source.version}"
