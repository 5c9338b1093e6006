"""Whole runs and the ledger: what is served, what is spent, what is refused, what is shown."""

import json

import numpy as np
import pytest

import pate

FAST = ["teachers=ridge", "teachers.count=10", "student=supervised", "labels.queries=20", "n_jobs=1"]


def test_more_queries_cost_only_the_new_ones(run, entries):
    run("stage=labels")
    run("stage=labels")
    assert [entry.release.parameters["answers"] for entry in entries()] == [20]
    run("stage=labels", "labels.queries=25")
    run("stage=labels", "labels.queries=15")
    assert [entry.release.parameters["answers"] for entry in entries()] == [20, 5]
    assert all(entry.status == "released" for entry in entries())


def test_answers_are_the_same_wherever_they_are_served(run, tmp_path):
    run("stage=labels")
    run("stage=labels", "labels.queries=30")
    said = {}
    for file in (tmp_path / "workspace" / "release" / "labels").glob("*/labels.npz"):
        with np.load(file) as labels:
            for query, answer in zip(labels["index"].tolist(), labels["label"].tolist(), strict=True):
                assert said.setdefault(query, answer) == answer
    assert len(said) == 30


def test_active_rounds_are_entries_each_and_have_no_price_for_this_data_set(run, entries):
    run("stage=labels", "labels.selection=active", "labels.rounds=3", "student=supervised")
    assert [entry.release.parameters["answers"] for entry in entries()] == [7, 7, 6]
    assert all(entry.release.dependent is None for entry in entries())


def test_another_student_asks_its_first_round_for_nothing(run, entries):
    run("stage=labels", "labels.selection=active", "labels.rounds=2")
    run("stage=labels", "labels.selection=active", "labels.rounds=2", "student=self_training")
    answers = [entry.release.parameters["answers"] for entry in entries()]
    assert answers[:2] == [10, 10]
    assert sum(answers[2:]) <= 10


def test_dpsgd_and_labels_of_one_data_set_add_up_and_seeded_noise_stands_apart(run, tmp_path):
    run("stage=labels")
    run("stage=dpsgd", "dpsgd.epsilon=1", "dpsgd.epochs=1")
    run("stage=labels", "noise.seed=3")
    found = run("stage=ledger")
    (account,) = found["accounts"]
    assert account["name"] == "digits"
    assert account["releases"] == 2
    assert account["evaluations"] == 1
    own = [line["epsilon"] for line in found["entries"] if line["scope"] == "release"]
    assert max(own) < account["epsilon"] < 1.3 * sum(own)
    assert account["this_data_set"] is None  # two runs: the second may have been chosen after the first
    assert [plan["releases"] for plan in account["plans"]] == [1, 1]
    assert account["relation"] == "one record replaced by nothing"
    assert json.loads((tmp_path / "run" / "ledger.json").read_text())["accounts"][0]["releases"] == 2


def test_strict_budgets_refuse_with_exit_code_3_and_draw_nothing(pate, tmp_path):
    done = pate(*FAST, "stage=labels", "budget=strict", "budget.epsilon=0.5")
    assert done.returncode == 3
    assert "nothing was drawn" in done.stderr
    assert not (tmp_path / "workspace" / "private" / "teachers").exists()  # said before any teacher was trained
    assert not (tmp_path / "workspace" / "release" / "labels").exists()
    assert "to resume" not in done.stderr
    done = pate(*FAST, "stage=labels", "budget=strict", "budget.epsilon=9", "aggregator.gamma=0.05")
    assert done.returncode == 0, done.stderr
    assert "1 release from account digits" in done.stdout
    shown = pate("stage=ledger", "budget.epsilon=9")
    assert shown.returncode == 0, shown.stderr
    for words in ("account digits", "20 answers", "released", "for every data set (publishable)", "remains", "delta"):
        assert words in shown.stdout


def test_the_same_records_under_another_name_are_refused(run):
    run("stage=labels")
    with pytest.raises(pate.errors.ConfigError, match=r"budget\.account=digits"):
        run("stage=labels", "budget.account=somebody", "force=[labels]")


def test_stored_labels_are_not_another_accounts(run):
    run("stage=student")
    with pytest.raises(pate.errors.ConfigError, match=r"budget\.account=digits"):
        run("stage=release", "budget.account=other")


def clinics(tmp_path, *names):
    """Tables on which any teachers agree, so that whatever is declared, the votes are the same."""
    rng = np.random.default_rng(3)
    for name in names:
        folder = tmp_path / name
        folder.mkdir()
        for side, count in (("private", 80), ("public", 30), ("test", 20)):
            ill = np.arange(count) % 2
            dose = ill * 100 + (rng.normal(size=count) if side == "private" else np.linspace(0, 1, count))
            rows = [
                f"{d:.6f},{side[:2]}{i // 4},{['well', 'ill'][one]}"
                for i, (d, one) in enumerate(zip(dose, ill, strict=True))
            ]
            (folder / f"{side}.csv").write_text("\n".join(["dose,who,state", *rows]) + "\n")
    return [
        ["dataset=arrays", f"dataset.path={tmp_path / name}", "dataset.label=state", "dataset.classes=[well,ill]"]
        for name in names
    ]


