"""MATLAB files as scipy writes them, and as nobody should."""

import struct
import zlib

import numpy as np
import pytest
from scipy.io import loadmat, savemat

from pate.data.matlab import mat_shapes, read_mat
from pate.workspace.files import Unreadable

RNG = np.random.default_rng(0)
ARRAYS = {
    "X": RNG.integers(0, 255, (4, 3, 2, 5), np.uint8),
    "y": np.arange(5, dtype=np.uint8).reshape(-1, 1),
    "doubles": RNG.normal(size=(3, 2)),
    "whole": np.array([[1.0, 2.0]]),
    "a": np.array([[-7]], np.int16),
}


@pytest.mark.parametrize("compressed", [True, False])
def test_it_reads_what_scipy_reads(tmp_path, compressed):
    savemat(tmp_path / "a.mat", ARRAYS, do_compression=compressed)
    found, peer = read_mat(tmp_path / "a.mat"), loadmat(tmp_path / "a.mat")
    assert found.keys() == ARRAYS.keys()
    for name, array in found.items():
        np.testing.assert_array_equal(array, peer[name])
        assert array.dtype == peer[name].dtype
    assert mat_shapes(tmp_path / "a.mat") == {name: array.shape for name, array in ARRAYS.items()}


@pytest.mark.parametrize("thing", [{"a": "text"}, {"a": np.array([[1j]])}, {"a": {"b": 1}}, {"a": [[1], "b"]}])
def test_anything_but_numbers_is_refused(tmp_path, thing):
    savemat(tmp_path / "a.mat", thing)
    for ask in (read_mat, mat_shapes):
        with pytest.raises(Unreadable, match=r"MATLAB|else than arrays"):
            ask(tmp_path / "a.mat")


def test_what_unpacks_to_too_much_is_not_unpacked(tmp_path):
    savemat(tmp_path / "a.mat", {"X": ARRAYS["X"]}, do_compression=True)
    content = (tmp_path / "a.mat").read_bytes()
    packed = zlib.compress(zlib.decompress(content[136:]) + bytes(300 << 20), 1)
    (tmp_path / "a.mat").write_bytes(content[:128] + struct.pack("<II", 15, len(packed)) + packed)
    with pytest.raises(Unreadable, match="more than 100 times its size"):
        read_mat(tmp_path / "a.mat")


def test_a_shape_that_is_not_there_is_refused(tmp_path):
    savemat(tmp_path / "a.mat", {"X": ARRAYS["X"]})
    content = (tmp_path / "a.mat").read_bytes()
    dimensions = np.array(ARRAYS["X"].shape, "<i4").tobytes()
    (tmp_path / "a.mat").write_bytes(content.replace(dimensions, np.array([2**30] * 4, "<i4").tobytes()))
    with pytest.raises(Unreadable, match="shorter or longer"):
        read_mat(tmp_path / "a.mat")
