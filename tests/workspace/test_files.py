"""Arrays and facts from files anybody may have written; tests/fuzz looks for what is not thought of here."""

import io
import json
import os
import struct
import zipfile

import numpy as np
import pytest
from safetensors.numpy import save

from pate.workspace.files import (
    Unreadable,
    npy_shape,
    npz_shape,
    opened,
    parsed_json,
    parsed_safetensors,
    read_json,
    read_npy,
    read_npz,
    read_safetensors,
)

ARRAYS = [
    np.arange(6).reshape(2, 3),
    np.asfortranarray(np.random.default_rng(0).normal(size=(4, 5))),
    np.array(3.5),
    np.zeros((0, 4), np.float32),
    np.array(["a", "\N{SNOWMAN}bc"]),
    np.array([True, False]),
    np.arange(4, dtype=">i4"),
    np.array([b"x", b"yz"]),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: f"{array.dtype} {array.shape}")
def test_what_numpy_writes_is_read_as_numpy_reads_it(tmp_path, array):
    np.save(tmp_path / "a.npy", array)
    np.savez_compressed(tmp_path / "a.npz", **{"x": array, "y.z": array})
    for found in (read_npy(tmp_path / "a.npy"), read_npz(tmp_path / "a.npz")["y.z"]):
        np.testing.assert_array_equal(found, np.load(tmp_path / "a.npy", allow_pickle=False))
        assert found.dtype == array.dtype.newbyteorder("=")
        assert found.flags.f_contiguous == array.flags.f_contiguous
        assert found.flags.writeable
    assert npy_shape(tmp_path / "a.npy") == npz_shape(tmp_path / "a.npz", "x") == array.shape


def test_what_safetensors_writes_is_read_as_it_reads_it():
    kinds = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]
    arrays = {kind: np.arange(6).reshape(2, 3).astype(kind) for kind in kinds} | {
        "none": np.zeros((0, 3)),
        "one": np.array(2),
    }
    found = parsed_safetensors(save(arrays))
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype


def npy(descr="'<f8'", shape="(3,)", data=bytes(24)):
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + data


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (npy(shape="(4611686018427387904,)"), "shorter or longer"),
        (npy(shape="(1000000, 1000000)"), "shorter or longer"),
        (npy(shape="(2,)"), "shorter or longer"),
        (npy(shape="(-3,)"), "plain arrays"),
        (npy(descr="'|O'"), "Python objects"),
        (npy(descr="[('a', '<f8')]"), "plain arrays"),
        (npy(descr="'|V8'"), "plain arrays"),
        (npy(descr="'<U0'", data=b""), "shorter or longer"),
        (npy(descr="'<U2'", data=b"\xff" * 24), "no Unicode"),
        (npy(descr="'<U2'", data=struct.pack("<I", 0xD800) * 6), "no Unicode"),
        (npy(descr="'|b1'", data=b"\2\1\0"), "neither true nor false"),
        (npy(shape="(" + "1, " * 70 + "3)"), "damaged"),
        (b"\x93NUMPY\2\0" + b"\xff" * 4, "damaged or no npy"),
        (b"\x93NUMPY\1\0" + struct.pack("<H", 9000) + b"-" * 9000, "plain arrays"),
        (b"", "damaged or no npy"),
    ],
)
def test_hostile_arrays(tmp_path, content, words):
    (tmp_path / "a.npy").write_bytes(content)
    with pytest.raises(Unreadable, match=words):
        read_npy(tmp_path / "a.npy")


def zipped(members, **options):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", **options) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return out.getvalue()


def test_archives_that_unpack_to_too_much_are_not_unpacked(tmp_path):
    many = 300 << 20
    header = npy("'|u1'", f"({many},)", b"")
    (tmp_path / "a.npz").write_bytes(zipped([("x.npy", header + bytes(many))], compression=8, compresslevel=1))
    assert (tmp_path / "a.npz").stat().st_size < many / 200
    for ask in (read_npz, lambda path: npz_shape(path, "x")):
        with pytest.raises(Unreadable, match="unpacks to more than 100 times its size"):
            ask(tmp_path / "a.npz")


