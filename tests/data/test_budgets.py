"""What a record allows is what its own cell says, as declared beforehand."""

import numpy as np
import pytest

from pate.data.arrays import Arrays
from pate.data.budgets import Budgets
from pate.data.digits import Digits
from pate.data.split import Private
from pate.errors import ConfigError


def test_a_cell_allows_what_was_declared_of_it_and_others_allow_nothing():
    budgets = Budgets.of("wish", {"low": 0.1, " high": 1, 3: 0.5})
    cells = ["low", "high ", "high", 3, 3.0, "3", "middle", "", None, float("nan"), "LOW"]
    assert budgets.allowed(cells).tolist() == [0.1, 1, 1, 0.5, 0.5, 0.5, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("other", [True, 2, 2.5, False])
def test_another_records_type_changes_no_cells_meaning(tmp_path, other):
    """An array stores truths beside a number as numbers."""
    file = tmp_path / "all.npz"
    np.savez(
        file, x=np.arange(6.0)[:, None], y=np.arange(6) % 2, wish=np.array([True, True, False, True, False, other])
    )
    split = Arrays("own", str(file), private=6, public=0, test=0, classes=["0", "1"])
    private = split.split(None, Budgets.of("wish", {True: 1.0, "false": 0.5})).private
    own = dict(zip(private.x[:, 0].tolist(), private.allowed.tolist(), strict=True))
    assert [own[place] for place in range(5)] == [1.0, 1.0, 0.5, 1.0, 0.5]


def test_budgets_are_kept_with_the_records(own):
    private = own.load(None, Budgets("wish", {"low": 0.1, "high": 1.0})).private
    assert Private.join(*private.split()).allowed.tolist() == [0.1, 1.0, 0.0, 0.0]
    assert "allowed" not in {**own.load().private.split()[0], **own.load().private.split()[1]}


@pytest.mark.parametrize(
    ("column", "epsilons", "said"),
    [
        (None, {"low": 1}, "budget_by"),
        ("wish", None, "budgets"),
        ("wish", {}, "budgets"),
        ("wish", {"low": 0}, "budgets must be positive"),
        ("wish", {"low": -1.0}, "budgets must be positive"),
        ("wish", {"low": float("nan")}, "budgets must be positive"),
        ("wish", {"low": float("inf")}, "budgets must be positive"),
        ("wish", {"low": True}, "budgets must be positive"),
        ("wish", {"low": "much"}, "budgets must be positive"),
    ],
)
def test_half_of_it_and_nonsense_is_refused(column, epsilons, said):
    with pytest.raises(ValueError, match=f"^{said}"):
        Budgets.of(column, epsilons)


def test_nothing_is_nothing():
    assert Budgets.of(None, None) is None


TABLE = "age,wish,sick\n30,low,0\n40,high,1\n50,,1\n60,other,0\n"


@pytest.fixture
def own(tmp_path):
    for side in ("private", "public", "test"):
        (tmp_path / f"{side}.csv").write_text(TABLE)
    return Arrays("own", str(tmp_path), label="sick", classes=["0", "1"])


def test_a_column_is_read_from_private_records_and_learned_from_by_nobody(own):
    split = own.load(None, Budgets("wish", {"low": 0.1, "high": 1.0}))
    assert split.private.allowed.tolist() == [0.1, 1.0, 0.0, 0.0]
    assert split.private.x.shape[1] == split.public.x.shape[1] == 1
    assert own.load().private.allowed is None


def test_one_cell_changed_changes_one_records_budget(own, tmp_path):
    (tmp_path / "private.csv").write_text(TABLE.replace("40,high", "40,low"))
    assert own.load(None, Budgets("wish", {"low": 0.1, "high": 1.0})).private.allowed.tolist() == [0.1, 0.1, 0.0, 0.0]


def test_in_one_file_budgets_stay_with_their_records(tmp_path):
    file = tmp_path / "all.npz"
    rng = np.random.default_rng(0)
    np.savez(file, x=np.arange(40.0)[:, None], y=rng.integers(2, size=40), wish=np.arange(40))
    whole = Arrays("own", str(file), private=20, public=10, test=10, classes=["0", "1"])
    split = whole.load(None, Budgets("wish", {str(number): 1.0 + number for number in range(40)}))
    assert split.private.allowed.tolist() == (1 + split.private.x[:, 0]).tolist()


@pytest.mark.parametrize(
    ("column", "said"), [("mood", "no 'mood' to read budgets from"), ("sick", "'sick' is no budget")]
)
def test_a_column_that_is_not_there_or_says_something_else(own, column, said):
    with pytest.raises(ConfigError, match=said):
        own.load(None, Budgets(column, {"low": 1.0}))


def test_a_data_set_without_such_a_column_says_so():
    with pytest.raises(ConfigError, match="digits has no column"):
        Digits("digits").load(None, Budgets("wish", {"low": 1.0}))


@pytest.mark.parametrize(
    "twice", [{"1": 0.1, "true": 1.0}, {"low": 0.1, " low ": 1.0}, {"1e3": 0.1, "1000": 0.1}, {3: 0.1, 3.5: 1, "3": 1}]
)
def test_one_cell_declared_twice_is_refused_and_none_of_both_wins(twice):
    with pytest.raises(ValueError, match=r"^budgets: .* are one cell"):
        Budgets.of("wish", twice)


@pytest.mark.parametrize("other", [["low"], 3, "low: 1"])
def test_what_is_no_mapping_is_refused(other):
    with pytest.raises(ValueError, match=r"^budgets say which epsilon"):
        Budgets.of("wish", other)
