"""A user's own files, in every format."""

import numpy as np
import pytest

from pate.data.arrays import Arrays
from pate.data.split import Sizes
from pate.errors import ConfigError
from tests.data.own_files import WHO, X, Y, arrays, label_of, write, write_csv

FORMATS = pytest.mark.parametrize("form", ["npz", "npy", "csv", "parquet"])


@FORMATS
def test_a_folder_gives_each_side_its_file(tmp_path, form):
    write(tmp_path, form, "private", X, Y, WHO)
    write(tmp_path, form, "public", X[:10], None, WHO[:10] + 100)
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


def test_nobody_is_in_the_private_and_in_the_public_file(tmp_path):
    write(tmp_path, "csv", "private", X, Y, WHO)
    write(tmp_path, "csv", "public", X[:10], None, np.array([f" {who} " for who in range(8, 18)]))
    write(tmp_path, "csv", "test", X[:6], Y[:6], WHO[:6])
    with pytest.raises(ConfigError, match="2 groups have records in the private and in the public file"):
        arrays(tmp_path, label="y", classes=["0", "1"]).load("who")


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


def test_images_of_bytes_stay_bytes_and_a_single_channel_is_dropped(tmp_path):
    write(tmp_path, "npz", "private", np.zeros((4, 8, 8, 1), np.uint8), Y[:4])
    write(tmp_path, "npz", "public", np.zeros((4, 8, 8), np.uint8))
    split = arrays(tmp_path).load()
    assert split.private.x.shape == (4, 8, 8)
    assert split.private.x.dtype == np.uint8


def test_columns_are_matched_by_name_and_text_becomes_categories(tmp_path):
    write_csv(tmp_path / "private.csv", {"y": [0, 1], "town": ["Rome", "Oslo"], "age": [1, 2]})
    write_csv(tmp_path / "public.csv", {"age": [1, 3] * 2, "town": ["Bern", "Rome"] * 2})
    split = arrays(tmp_path, label="y").load()
    assert split.private.x.tolist() == [[-1, 0, 1], [0, 0, 0]]


@pytest.mark.parametrize(("records", "delta"), [(99_999, 1e-5), (100_000, 1e-6), (250_000, 1e-6), (1_000_000, 1e-7)])
def test_the_default_delta_of_a_table_is_below_one_in_its_records(tmp_path, records, delta):
    np.savez(tmp_path / "private.npz", x=np.zeros((records, 1), np.uint8), y=np.zeros(records, np.uint8))
    found = Arrays(path=str(tmp_path)).usual_delta()
    assert found == delta
    assert found < 1 / records
