"""A user's own files: every format, and every way they can be wrong."""

import builtins
import csv

import numpy as np
import pytest

from pate.data.arrays import Arrays
from pate.data.split import Sizes
from pate.errors import ConfigError

X = np.arange(40, dtype=np.float64).reshape(20, 2)
Y = np.arange(20) % 2
WHO = np.arange(20) // 2
SECRET = 987654


def write_csv(path, columns):
    with path.open("w", newline="") as stream:
        out = csv.writer(stream)
        out.writerow(columns)
        out.writerows(zip(*columns.values(), strict=True))


def write_parquet(path, columns):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pa.table(columns), path)


def write(folder, form, side, x, y=None, who=None):
    """The same records in any format."""
    folder.mkdir(exist_ok=True)
    arrays = {"x": x} | ({} if y is None else {"y": y}) | ({} if who is None else {"who": who})
    if form == "npz":
        np.savez(folder / f"{side}.npz", **arrays)
    elif form == "npy":
        for key, array in arrays.items():
            np.save(folder / f"{side}_{key}.npy", array)
    else:
        columns = {"a": x[:, 0], "b": x[:, 1]} | {key: array for key, array in arrays.items() if key != "x"}
        {"csv": write_csv, "parquet": write_parquet}[form](folder / f"{side}.{form}", columns)


def arrays(path, **fields):
    return Arrays(path=str(path), **fields)


def label_of(form):
    return "y" if form in ("csv", "parquet") else None


FORMATS = pytest.mark.parametrize("form", ["npz", "npy", "csv", "parquet"])


@FORMATS
def test_a_folder_gives_each_side_its_file(tmp_path, form):
    write(tmp_path, form, "private", X, Y, WHO)
    write(tmp_path, form, "public", X[:10], None, WHO[:10])
    write(tmp_path, form, "test", X[:6], Y[:6], WHO[:6])
    own = arrays(tmp_path, label=label_of(form), classes=["0", "1"])
    split = own.load("who")
    assert own.sizes() == Sizes(20, 10, 6)
    assert not own.missing()
    assert split.private.y.tolist() == Y.tolist()
    assert split.private.group.astype(str).tolist() == WHO.astype(str).tolist()
    assert split.truth.public_y.tolist() == [-1] * 10
    assert split.truth.test_y.tolist() == Y[:6].tolist()
    mean, sd = (X[:10].mean(0), X[:10].std(0)) if label_of(form) else (0, 1)
    assert np.allclose(split.private.x, (X - mean) / sd, atol=1e-6)
    assert split.private.x.dtype == np.float32
    assert split.notes == ()


@FORMATS
def test_without_grouping_the_group_is_just_another_column_of_a_table(tmp_path, form):
    write(tmp_path, form, "private", X, Y, WHO)
    write(tmp_path, form, "public", X, Y, WHO)
    split = arrays(tmp_path, label=label_of(form), classes=["0", "1"]).load()
    assert split.private.group is None
    assert split.private.x.shape == (20, 3 if label_of(form) else 2)


@pytest.mark.parametrize("form", ["npz", "csv", "parquet"])
def test_a_single_file_is_shuffled_by_position_and_split(tmp_path, form):
    everyone = np.arange(20) + 100
    write(tmp_path, form, "mine", X, Y, everyone)
    own = arrays(tmp_path / f"mine.{form}", label=label_of(form), classes=["0", "1"], private=12, public=5)
    split = own.load("who")
    assert own.sizes() == Sizes(12, 5, 3)
    assert own.files() == [tmp_path / f"mine.{form}"]
    assert (len(split.private.x), len(split.public.x), len(split.test.x)) == (12, 5, 3)
    first = np.concatenate([split.private.x, split.public.x, split.test.x])[:, 0]
    positions = np.argsort(np.argsort(first))  # x grows with the position
    assert positions.tolist() != list(range(20))
    assert Y[positions].tolist() == [*split.private.y, *split.truth.public_y, *split.truth.test_y]
    assert everyone[positions[:12]].astype(str).tolist() == split.private.group.astype(str).tolist()


