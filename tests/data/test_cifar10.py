"""CIFAR-10's binary batches."""

import numpy as np
import pytest

from pate.data.cifar10 import Cifar10
from pate.data.split import Sizes
from pate.errors import ConfigError


def record(label: int, red: int, green: int, blue: int) -> bytes:
    planes = np.repeat(np.array([red, green, blue], np.uint8), 1024)
    planes[1] = 200  # the second red pixel: row 0, column 1
    return bytes([label]) + planes.tobytes()


@pytest.fixture
def folder(tmp_path):
    for number in range(1, 6):
        (tmp_path / f"data_batch_{number}.bin").write_bytes(record(number, number, 20, 30) + record(0, 1, 2, 3))
    (tmp_path / "test_batch.bin").write_bytes(b"".join(record(label, 7, 8, 9) for label in (9, 8, 7, 6)))
    return tmp_path


def test_batches_are_read_in_order_with_colours_last(folder):
    split = Cifar10(path=str(folder), public=3).load()
    assert split.private.x.shape == (10, 32, 32, 3)
    assert split.private.x.dtype == np.uint8
    assert split.private.y.tolist() == [1, 0, 2, 0, 3, 0, 4, 0, 5, 0]
    assert split.private.x[2, 0, 0].tolist() == [2, 20, 30]
    assert split.private.x[2, 0, 1].tolist() == [200, 20, 30]
    assert split.private.x[2, 1, 0].tolist() == [2, 20, 30]
    assert split.truth.public_y.tolist() == [9, 8, 7]
    assert split.truth.test_y.tolist() == [6]
    assert split.private.classes[9] == "truck"


def test_sizes_come_from_the_files_lengths_or_else_from_what_is_published(folder, tmp_path):
    assert Cifar10(path=str(folder), public=1).sizes() == Sizes(10, 1, 3)
    assert Cifar10(path=str(tmp_path / "nothing")).sizes() == Sizes(50000, 9000, 1000)


def test_a_truncated_batch_is_refused(folder):
    path = folder / "data_batch_3.bin"
    path.write_bytes(path.read_bytes()[:-1])
    for ask in (Cifar10(path=str(folder), public=1).sizes, Cifar10(path=str(folder), public=1).load):
        with pytest.raises(ConfigError, match=r"data_batch_3.bin is not a whole number"):
            ask()


def test_a_label_above_nine_is_refused(folder):
    (folder / "test_batch.bin").write_bytes(record(10, 0, 0, 0))
    with pytest.raises(ConfigError, match="1 CIFAR-10 labels"):
        Cifar10(path=str(folder), public=1).load()
