"""Files of a user's own as arrays: what is damaged, swallowed or of other kinds is refused, and no value is shown."""

import builtins

import numpy as np
import pytest

from pate.data.split import Sizes
from pate.errors import ConfigError
from tests.data.own_files import SECRET, X, Y, arrays, write_csv, write_parquet


def test_a_csv_without_a_header_does_not_show_its_first_record(tmp_path):
    (tmp_path / "private.csv").write_text(f"{SECRET},1\n2,0\n")
    write_csv(tmp_path / "public.csv", {"a": [1], "y": [0]})
    with pytest.raises(ConfigError, match="has no labels") as error:
        arrays(tmp_path, label="y").load()
    assert str(SECRET) not in str(error.value)


def test_a_csv_in_another_encoding_is_refused(tmp_path):
    (tmp_path / "private.csv").write_bytes("a,y\nZürich,1\n".encode("latin-1"))
    with pytest.raises(ConfigError, match="not UTF-8"):
        arrays(tmp_path, label="y").load()


def test_a_byte_order_mark_quotes_and_blank_lines_are_no_trouble(tmp_path):
    (tmp_path / "private.csv").write_text('\ufeffa,y\n"1",0\n\n"2","1"\n', encoding="utf-8")
    (tmp_path / "public.csv").write_text("a,y\n1,0\n2,1\n")
    own = arrays(tmp_path, label="y")
    assert own.sizes() == Sizes(2, 2, 0)
    assert own.load().private.x.tolist() == [[-1], [1]]


def test_pickled_objects_stay_closed(tmp_path):
    np.savez(tmp_path / "private.npz", x=X, y=np.array([{}] * 20, dtype=object))
    with pytest.raises(ConfigError, match="Python objects"):
        arrays(tmp_path).load()
    (tmp_path / "private.npz").unlink()
    np.save(tmp_path / "private_x.npy", np.array([{}] * 20, dtype=object))
    with pytest.raises(ConfigError, match="Python objects"):
        arrays(tmp_path).load()


@pytest.mark.parametrize("name", ["private.npz", "private_x.npy", "private.parquet"])
def test_damaged_files_are_refused_before_and_while_reading(tmp_path, name):
    (tmp_path / name).write_bytes(b"nonsense")
    own = arrays(tmp_path, label="y" if name.endswith("parquet") else None)
    for ask in (own.load, own.sizes):
        with pytest.raises(ConfigError, match=name):
            ask()


def test_one_long_cell_does_not_make_all_others_as_long(tmp_path):
    """In an array of text each cell takes the room of the longest: 3000 of 130 000 characters would be 1.5 GB."""
    import tracemalloc

    lines = ["a,y", *(f"cell{i % 3},{i % 2}" for i in range(3000)), "z" * 130_000 + ",0"]
    (tmp_path / "pool.csv").write_text("\n".join(lines))
    tracemalloc.start()
    arrays(tmp_path / "pool.csv", label="y", private=1000, classes=["0", "1"]).load()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6


def test_a_parquet_of_few_texts_repeated_keeps_them_once(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import tracemalloc

    from pyarrow import parquet

    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 4_000, pa.int32()), pa.array(["z" * 100_000]))
    parquet.write_table(pa.table({"a": texts, "y": pa.array([0, 1] * 2_000)}), tmp_path / "pool.parquet")
    tracemalloc.start()
    arrays(tmp_path / "pool.parquet", label="y", private=2_000).load()  # 400 MB, each on its own
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6


@pytest.mark.parametrize("cells", [[[1, 2]] * 4, [{"a": 1}] * 4])
def test_columns_of_lists_are_no_cells(tmp_path, cells):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pa.table({"a": cells, "y": [0, 1, 0, 1]}), tmp_path / "pool.parquet")
    with pytest.raises(ConfigError, match="columns of lists or records"):
        arrays(tmp_path / "pool.parquet", label="y", private=2).load()


@pytest.mark.parametrize("lines", [['4,"', "5,6"], ['4,"', "5,6", '7,"8'], ['4,"a', 'b",1'], ['4,"x"y']])
def test_a_quote_that_swallows_records_is_refused(tmp_path, lines):
    """One stray quote made other records part of a cell, and moved private ones to the public side."""
    rows = [f"{i},{i % 2}" for i in range(20)]
    (tmp_path / "pool.csv").write_text("\n".join(["a,y", *rows[:10], *lines, *rows[10:]]) + "\n")
    with pytest.raises(ConfigError, match=r"quote|csv that can be read"):
        arrays(tmp_path / "pool.csv", label="y", classes=["0", "1"], private=8).load()


def test_two_stray_quotes_that_swallow_what_lies_between_are_refused(tmp_path):
    """Each line still has its cells, so that a line break within one is all there is to see."""
    rows = [f"{i % 2},{i}" for i in range(20)]
    (tmp_path / "pool.csv").write_text("\n".join(["y,a", *rows[:10], '0,"', "1,5", '0,"', *rows[10:]]) + "\n")
    with pytest.raises(ConfigError, match="has a line break within a cell"):
        arrays(tmp_path / "pool.csv", label="y", classes=["0", "1"], private=8).load()


def test_images_of_whole_numbers_are_bytes(tmp_path):
    """One pixel of 256 made a file of bytes one of int16, and every image another one."""
    images = np.random.default_rng(0).integers(0, 255, (20, 4, 4)).astype(np.int16)
    np.savez(tmp_path / "pool.npz", x=images, y=Y)
    with pytest.raises(ConfigError, match=r"bytes \(uint8\), these are int16"):
        arrays(tmp_path / "pool.npz", classes=["0", "1"], private=8).load()


def test_parquet_keeps_numbers_and_reads_null_as_missing(tmp_path):
    write_parquet(tmp_path / "private.parquet", {"y": ["b", "a"], "n": [None, 4.0], "t": [None, "u"]})
    write_parquet(tmp_path / "public.parquet", {"n": [1.0, 3.0] * 2, "t": ["u", "v"] * 2})
    split = arrays(tmp_path, label="y").load()
    assert split.private.x.tolist() == [[0, 0, 0], [2, 1, 0]]
    assert split.private.y.tolist() == [1, 0]


def test_parquet_without_pyarrow_names_the_extra(tmp_path, monkeypatch):
    (tmp_path / "private.parquet").write_bytes(b"PAR1")
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ConfigError, match=r"pip install pate-pipelines\[parquet\]"):
        arrays(tmp_path, label="y").load()
