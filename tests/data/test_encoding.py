"""Encoders learn from public rows and from nothing else."""

import json

import numpy as np
import pytest
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from pate.data.encoding import Columns, encoded
from pate.data.records import Pool
from pate.data.split import assemble
from pate.data.table import tabulated
from pate.errors import ConfigError


def table(ages, towns):
    return tabulated({"age": np.array(ages, object), "town": np.array(towns, object)})


def split(private, public, test):
    pools = (Pool(rows, np.zeros(len(rows), np.int64)) for rows in (private, public, test))
    return assemble(*pools, ["a", "b"])


PRIVATE = table(["30", "60", "oops"], ["Bern", "Oslo", "Rome"])
PUBLIC = table(["20", "40"] * 2, ["Bern", "Rome"] * 2)
TEST = table(["30"], ["Bern"])


def test_numbers_are_standardised_and_categories_one_hot():
    result = encoded(split(PRIVATE, PUBLIC, TEST))
    # public mean 30, sd 10; public towns Bern, Rome
    assert result.private.x.tolist() == [[0, 1, 0], [3, 0, 0], [0, 0, 1]]
    assert result.public.x.tolist() == [[-1, 1, 0], [1, 0, 1]] * 2
    assert result.test.x.tolist() == [[0, 1, 0]]
    assert result.private.x.dtype == result.public.x.dtype == result.test.x.dtype == np.float32


def test_changing_a_private_row_leaves_encoders_and_all_other_rows_bit_for_bit():
    before = encoded(split(PRIVATE, PUBLIC, TEST))
    for age, town in [("1e9", "Bern"), ("text", "a new town"), ("", ""), ("nan", "Rome"), ("-inf", "Oslo")]:
        after = encoded(split(table(["30", age, "oops"], ["Bern", town, "Rome"]), PUBLIC, TEST))
        assert after.private.x[[0, 2]].tobytes() == before.private.x[[0, 2]].tobytes()
        assert after.public.x.tobytes() == before.public.x.tobytes()
        assert after.test.x.tobytes() == before.test.x.tobytes()
        assert np.isfinite(after.private.x).all()


def test_what_is_no_finite_number_becomes_the_public_mean():
    encoder = Columns.fit(PUBLIC)
    rows = encoder.transform(table(["?", "", "inf", "nan"], ["Bern"] * 4))
    assert rows[:, 0].tolist() == [0, 0, 0, 0]


def test_it_is_what_scikit_learn_makes_of_the_columns():
    rng = np.random.default_rng(0)
    ages = rng.normal(40, 12, 200).round(1)
    text = np.where(rng.random(200) < 0.1, "", ages.astype(str)).astype(object)
    towns = rng.choice(["Bern", "Oslo", "Rome"], 200).astype(object)
    missing = np.array([float(cell) if cell else np.nan for cell in text])[:, None]
    peer = make_pipeline(SimpleImputer(), StandardScaler()).fit(missing[:100]).transform(missing)
    onehot = OneHotEncoder(sparse_output=False).fit(towns[:100, None]).transform(towns[:, None])
    rows = table(text, towns)
    np.testing.assert_allclose(Columns.fit(rows[:100]).transform(rows), np.hstack([peer, onehot]), atol=1e-5)


def test_an_absurd_number_stays_finite():
    assert Columns.fit(PUBLIC).transform(table(["1e300"], ["Bern"]))[0, 0] == 1e6


def test_a_column_is_numeric_when_its_public_cells_are_numbers_or_blank():
    public = tabulated(
        {
            "filled": np.array(["1", "2.5"], object),
            "gap": np.array(["1", ""], object),
            "text": np.array(["1", "x"], object),
            "blank": np.array(["", ""], object),
            "stored": np.array([1.0, np.nan]),
        }
    )
    encoder = Columns.fit(public)
    assert [name for name, *_ in encoder.numeric] == ["filled", "gap", "stored"]
    assert [name for name, _ in encoder.categorical] == ["text", "blank"]


def test_a_category_that_one_public_row_alone_has_is_not_published():
    encoder = Columns.fit(table(["1", "2", "3", "4"], ["Bern", "Bern", "a rare disease", ""]))
    assert encoder.categorical == [("town", ["Bern"])]


def test_dates_are_days_standardised_and_what_is_carried_reads_back():
    seen = tabulated({"seen": np.array(["2020-01-01", "2020-01-03"], object), "age": np.array([1.0, 3.0])})
    encoder = Columns.fit(seen)
    assert encoder.dates == [("seen", 18263.0, 1.0)]  # 50 years and 13 leap days, and one more
    rows = tabulated({"seen": np.array(["2020-01-05T12:00", "soon", ""], object), "age": np.array([2.0, 2.0, 5.0])})
    assert encoder.transform(rows).tolist() == [[0, 3.5], [0, 0], [3, 0]]
    assert Columns.of(json.loads(json.dumps(encoder.plain))) == encoder
    assert "dates" not in Columns.fit(PUBLIC).plain  # carried as they always were
    assert encoder.unread(rows) == {"age": (0, 0), "seen": (1, 1)}


def test_a_table_of_nothing_in_common_is_refused():
    with pytest.raises(ConfigError, match="no column holds numbers, dates or a category that two public rows share"):
        Columns.fit(tabulated({"name": np.array(["a", "b"], object)}))


def test_text_in_a_private_column_does_not_make_it_a_category():
    assert Columns.fit(PUBLIC).numeric == [("age", 30, 10)]
    assert encoded(split(table(["x", "y"], ["Bern", "Bern"]), PUBLIC, TEST)).private.x.shape == (2, 3)


def test_a_column_that_is_constant_in_public_does_not_divide_by_zero():
    rows = Columns.fit(table(["5", "5"], ["Bern", "Rome"])).transform(table(["5", "7"], ["Bern", "Rome"]))
    assert rows[:, 0].tolist() == [0, 2]


def test_numbers_stored_as_numbers_meet_categories_stored_as_text():
    public = tabulated({"code": np.array(["1", "b"] * 2, object)})
    assert Columns.fit(public).transform(tabulated({"code": np.array([1, 2])})).tolist() == [[1, 0], [0, 0]]


def test_empty_sides_keep_their_width():
    result = encoded(split(PRIVATE[:0], PUBLIC, TEST[:0]))
    assert result.private.x.shape == (0, 3)
    assert result.test.x.shape == (0, 3)


def test_without_public_rows_nothing_can_be_fitted():
    with pytest.raises(ConfigError, match="encoders are fitted on public data only"):
        encoded(split(PRIVATE, PUBLIC[:0], TEST))