def test_whether_an_answer_is_served_hangs_on_what_was_declared_and_not_on_votes_alone(run, entries, tmp_path):
    here, there = clinics(tmp_path, "here", "there")
    run("stage=labels", "budget.account=here", *here)
    run("stage=labels", "budget.account=there", *there)  # the same votes, and other people
    assert [entry.spender.account for entry in entries()] == ["here", "there"]
    run("stage=labels", "budget.account=here", *here, "partition.group_by=who")  # another promise
    assert entries()[-1].release.relation == "all records of one who replaced by nothing"
    run("stage=labels", "budget.account=here", *here, "teachers=logistic", "teachers.count=10")
    assert len(entries()) == 4
    found = run("stage=labels", "budget.account=here", *here)
    assert len(entries()) == 4
    assert found["stages"]["labels"]["reused"]


def test_the_same_table_is_recognised_whatever_public_rows_taught_its_encoder(run, tmp_path):
    (here,) = clinics(tmp_path, "here")
    run("stage=labels", "budget.account=here", *here)
    public = tmp_path / "here" / "public.csv"
    public.write_text("\n".join(public.read_text().splitlines()[:-5]) + "\n")
    with pytest.raises(pate.errors.ConfigError, match=r"budget\.account=here"):
        run("stage=labels", "budget.account=second", *here)


def test_nothing_the_ledger_warns_of_is_published(run, tmp_path):
    run("stage=labels")
    found = run("stage=release", "dataset.seed=1", "budget.epsilon=0.5", f"output={tmp_path / 'leaves'}")
    assert any("changed" in note for note in found["notes"])
    assert any("is missing" in note for note in found["notes"])
    for file in ("MODEL_CARD.md", "manifest.json"):
        text = (tmp_path / "leaves" / file).read_text()
        assert "changed" not in text
        assert "missing" not in text
    card = (tmp_path / "leaves" / "MODEL_CARD.md").read_text()
    assert "neighbours one record replaced by nothing" in card


def test_the_releasable_side_tells_no_time_and_no_digest_of_private_stages(run, tmp_path):
    run("stage=student")
    for stage in ("data", "labels"):
        (manifest,) = (tmp_path / "workspace" / "release" / stage).glob("*/manifest.json")
        about = json.loads(manifest.read_text())["about"]
        assert about["seconds"] == 0
        assert "content" not in about
    again = run("stage=student")
    assert again["stages"]["labels"]["seconds"] > 0


def test_a_forced_run_that_was_refused_forces_nothing_later(run, entries):
    run("stage=labels")
    with pytest.raises(pate.errors.ConfigError):
        run("stage=labels", "budget.account=zzz", "force=[labels]")
    run("stage=labels")
    assert len(entries()) == 1


def test_prices_for_this_data_set_say_when_queries_came_in_several_runs(run):
    words = "asked in several runs"
    assert not any(words in note for note in run("stage=student")["notes"])
    assert any(words in note for note in run("stage=student", "labels.queries=25")["notes"])


def test_rounds_fit_a_budget_as_rounds(run, entries):
    active = ["stage=labels", "labels.selection=active", "budget=strict"]
    with pytest.raises(pate.errors.BudgetExceeded):
        run(*active, "budget.epsilon=4.3")
    assert entries() == []


def test_other_records_under_the_same_name_add_up_with_a_warning(run):
    run("stage=labels")
    found = run("stage=labels", "dataset.seed=1")
    assert any("private data of account digits changed" in note for note in found["notes"])
    assert found["ledger"]["releases"] == 2


@pytest.mark.slow
def test_jobs_of_one_sweep_were_fixed_in_advance(pate, tmp_path):
    done = pate("-m", *FAST, "stage=labels", "aggregator.gamma=0.05,0.1", "hydra.sweep.dir=sweep")
    assert done.returncode == 0, done.stderr
    pate("-m", *FAST, "stage=labels", "noise.seed=1,2", "hydra.sweep.dir=sweep")  # evaluation: no release
    (account,) = json.loads(run_ledger(pate, tmp_path).read_text())["accounts"]
    assert account["releases"] == 2
    assert 0 < account["this_data_set"]["epsilon"] < account["epsilon"]
    assert account["this_data_set"]["publishable"] is False
    pate("-m", *FAST, "stage=labels", "aggregator.gamma=0.02,0.1", "hydra.sweep.dir=sweep")  # one job is served
    (account,) = json.loads(run_ledger(pate, tmp_path).read_text())["accounts"]
    assert account["releases"] == 3
    assert account["this_data_set"] is None


def run_ledger(pate, tmp_path):
    done = pate("stage=ledger", "hydra.run.dir=shown")
    assert done.returncode == 0, done.stderr
    return tmp_path / "shown" / "ledger.json"
