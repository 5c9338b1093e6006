"""Adult in UCI's layout."""

import numpy as np
import pytest

from pate.data.adult import Adult
from pate.data.split import Sizes
from pate.errors import ConfigError

ROW = "{age}, {work}, 77516, Bachelors, 13, Divorced, Sales, Unmarried, White, {sex}, 0, 0, 40, Cuba, {income}"


def row(age, work="Private", sex="Male", income="<=50K"):
    return ROW.format(age=age, work=work, sex=sex, income=income)


@pytest.fixture
def folder(tmp_path):
    train = [row(39), row(50, "?", "Female", ">50K"), row(20, "Never-seen"), row(70)]
    test = [row(30, income="<=50K."), row(50, "?", "Female", ">50K."), row(80, income=">50K.")]
    (tmp_path / "adult.data").write_text("\n".join(train) + "\n\n")
    (tmp_path / "adult.test").write_text("\n".join(["|1x3 Cross validator", *test[:2], *test]) + "\n\n")
    return tmp_path


def test_the_remark_the_dots_and_the_blank_line_are_no_records(folder):
    adult = Adult(path=str(folder), public=4)
    split = adult.load()
    assert adult.sizes() == Sizes(4, 4, 1)
    assert split.private.y.tolist() == [0, 1, 0, 0]
    assert split.truth.public_y.tolist() == [0, 1, 0, 1]
    assert split.truth.test_y.tolist() == [1]
    assert split.private.classes == ["<=50K", ">50K"]


def test_numbers_are_standardised_and_categories_one_hot_by_the_public_rows(folder):
    x = Adult(path=str(folder), public=4).load().private.x
    # six numbers, then one column per public category: 2 workclasses, 5 columns of one value, 2 sexes, 1 country
    assert x.shape == (4, 6 + 2 + 5 + 2 + 1)
    assert x.dtype == np.float32
    assert x[:, 0].tolist() == pytest.approx([-0.1, 1.0, -2.0, 3.0])  # public ages 30 and 50
    assert x[:, 6:8].tolist() == [[0, 1], [1, 0], [0, 0], [0, 1]]  # '?', Private; a workclass nobody public has


def test_the_group_is_no_feature(folder):
    adult = Adult(path=str(folder), public=4)
    split = adult.load("sex")
    assert split.private.group.tolist() == ["Male", "Female", "Male", "Male"]
    assert split.private.group.dtype.kind == "U"
    assert split.private.x.shape[1] == adult.load().private.x.shape[1] - 2


def test_sizes_of_what_is_published_and_columns_that_cannot_group(tmp_path):
    adult = Adult(path=str(tmp_path))
    assert adult.sizes() == Sizes(32561, 12000, 4281)
    with pytest.raises(ConfigError, match=r"cannot be grouped by 'income'; .*native-country"):
        adult.load("income")


def test_without_public_rows_there_is_nothing_to_fit_encoders_on(folder):
    assert Adult(path=str(folder), public=0).sizes() == Sizes(4, 0, 5)
    with pytest.raises(ConfigError, match="encoders are fitted on public data only"):
        Adult(path=str(folder), public=0).load()


def test_broken_lines_and_unknown_incomes_are_counted_not_shown(folder):
    path = folder / "adult.data"
    path.write_text(path.read_text() + "77, secret\n")
    with pytest.raises(ConfigError, match="1 of 5 lines") as broken:
        Adult(path=str(folder), public=4).load()
    assert "secret" not in str(broken.value)
    path.write_text(row(44, income="a-lot"))
    with pytest.raises(ConfigError, match="1 incomes are neither") as unknown:
        Adult(path=str(folder), public=4).load()
    assert "a-lot" not in str(unknown.value)
