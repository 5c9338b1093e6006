"""The real packages, over the real network: `pytest -m slow tests/data`."""

import numpy as np
import pytest
from sklearn import datasets
from sklearn.utils import Bunch

from pate.data.adult import _COLUMNS, Adult, lines
from pate.data.cifar10 import Cifar10
from pate.data.fetch import Published, fetch
from pate.data.idx import FashionMnist, Mnist
from pate.data.openml import OpenMLAdult, OpenMLImages

SETS = [Mnist, FashionMnist, Cifar10, Adult]


@pytest.mark.parametrize("cls", SETS)
def test_every_file_has_a_checksum_and_every_set_a_source(cls):
    assert set(cls.published.files) == set(cls.raw)
    assert all(len(bytes.fromhex(seal)) == 32 for seal in cls.published.files.values())
    assert cls.published.sources


# First labels of train and test, and the size of class 0: counted in the raw files with od, awk and grep.
FACTS = {
    Mnist: ([5, 0, 4, 1, 9], [7, 2, 1, 0, 4], 5923),
    FashionMnist: ([9, 0, 0, 3, 0], [9, 2, 1, 1, 6], 6000),
    Cifar10: ([6, 9, 9, 4, 1], [3, 8, 8, 0, 6], 5000),
    Adult: ([0, 0, 0, 0, 0], [0, 0, 1, 1, 0], 24720),
}


@pytest.mark.slow
@pytest.mark.parametrize("cls", SETS)
def test_the_packages_carry_the_published_files(cls, tmp_path):
    dataset = cls(path=str(tmp_path / "set"))
    promised = dataset.sizes()
    dataset.fetch()
    split = dataset.load()
    train, held_out, zeros = FACTS[cls]
    assert split.private.y[:5].tolist() == train
    assert split.truth.public_y[:5].tolist() == held_out
    assert (split.private.y == 0).sum() == zeros
    assert dataset.sizes() == promised
    assert len(split.private.x) == promised.private
    assert [path.name for path in tmp_path.iterdir()] == ["set"]
    dataset.fetch()


@pytest.mark.slow
@pytest.mark.parametrize(("cls", "source"), [(Mnist, OpenMLImages("mnist_784", 1)), (Adult, OpenMLAdult("adult", 2))])
def test_openmls_arrays_become_the_same_bytes(cls, source, tmp_path, monkeypatch):
    """The checksums hold for OpenML's arrays in the order it has them: MNIST train first, Adult test first."""
    dataset = cls(path=str(tmp_path / "set"))
    dataset.fetch()
    bunch = mnist_bunch(dataset) if cls is Mnist else adult_bunch(dataset)
    monkeypatch.setattr(datasets, "fetch_openml", lambda name, **options: bunch)
    fetch(dataset.name, tmp_path / "openml", Published(cls.published.files, (source,)))
    assert not cls(path=str(tmp_path / "openml")).missing()


def mnist_bunch(dataset):
    train, held_out = dataset.pools(None)
    images = np.concatenate([train.x, held_out.x]).reshape(-1, 784)
    return Bunch(data=images, target=np.concatenate([train.y, held_out.y]).astype(str))


def adult_bunch(dataset):
    data, held_out = (lines(path) for path in dataset.files())
    rows = [[cell.strip(" .") for cell in line.split(",")] for line in [*held_out, *data]]
    *columns, income = zip(*rows, strict=True)
    categories = {
        name: sorted(set(column) - {"?"})
        for name, column in zip(_COLUMNS, columns, strict=True)
        if not column[0].isdigit()
    }
    codes = [
        [
            float(cell) if name not in categories else np.nan if cell == "?" else categories[name].index(cell)
            for cell in column
        ]
        for name, column in zip(_COLUMNS, columns, strict=True)
    ]
    return Bunch(data=np.array(codes).T, target=income, feature_names=list(_COLUMNS), categories=categories)
