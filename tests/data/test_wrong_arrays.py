"""A user's own files, and every way they can be wrong."""

import numpy as np
import pytest

from pate.data.split import Sizes
from pate.errors import ConfigError
from tests.data.own_files import SECRET, WHO, X, Y, arrays, write, write_csv


@pytest.mark.parametrize("broken", [np.nan, np.inf, 1e300])
def test_values_that_are_no_finite_float32_are_counted(tmp_path, broken):
    x = X.copy()
    x[3:5, 1] = broken
    write(tmp_path, "npz", "private", x, Y)
    with pytest.raises(ConfigError, match=r"private.npz: 2 values of x are nan or infinite"):
        arrays(tmp_path).load()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"x": X, "y": Y[:5]}, r"20 records but labels of shape \(5,\)"),
        ({"x": X, "y": Y.reshape(-1, 1)}, "labels of shape"),
        ({"x": X}, "has no labels"),
        ({"y": Y}, "has no array 'x'"),
        ({"x": X[:0], "y": Y[:0]}, "holds no records"),
        ({"x": X[:, 0], "y": Y}, "x must be numbers of shape"),
        ({"x": X.astype(str), "y": Y}, "x must be numbers of shape"),
        ({"x": np.zeros((20, 3, 8, 8)), "y": Y}, "colours come last"),
        ({"x": X, "y": Y + 0.5}, "20 labels are not whole numbers"),
        ({"x": X, "y": Y.astype(complex)}, "one whole number or name per record"),
        ({"x": X, "y": np.where(Y == 1, SECRET, 0)}, "10 labels are not among dataset.classes"),
        ({"x": X, "y": np.where(Y == 1, str(SECRET), "")}, "10 labels are blank"),
        ({"x": X, "y": np.array([str(SECRET + 0.5)] * 20)}, "20 labels are not among"),
    ],
)
def test_wrong_arrays_are_counted_not_shown(tmp_path, content, message):
    np.savez(tmp_path / "private.npz", **content)
    with pytest.raises(ConfigError, match=message) as error:
        arrays(tmp_path, classes=["0", "1"]).load()
    assert "private.npz" in str(error.value)
    assert str(SECRET) not in str(error.value)


def test_undeclared_fractional_labels_are_no_classes(tmp_path):
    write_csv(tmp_path / "private.csv", {"a": [1, 2, 3], "y": ["0.25", "0.5", "1"]})
    with pytest.raises(ConfigError, match="2 labels are numbers but not whole"):
        arrays(tmp_path, label="y").load()


def test_a_single_class_is_refused(tmp_path):
    write(tmp_path, "npz", "private", X, Y * 0)
    with pytest.raises(ConfigError, match=r"1 class\(es\)"):
        arrays(tmp_path).load()
    for classes in (["one"], ["a", "a"]):
        with pytest.raises(ConfigError, match=r"dataset.classes needs at least two"):
            arrays(tmp_path, classes=classes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"a,y\n1,0\n{SECRET}\n", "1 of 2 records do not have 2 cells"),
        (f"{SECRET},{SECRET}\n1,0\n", "first line must name every column"),
        (f",y\n{SECRET},1\n", "first line must name every column"),
        ("", "first line must name every column"),
        (
            f"a,b\n{SECRET},1\n",
            r"has no labels in a column y: name the label column with dataset.label=; its columns are a, b$",
        ),
        ("a,y\n", "holds no records"),
        ("y\n1\n0\n", "no feature columns"),
    ],
)
def test_wrong_csv_files_are_counted_not_shown(tmp_path, text, message):
    (tmp_path / "private.csv").write_text(text)
    with pytest.raises(ConfigError, match=message) as error:
        arrays(tmp_path, label="y", classes=["0", "1"]).load()
    assert str(SECRET) not in str(error.value)


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


def test_a_table_without_public_rows_cannot_be_encoded(tmp_path):
    write(tmp_path, "csv", "private", X, Y)
    with pytest.raises(ConfigError, match="encoders are fitted on public data only"):
        arrays(tmp_path, label="y").load()


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


def test_sides_must_be_of_one_kind(tmp_path):
    write(tmp_path, "npz", "private", X, Y)
    write(tmp_path, "npz", "public", X[:, :1])
    with pytest.raises(ConfigError, match="records of shape"):
        arrays(tmp_path).load()
    write(tmp_path, "npz", "private", np.zeros((4, 8, 8), np.uint8), Y[:4])
    write(tmp_path, "npz", "public", np.zeros((4, 8, 8)))
    with pytest.raises(ConfigError, match=r"uint8.*float32|float32.*uint8"):
        arrays(tmp_path).load()


def test_tables_must_have_the_same_columns(tmp_path):
    write_csv(tmp_path / "private.csv", {"a": [1], "extra": [2], "y": [0]})
    write_csv(tmp_path / "public.csv", {"a": [1]})
    with pytest.raises(ConfigError, match=r"only in .*private.csv: extra: take them out"):
        arrays(tmp_path, label="y", classes=["0", "1"]).load()


def test_a_label_column_makes_no_sense_for_arrays(tmp_path):
    write(tmp_path, "npz", "private", X, Y)
    with pytest.raises(ConfigError, match=r"dataset.label=y names a column of csv"):
        arrays(tmp_path, label="y").load()


