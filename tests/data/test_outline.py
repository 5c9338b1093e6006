"""What is public of a data set before a record is read."""

import numpy as np
import pytest

from pate.data.arrays import Arrays
from pate.data.digits import Digits
from pate.data.idx import Mnist
from pate.data.outline import Outline


def test_digits_are_small_grey_images():
    found = Outline.of(Digits())
    assert found == Outline((8, 8), 1200, 397, 10)
    assert found.images
    assert str(found) == "grey images of 8 x 8"


def test_files_that_are_not_there_yet_are_what_was_published(tmp_path):
    assert Outline.of(Mnist(path=str(tmp_path))) == Outline((28, 28), 60000, 9000, 10)


@pytest.mark.parametrize(
    ("shape", "said", "images"),
    [
        ((16, 16), "grey images of 16 x 16", True),
        ((20, 24, 3), "colour images of 20 x 24", True),
        ((7,), "rows of 7 numbers", False),
    ],
)
def test_an_array_of_ones_own_is_told_by_its_public_side(tmp_path, shape, said, images):
    for side, count in {"private": 30, "public": 20, "test": 10}.items():
        np.savez(tmp_path / f"{side}.npz", x=np.zeros((count, *shape), np.float32), y=np.arange(count) % 2)
    found = Outline.of(Arrays(path=str(tmp_path), classes=["0", "1"]))
    assert found == Outline(shape, 30, 20, 2)
    assert (str(found), found.images) == (said, images)


def test_a_table_is_a_table(tmp_path):
    (tmp_path / "own.csv").write_text("a,b,label\n" + "\n".join(f"{i},x,{i % 2}" for i in range(40)))
    found = Outline.of(Arrays(path=str(tmp_path / "own.csv"), label="label", private=20, public=10, classes=["0", "1"]))
    assert found == Outline(None, 20, 10, 2)
    assert str(found) == "a table"
