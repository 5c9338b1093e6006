"""Budgets of one's own through the pipeline: read, kept, printed with all they are never without, refused elsewhere."""

from pathlib import Path

import numpy as np
import pytest

from pate.errors import ConfigError

ALONE = ["methods=[consensus]", "n_jobs=1", "consensus.epsilon=2"]
WISHES = ["partition.budget_by=wish", "partition.budgets={low: 0.2, high: 2}"]


@pytest.fixture
def table(tmp_path):
    """Two classes of numbers; every third record allows little, every seventh says something that was not declared."""
    rng = np.random.default_rng(0)
    (tmp_path / "own").mkdir()
    for side, rows in {"private": 900, "public": 300, "test": 150}.items():
        y = rng.integers(2, size=rows)
        wish = np.where(np.arange(rows) % 3 == 0, "low", np.where(np.arange(rows) % 7 == 0, "maybe", "high"))
        lines = [f"{x:.3f},{z:.3f},{w},{label}" for x, z, w, label in
                 zip(rng.normal(2 * y), rng.normal(-2 * y), wish, y, strict=True)]  # fmt: skip
        (tmp_path / f"own/{side}.csv").write_text("x,z,wish,label\n" + "\n".join(lines))
    return [
        "dataset=arrays", f"dataset.path={tmp_path / 'own'}", "dataset.label=label", "dataset.classes=['0','1']",
        "delta=1e-4",
    ]  # fmt: skip


def test_each_level_has_its_epsilon_on_results_card_and_ledger(run, entries, table, tmp_path):
    found = run(*ALONE, *table, *WISHES)
    row = next(row for row in found["methods"] if row["name"] == "consensus")
    assert row["accuracy"] > 0.8
    assert 1.999 < row["epsilon"] <= 2
    assert 0.199 < row["details"]["epsilon where wish is low"] <= 0.2
    assert 1.999 < row["details"]["epsilon where wish is high"] <= 2
    (entry,) = entries()
    assert entry.release.cost.epsilon == row["epsilon"]
    assert entry.release.parameters["budgets"] == {"wish": {"low": 0.2, "high": 2.0}}
    summary = found["stages"]["consensus"]["summary"]
    assert "where wish is low: epsilon 0.200 for every data set (publishable), delta 0.0001, one record" in summary
    run("stage=release", *ALONE, *table, *WISHES, f"output={tmp_path / 'out'}")
    card = (tmp_path / "out/MODEL_CARD.md").read_text()
    assert "a record whose wish is low" in card
    assert "epsilon 0.200 for every data set (publishable), delta 0.0001, one record replaced by nothing" in card
    assert "gave less of its answer" in card
    assert len(entries()) == 1


def test_other_budgets_are_another_draw_and_none_are_what_they_were(run, entries, table):
    keys = set()
    for wishes in ([], WISHES, [WISHES[0], "partition.budgets={low: 0.3, high: 2}"], WISHES):
        keys.add(run("stage=consensus", *ALONE, *table, *wishes)["stages"]["consensus"]["key"])
    assert len(keys) == len(entries()) == 3


@pytest.mark.parametrize("spelt", ["{high: 2.0, low: 0.2}", "{low : 0.20, high: 2}"])
def test_the_same_budgets_in_other_words_are_the_same_draw(run, entries, table, spelt):
    run("stage=consensus", *ALONE, *table, *WISHES)
    run("stage=consensus", *ALONE, *table, WISHES[0], f"partition.budgets={spelt}")
    assert len(entries()) == 1


def test_cells_of_several_types_can_be_declared(run, table):
    run("stage=check", *ALONE, *table, WISHES[0], "partition.budgets={0: 0.1, low: 0.2, true: 1}")


def test_who_says_nothing_that_was_declared_reaches_nothing(run, table, tmp_path):
    """The cells' records are taken away, each by its position: the sum with the same noise is the same to the bit."""
    totals = []
    for name in ("with", "without"):
        file = tmp_path / "own/private.csv"
        if name == "without":
            head, *rows = file.read_text().splitlines()
            file.write_text("\n".join([head, *("1e6,-1e6,other,0" if ",maybe," in row else row for row in rows)]))
        run("stage=consensus", *ALONE, *table, *WISHES, "noise.seed=1", f"workspace={tmp_path / name}")
        (stored,) = (tmp_path / name / "evaluation/consensus").glob("*/consensus.npz")
        totals.append(np.load(stored)["total"])
    assert np.array_equal(*totals)


def test_quality_and_account_know_them(run, table):
    found = run("stage=quality", *ALONE, *table, *WISHES)
    assert "right at epsilon 2" in found["stages"]["consensus_quality"]["summary"]
    told = run("stage=account", *ALONE, *table, *WISHES)["stages"]["consensus_account"]["summary"]
    assert "as if every 'wish' allowed all of it: epsilon 2.000" in told


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ([WISHES[0]], "partition.budgets say which epsilon"),
        ([WISHES[1]], "partition.budget_by names the column"),
        ([WISHES[0], "partition.budgets={low: 0}"], "partition.budgets must be positive epsilons, got low: 0"),
        ([WISHES[0], "partition.budgets={low: 3}"], "partition.budgets: low allows 3, and nobody spends more than"),
        ([*WISHES, "partition.group_by=wish"], "partition.budget_by and group_by are both wish"),
        ([*WISHES, "consensus=clusters"], "partition.budget_by: budgets of one's own are for consensus=kernel"),
        (
            [*WISHES, "methods=[consensus,dpsgd]", "dpsgd.epsilon=2"],
            "dpsgd would spend a whole epsilon on every record",
        ),
        (["partition.budget_by=mood", WISHES[1]], "no 'mood' to read budgets from"),
    ],
)
def test_nonsense_is_one_clear_line_and_spends_nothing(run, entries, table, wrong, says):
    with pytest.raises(ConfigError, match=says) as told:
        run(*ALONE, *table, *wrong)
    assert "\n" not in str(told.value)
    assert not entries()


def test_pate_does_not_keep_them(settings):
    with pytest.raises(ConfigError, match="pate and dpsgd would spend"):
        settings("dataset=digits", *WISHES)


def test_a_page_that_may_leave_says_what_each_cell_means(run, table, tmp_path):
    found = run(*ALONE, *table, *WISHES, "report.audience=public")
    page = Path(found["public_page"]).read_text()
    assert "budget_by" in page
    assert "maybe" not in page
    promised = "where wish is low: epsilon 0.200 for every data set (publishable), delta 0.0001, one record replaced"
    assert any(promised in note for note in found["notes"])