@pytest.mark.parametrize("kind", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_compression_without_a_bound_is_refused(tmp_path, kind):
    (tmp_path / "a.npz").write_bytes(zipped([("x.npy", npy())], compression=kind))
    with pytest.raises(Unreadable, match="has no bound"):
        read_npz(tmp_path / "a.npz")


def test_names_in_an_archive_lead_nowhere(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.npz").write_bytes(
        zipped([("../../evil.npy", npy()), ("/evil.npy", npy()), ("note.txt", b"?")])
    )
    assert read_npz(tmp_path / "in" / "a.npz").keys() == {"../../evil", "/evil"}
    assert [path.name for path in tmp_path.rglob("*")] == ["in", "a.npz"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_arrays_of_one_name_are_refused(tmp_path):
    (tmp_path / "a.npz").write_bytes(zipped([("x.npy", npy()), ("x.npy", npy())]))
    with pytest.raises(Unreadable, match="two arrays of one name"):
        read_npz(tmp_path / "a.npz")


def test_a_changed_byte_in_an_archive_is_found(tmp_path):
    content = bytearray(zipped([("x.npy", npy())]))
    content[content.index(bytes(24)) + 5] = 1
    (tmp_path / "a.npz").write_bytes(content)
    with pytest.raises(Unreadable, match="damaged"):
        read_npz(tmp_path / "a.npz")


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "F32", "shape": [2**62], "data_offsets": [0, 8]},
        {"dtype": "F32", "shape": [2], "data_offsets": [0, 2**60]},
        {"dtype": "F32", "shape": [2], "data_offsets": [8, 16]},
        {"dtype": "F32", "shape": [2.0], "data_offsets": [0, 8]},
        {"dtype": "F32", "shape": [-2], "data_offsets": [0, -8]},
        {"dtype": "BF16", "shape": [4], "data_offsets": [0, 8]},
        {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]},
        None,
    ],
)
def test_hostile_safetensors(entry, tmp_path):
    header = json.dumps({"a": entry}).encode()
    for length in (len(header), 2**63):
        with pytest.raises(Unreadable):
            parsed_safetensors(struct.pack("<Q", length) + header + bytes(8))
    (tmp_path / "a.safetensors").write_bytes(b"")
    with pytest.raises(Unreadable):
        read_safetensors(tmp_path / "a.safetensors")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"[" * 100_000, "damaged or no JSON"),
        (b"9" * 5000, "more than 40 digits"),
        (b"[1e999]", "not finite"),
        (b"[NaN]", "not finite"),
        (b"[Infinity]", "not finite"),
        (b'["\\ud800"]', "damaged or no JSON"),
        (b"\xff\xfe", "damaged or no JSON"),
        (b"", "damaged or no JSON"),
    ],
)
def test_hostile_facts(text, words):
    with pytest.raises(Unreadable, match=words):
        parsed_json(text)


def test_facts_are_what_json_says(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps({"a": [1, 2.5, None, True, "\N{GRINNING FACE}"], "b": float("inf")}))
    assert read_json(tmp_path / "a.json", infinite=True)["a"] == [1, 2.5, None, True, "\N{GRINNING FACE}"]
    with pytest.raises(Unreadable, match="not finite"):
        parsed_json(b"NaN", infinite=True)
    with (tmp_path / "b.json").open("wb") as file:
        file.truncate(1 << 40)  # of nothing: it takes no room
    with pytest.raises(Unreadable, match="longer than the 16 MiB"):
        read_json(tmp_path / "b.json")


def test_only_regular_files_are_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "real").write_bytes(b"x")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "zeros").symlink_to("/dev/zero")
    for name in ("pipe", ".", "zeros"):
        with pytest.raises(Unreadable, match="no regular file"):
            opened(tmp_path / name)
    with pytest.raises(Unreadable, match="symbolic link"):
        opened(tmp_path / "link", follow=False)
    with pytest.raises(Unreadable, match="cannot be opened"):
        opened(tmp_path / "nothing")
    with opened(tmp_path / "link") as stream:
        assert stream.read() == b"x"
