"""IDX files, as MNIST and Fashion-MNIST publish them."""

import gzip
import struct

import numpy as np
import pytest

from pate.data.idx import FashionMnist, Mnist
from pate.data.split import Sizes
from pate.errors import ConfigError

IMAGES = np.arange(12 * 4 * 4, dtype=np.uint8).reshape(12, 4, 4)
LABELS = np.arange(12) % 10


def images(array: np.ndarray) -> bytes:
    return struct.pack(">IIII", 2051, *array.shape) + array.tobytes()


def labels(array: np.ndarray) -> bytes:
    return struct.pack(">II", 2049, len(array)) + array.astype(np.uint8).tobytes()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "train-images-idx3-ubyte").write_bytes(images(IMAGES))
    (tmp_path / "train-labels-idx1-ubyte").write_bytes(labels(LABELS))
    (tmp_path / "t10k-images-idx3-ubyte").write_bytes(images(IMAGES[:8]))
    (tmp_path / "t10k-labels-idx1-ubyte").write_bytes(labels(LABELS[:8]))
    return tmp_path


def test_private_is_the_start_of_train_public_the_start_of_test_and_test_its_end(folder):
    split = Mnist(path=str(folder), private=5, public=4, test=3).load()
    assert np.array_equal(split.private.x, IMAGES[:5])
    assert split.private.x.dtype == np.uint8
    assert split.private.y.tolist() == [0, 1, 2, 3, 4]
    assert np.array_equal(split.public.x, IMAGES[:4])
    assert split.truth.public_y.tolist() == [0, 1, 2, 3]
    assert split.truth.test_y.tolist() == [5, 6, 7]
    assert split.private.x.flags.writeable


def test_gzipped_files_hold_the_same(folder):
    plain = Mnist(path=str(folder), public=4).load()
    for path in list(folder.iterdir()):
        path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    packed = Mnist(path=str(folder), public=4)
    assert not packed.missing()
    assert [path.suffix for path in packed.files()] == [".gz"] * 4
    assert packed.sizes() == Sizes(12, 4, 4)
    assert np.array_equal(packed.load().private.x, plain.private.x)


def test_sizes_come_from_headers_or_else_from_what_is_published(folder, tmp_path):
    assert Mnist(path=str(folder), public=3).sizes() == Sizes(12, 3, 5)
    assert FashionMnist(path=str(tmp_path / "nothing")).sizes() == Sizes(60000, 9000, 1000)
    with pytest.raises(ConfigError, match=r"dataset.public=9000 .* 8 records"):
        Mnist(path=str(folder)).sizes()


@pytest.mark.parametrize("damage", [lambda b: b[:-3], lambda b: b + b"x"])
def test_a_file_that_is_not_as_long_as_it_says_is_refused(folder, damage):
    path = folder / "train-images-idx3-ubyte"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ConfigError, match=r"train-images-idx3-ubyte has (more|fewer) bytes than its header says"):
        Mnist(path=str(folder), public=3).load()


def test_a_wrong_magic_number_is_refused(folder):
    path = folder / "t10k-images-idx3-ubyte"
    path.write_bytes(labels(LABELS))
    with pytest.raises(ConfigError, match="t10k-images-idx3-ubyte is not an IDX file"):
        Mnist(path=str(folder), public=3).load()
    with pytest.raises(ConfigError, match="t10k-images-idx3-ubyte is not an IDX file"):
        Mnist(path=str(folder), public=3).sizes()


def test_a_header_that_stops_is_refused(folder):
    path = folder / "train-images-idx3-ubyte"
    path.write_bytes(path.read_bytes()[:9])
    with pytest.raises(ConfigError, match="ends inside its header"):
        Mnist(path=str(folder), public=3).sizes()


def test_half_a_gzip_file_is_refused(folder):
    path = folder / "train-images-idx3-ubyte"
    path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes())[:-12])
    path.unlink()
    with pytest.raises(ConfigError, match="no whole gzip file"):
        Mnist(path=str(folder), public=3).load()


def test_labels_that_are_too_few_or_no_digits_are_refused(folder):
    path = folder / "train-labels-idx1-ubyte"
    path.write_bytes(labels(LABELS[:5]))
    with pytest.raises(ConfigError, match=r"12 images and .* 5 labels"):
        Mnist(path=str(folder), public=3).load()
    path.write_bytes(labels(LABELS + 1))
    with pytest.raises(ConfigError, match=r"1 labels are not in 0..9"):
        Mnist(path=str(folder), public=3).load()


def test_missing_files_are_named(folder):
    (folder / "t10k-labels-idx1-ubyte").unlink()
    mnist = Mnist(path=str(folder), public=3)
    assert mnist.missing()
    assert len(mnist.files()) == 3
    with pytest.raises(ConfigError, match=r"t10k-labels-idx1-ubyte not found .* dataset.path="):
        mnist.load()