def test_nobody_is_on_both_sides_of_a_single_file(tmp_path):
    write(tmp_path, "npz", "mine", X, Y, np.arange(20) // 2)
    own = arrays(tmp_path / "mine.npz", classes=["0", "1"], private=12, public=5)
    with pytest.raises(ConfigError, match="groups would have private and public records"):
        own.load("who")


def test_the_order_of_a_single_file_follows_the_seed_alone(tmp_path):
    np.savez(tmp_path / "a.npz", x=X, y=Y)
    np.savez(tmp_path / "b.npz", x=X + 100, y=1 - Y)
    one, other = (arrays(tmp_path / f"{name}.npz", private=12).load() for name in "ab")
    assert np.array_equal(one.private.x + 100, other.private.x)
    assert not np.array_equal(one.private.x, arrays(tmp_path / "a.npz", private=12, seed=1).load().private.x)


def test_a_single_file_must_say_how_much_of_it_is_private(tmp_path):
    np.savez(tmp_path / "a.npz", x=X, y=Y)
    for ask in (arrays(tmp_path / "a.npz").load, arrays(tmp_path / "a.npz").sizes):
        with pytest.raises(ConfigError, match=r"dataset.private="):
            ask()


@pytest.mark.parametrize("side", ["private", "public", "test"])
def test_asking_for_more_than_a_side_has_names_both_numbers(tmp_path, side):
    for one in ("private", "public", "test"):
        write(tmp_path, "npz", one, X, Y)
    for ask in (arrays(tmp_path, **{side: 21}).load, arrays(tmp_path, **{side: 21}).sizes):
        with pytest.raises(ConfigError, match=rf"dataset.{side}=21 .* the {side} file has 20"):
            ask()


def test_parts_of_the_sides_are_the_first_private_the_first_public_and_the_last_test(tmp_path):
    for side in ("private", "public", "test"):
        write(tmp_path, "npz", side, X, Y)
    own = arrays(tmp_path, private=3, public=2, test=1)
    split = own.load()
    assert own.sizes() == Sizes(3, 2, 1)
    assert split.private.x[:, 0].tolist() == [0, 2, 4]
    assert split.public.x[:, 0].tolist() == [0, 2]
    assert split.test.x[:, 0].tolist() == [38]


def test_a_run_on_labels_from_elsewhere_has_no_private_file(tmp_path):
    write(tmp_path, "npz", "public", X)
    write(tmp_path, "npz", "test", X, Y)
    split = arrays(tmp_path).load()
    assert split.private.x.shape == (0, 2)
    assert split.private.y.shape == (0,)
    assert arrays(tmp_path).sizes() == Sizes(0, 20, 20)
    assert split.private.classes == ["0", "1"]
    assert split.notes == ()  # the classes come from the test labels


def test_without_any_labels_the_classes_must_be_declared(tmp_path):
    write(tmp_path, "npz", "public", X)
    assert arrays(tmp_path, classes=["no", "yes"]).load().public.classes == ["no", "yes"]
    with pytest.raises(ConfigError, match=r"declare them with dataset.classes"):
        arrays(tmp_path).load()


def test_classes_that_are_read_from_private_labels_leave_a_note(tmp_path):
    write(tmp_path, "npz", "private", X, np.array(["10", "9"] * 10))
    write(tmp_path, "npz", "test", X[:2], np.array(["b", "9"]))
    split = arrays(tmp_path).load()
    assert split.private.classes == ["9", "10", "b"]
    assert split.private.y[:2].tolist() == [1, 0]
    assert "dataset.classes" in split.notes[0]


@pytest.mark.parametrize(
    ("labels", "classes", "expected"),
    [
        (["cat", "dog"], ["dog", "cat"], [1, 0]),
        ([0, 1], ["dog", "cat"], [0, 1]),
        ([3, 7], ["3", "7"], [0, 1]),
        ([7.0, 3.0], ["3", "7"], [1, 0]),
        ([True, False], ["no", "yes"], [1, 0]),
        (["1.0", " 0"], ["0", "1"], [1, 0]),
        (["1.5", "2.5"], ["1.5", "2.5"], [0, 1]),
    ],
)
def test_labels_are_found_by_name_or_by_place(tmp_path, labels, classes, expected):
    np.savez(tmp_path / "private.npz", x=X[:2], y=np.array(labels))
    assert arrays(tmp_path, classes=classes).load().private.y.tolist() == expected


def test_images_of_bytes_stay_bytes_and_a_single_channel_is_dropped(tmp_path):
    write(tmp_path, "npz", "private", np.zeros((4, 8, 8, 1), np.uint8), Y[:4])
    write(tmp_path, "npz", "public", np.zeros((4, 8, 8), np.uint8))
    split = arrays(tmp_path).load()
    assert split.private.x.shape == (4, 8, 8)
    assert split.private.x.dtype == np.uint8


def test_columns_are_matched_by_name_and_text_becomes_categories(tmp_path):
    write_csv(tmp_path / "private.csv", {"y": [0, 1], "town": ["Rome", "Oslo"], "age": [1, 2]})
    write_csv(tmp_path / "public.csv", {"age": [1, 3], "town": ["Bern", "Rome"]})
    split = arrays(tmp_path, label="y").load()
    assert split.private.x.tolist() == [[-1, 0, 1], [0, 0, 0]]


def test_parquet_keeps_numbers_and_reads_null_as_missing(tmp_path):
    write_parquet(tmp_path / "private.parquet", {"y": ["b", "a"], "n": [None, 4.0], "t": [None, "u"]})
    write_parquet(tmp_path / "public.parquet", {"n": [1.0, 3.0], "t": ["u", "v"]})
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
        (f"a,b\n{SECRET},1\n", "has no labels: .*dataset.label="),
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
    with pytest.raises(ConfigError, match="differ in 1 feature columns"):
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