def test_groups_must_be_there_for_every_private_record(tmp_path):
    write(tmp_path, "npz", "private", X, Y)
    with pytest.raises(ConfigError, match="has no 'who' to group by"):
        arrays(tmp_path).load("who")
    with pytest.raises(ConfigError, match="'y' is no group"):
        arrays(tmp_path).load("y")
    write(tmp_path, "npz", "private", X, Y, WHO[:7])
    with pytest.raises(ConfigError, match=r"groups of shape \(7,\)"):
        arrays(tmp_path).load("who")
    for nameless in (np.where(WHO == 3, np.nan, WHO), np.where(WHO == 3, "", WHO.astype(str))):
        write(tmp_path, "npz", "private", X, Y, nameless)
        with pytest.raises(ConfigError, match="2 records have no group"):
            arrays(tmp_path).load("who")


def test_public_records_need_no_owner(tmp_path):
    write(tmp_path, "csv", "private", X, Y, WHO)
    write(tmp_path, "csv", "public", X, None, [""] * 20)
    split = arrays(tmp_path, label="y").load("who")
    assert split.private.group.tolist() == WHO.astype(str).tolist()
    assert split.public.x.shape == (20, 2)


def test_groups_in_whole_floats_are_numbers(tmp_path):
    write(tmp_path, "npz", "private", X, Y, WHO.astype(float))
    assert arrays(tmp_path).load("who").private.group.dtype == np.int64


def test_two_files_for_one_side_are_refused(tmp_path):
    write(tmp_path, "npz", "private", X, Y)
    write(tmp_path, "csv", "private", X, Y)
    with pytest.raises(ConfigError, match=r"both private.npz and private.csv"):
        arrays(tmp_path).load()


def test_nothing_there_says_what_is_wanted(tmp_path):
    own = arrays(tmp_path / "nothing")
    assert own.missing()
    assert own.files() == []
    for ask in (own.load, own.sizes, own.fetch):
        with pytest.raises(ConfigError, match=r"dataset.path="):
            ask()
    np.save(tmp_path / "x.npy", X)
    with pytest.raises(ConfigError, match=r"cannot be read: dataset.path="):
        arrays(tmp_path / "x.npy", private=3).load()


def test_the_files_of_a_folder_of_npy_are_all_of_its_arrays(tmp_path):
    write(tmp_path, "npy", "private", X, Y, WHO)
    assert [path.name for path in arrays(tmp_path).files()] == ["private_who.npy", "private_x.npy", "private_y.npy"]


def test_one_long_cell_does_not_make_all_others_as_long(tmp_path):
    """In an array of text each cell takes the room of the longest: 3000 of 130 000 characters would be 1.5 GB."""
    import tracemalloc

    lines = ["a,y", *(f"cell{i % 3},{i % 2}" for i in range(3000)), "z" * 130_000 + ",0"]
    (tmp_path / "pool.csv").write_text("\n".join(lines))
    tracemalloc.start()
    arrays(tmp_path / "pool.csv", label="y", private=1000, classes=["0", "1"]).load()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6


def test_a_parquet_of_few_texts_repeated_keeps_them_once(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import tracemalloc

    from pyarrow import parquet

    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 20_000, pa.int32()), pa.array(["z" * 100_000]))
    parquet.write_table(pa.table({"a": texts, "y": pa.array([0, 1] * 10_000)}), tmp_path / "pool.parquet")
    tracemalloc.start()
    arrays(tmp_path / "pool.parquet", label="y", private=10_000).load()  # 2 GB, each on its own
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6


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


@pytest.mark.parametrize("odd", ["1.5", "nan", "inf"])
def test_a_text_that_is_a_number_and_no_whole_one_is_nobodys_name(tmp_path, odd):
    write(tmp_path, "csv", "private", X, Y, [odd, *WHO[1:]])
    write(tmp_path, "csv", "public", X, Y, WHO + 100)
    with pytest.raises(ConfigError, match="1 records have no group, or a fractional one"):
        arrays(tmp_path, label="y", classes=["0", "1"]).load("who")


def test_a_persons_number_is_the_same_written_as_a_fraction(tmp_path):
    groups = []
    for who in (WHO, WHO.astype(float)):
        write(tmp_path, "csv", "private", X, Y, who)
        write(tmp_path, "csv", "public", X, Y, WHO + 100)
        groups.append(arrays(tmp_path, label="y", classes=["0", "1"]).load("who").private.group.tolist())
    assert groups[0] == groups[1]


@pytest.mark.parametrize("classes", [["True", "False"], ["false", "true"]])
def test_truths_are_found_by_name(tmp_path, classes):
    for labels in (np.array([True, False] * 10), np.array([classes[0], classes[1]] * 10)):
        np.savez(tmp_path / "private.npz", x=X, y=labels)
        places = arrays(tmp_path, classes=classes).load().private.y[:2].tolist()
        wanted = (
            [0, 1] if labels.dtype.kind == "U" else [classes.index(next(c for c in classes if c.lower() == "true"))]
        )
        assert places[: len(wanted)] == wanted
