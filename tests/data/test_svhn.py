"""SVHN's MATLAB files."""

import numpy as np
import pytest
from scipy.io import savemat

from pate.data.split import Sizes
from pate.data.svhn import Svhn
from pate.errors import ConfigError


def save(path, labels):
    x = np.random.default_rng(0).integers(0, 255, (32, 32, 3, len(labels)), np.uint8)
    x[4, 5, 2, :] = np.arange(len(labels))
    savemat(path, {"X": x, "y": np.array(labels, np.uint8).reshape(-1, 1)}, do_compression=True)


@pytest.fixture
def folder(tmp_path):
    save(tmp_path / "train_32x32.mat", [1, 9, 10, 3])
    save(tmp_path / "test_32x32.mat", [10, 5, 2])
    return tmp_path


def test_records_come_first_and_label_ten_is_the_digit_zero(folder):
    split = Svhn(path=str(folder), public=2).load()
    assert split.private.x.shape == (4, 32, 32, 3)
    assert split.private.x.dtype == np.uint8
    assert split.private.x[:, 4, 5, 2].tolist() == [0, 1, 2, 3]
    assert split.private.y.tolist() == [1, 9, 0, 3]
    assert split.private.y.dtype == np.int64
    assert split.truth.public_y.tolist() == [0, 5]
    assert split.truth.test_y.tolist() == [2]


def test_sizes_come_from_the_headers_or_else_from_what_is_published(folder, tmp_path):
    assert Svhn(path=str(folder), public=1).sizes() == Sizes(4, 1, 2)
    assert Svhn(path=str(tmp_path / "nothing")).sizes() == Sizes(73257, 10000, 16032)


def test_it_cannot_be_fetched_and_says_what_to_do(folder, tmp_path):
    Svhn(path=str(folder)).fetch()
    with pytest.raises(ConfigError, match=r"svhn has no package: download train_32x32.mat .* dataset.path="):
        Svhn(path=str(tmp_path / "nothing")).fetch()


def test_files_of_another_kind_are_refused(folder):
    svhn = Svhn(path=str(folder), public=1)
    savemat(folder / "train_32x32.mat", {"X": np.zeros((3, 3)), "y": np.zeros(3)})
    with pytest.raises(ConfigError, match=r"train_32x32.mat needs X of shape"):
        svhn.load()
    (folder / "train_32x32.mat").write_bytes(b"not matlab at all" * 20)
    with pytest.raises(ConfigError, match="no MATLAB file"):
        svhn.load()


def test_a_truncated_file_is_refused(folder):
    path = folder / "train_32x32.mat"
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(ConfigError, match=r"train_32x32.mat .* download it again"):
        Svhn(path=str(folder), public=1).load()


def test_labels_outside_one_to_ten_are_refused(folder):
    save(folder / "train_32x32.mat", [0, 1, 11])
    with pytest.raises(ConfigError, match=r"2 labels are not in 1..10"):
        Svhn(path=str(folder), public=1).load()
