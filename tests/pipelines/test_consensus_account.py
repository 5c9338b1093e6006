"""account for a consensus: nothing is drawn, no private record matters, and what it says is what a draw then costs."""

import numpy as np
import pytest
from pate.pipelines.artifacts import BASIS, FORECAST
from pate.pipelines.consensus_account import consensus_account

from pate.accounting.guarantee import remaining
from pate.errors import BudgetExceeded, ConfigError
from pate.workspace.store import Store

ALONE = ["methods=[consensus]", "n_jobs=1"]
ASK = ["stage=account", *ALONE, "consensus.epsilon=0.5"]
BRIEF = ["teachers=ridge", "teachers.count=20", "n_jobs=1"]


def made(found, tmp_path, ref, stage):
    return Store(tmp_path / "workspace").read(ref.side, stage, found["stages"][stage]["key"], ref.name, ref.kind)


def test_asked_alone_it_draws_nothing(run, entries, tmp_path):
    found = run(*ASK)
    assert set(found["stages"]) == {"check", "data", "features", "consensus_account"}
    assert not entries()
    assert not (tmp_path / "workspace/release/consensus").exists()
    (row,) = found["methods"]
    assert row["epsilon"] == row["epsilon_publishable"] == pytest.approx(0.5, rel=1e-6)
    assert row["relation"] == "one record replaced by nothing"
    assert row["accuracy"] is None
    (table,) = found["tables"]
    assert table["title"] == "What would consensus cost?"
    assert len(table["rows"]) == 8


def test_what_it_says_is_what_is_drawn_then(run, entries, tmp_path):
    before = run(*ASK)
    after = run(*ALONE, "consensus.epsilon=0.5", "stage=consensus_student")
    one, other = before["methods"][0], after["methods"][0]
    assert (one["epsilon"], one["relation"]) == (other["epsilon"], other["relation"])
    for name in ("epsilon_replace_one", "sigma", "components"):
        assert one["details"][name] == other["details"][name]
    assert made(after, tmp_path, BASIS, "basis").components == one["details"]["components"]
    (entry,) = entries()
    assert entry.release.cost.epsilon == one["epsilon"]


def test_other_private_records_change_no_bit_of_it(run, tmp_path):
    rng = np.random.default_rng(0)
    public = rng.normal(size=(150, 6)).astype(np.float32)
    told = []
    for name, spread in (("one", 1.0), ("two", 50.0)):
        place = tmp_path / name
        place.mkdir()
        np.savez(place / "private.npz", x=(spread * rng.normal(size=(200, 6))).astype(np.float32), y=np.arange(200) % 3)
        np.savez(place / "public.npz", x=public)
        np.savez(place / "test.npz", x=public[:50], y=np.arange(50) % 3)
        own = ["dataset=arrays", f"dataset.path={place}", "dataset.classes=[a,b,c]", "delta=1e-3"]
        told.append(made(run(*ASK, *own), tmp_path, FORECAST, "consensus_account"))
    assert told[0] == told[1]


def test_it_reads_nothing_of_the_private_side():
    assert {ref.side for ref in consensus_account.reads} == {"release"}


def test_beside_pate_its_ladder_comes_first_and_nothing_of_it_is_spent(run, entries):
    found = run("stage=account", *BRIEF, "consensus.epsilon=0.5")
    assert [row["name"] for row in found["methods"]] == ["pate", "consensus"]
    assert found["pate"]["epsilon"]
    assert found["methods"][1]["epsilon_publishable"] is None  # nobody has named it
    assert not any("consensus" in line for line in found["plan"])
    assert not entries()


def test_votes_from_a_file_bring_no_consensus_along(run, tmp_path):
    np.savez(tmp_path / "votes.npz", counts=np.eye(10, dtype=np.int64)[np.arange(50) % 10] * 100)
    found = run("stage=account", f"votes.path={tmp_path / 'votes.npz'}", "labels.queries=20", "labels.selection=first")
    assert "consensus_account" not in found["stages"]


def test_what_would_be_left_of_a_budget(run, entries):
    """As much as is left once it was drawn; and what would not fit is refused then."""
    strict = ["budget=strict", "budget.epsilon=1.8"]
    assert "budget of epsilon 1.800, delta 0.0001: 1.300 would be left" in run(*ASK, *strict)["plan"]
    run(*ALONE, "stage=consensus", "consensus.epsilon=1", *strict)
    plan = run(*ASK, *strict)["plan"]
    assert plan[0].startswith("would release consensus: epsilon 0.500")
    assert "epsilon 1.000 released so far" in plan[1]
    assert len(entries()) == 1
    left = run(*ALONE, "stage=consensus", "consensus.epsilon=0.5", *strict)["ledger"]["budget"]["remaining"]
    assert plan[2] == f"budget of epsilon 1.800, delta 0.0001: {remaining(left)} would be left"
    assert 0 < left < 0.8
    assert run("stage=account", *ALONE, "consensus.epsilon=1.1", *strict)["plan"][-1].endswith("it does not fit")
    with pytest.raises(BudgetExceeded):
        run(*ALONE, "stage=consensus", "consensus.epsilon=1.1", *strict)


def test_what_is_served_again_is_not_counted_twice(run):
    run(*ALONE, "stage=consensus", "consensus.epsilon=0.5")
    assert run(*ASK)["plan"][0] == "would release nothing"


def test_what_does_not_apply_is_said(pate):
    done = pate(*ASK, "labels.queries=50", "labels.selection=active", "aggregator.gamma=1", "account.target_epsilon=2")
    assert done.returncode == 0, done.stderr
    keys = "labels.queries, labels.selection, aggregator.gamma, account.target_epsilon"
    assert f"warning: {keys} do not apply: nothing of methods=[consensus] reads them" in done.stderr
    assert "What would consensus cost?" in done.stdout
    assert "signal to noise" in done.stdout


def test_groups_are_priced_as_groups(run, tmp_path):
    rng = np.random.default_rng(0)
    place = tmp_path / "people"
    place.mkdir()
    for side, rows in {"private": 300, "public": 200, "test": 50}.items():
        lines = [f"{rng.normal():.3f},{side}{i // 4},{i % 2}" for i in range(rows)]
        (place / f"{side}.csv").write_text("x,person,label\n" + "\n".join(lines))
    own = ["dataset=arrays", f"dataset.path={place}", "dataset.label=label", "dataset.classes=['0','1']", "delta=1e-4"]
    found = run(*ASK, *own, "partition.group_by=person", "consensus.clip=3")
    assert found["methods"][0]["relation"] == "all records of one person replaced by nothing"
    row = found["methods"][0]["details"]
    assert row["noise_of_an_entry"] == pytest.approx(3 * np.sqrt(0.5) * row["sigma"])


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (["dataset.public=0"], "public inputs"),
        (["consensus.epsilon=1e9"], "almost no noise"),
        (["consensus.components=5000"], "components=5000"),
    ],
)
def test_nonsense_is_one_clear_line(run, wrong, says):
    with pytest.raises(ConfigError, match=says) as told:
        run(*ASK, *wrong)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("stage", ["account", "quality"])
def test_a_method_without_an_answer_is_refused_as_before(run, stage):
    with pytest.raises(ConfigError, match=rf"stage={stage} is no part of methods=\[dpsgd\]"):
        run(f"stage={stage}", "methods=[dpsgd]", "dpsgd.epsilon=1")
