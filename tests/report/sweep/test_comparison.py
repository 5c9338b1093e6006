"""Runs of different times beside each other: what sets them apart, what must not be mixed, what is refused."""

import csv
import json
import os
import stat

import numpy as np
import pytest
from scipy import stats

from pate.errors import ConfigError
from pate.evaluation.measure import of
from pate.evaluation.results_file import read_results
from pate.report.sweep.comparison import compare, print_comparison, runs_of, told_apart
from pate.workspace.typed_json import to_json
from tests.report.sweep.made_up import facts, method, ran


def compared(tmp_path, *folders, epsilon=None):
    out = tmp_path / "out"
    out.mkdir()
    jobs, found = compare(folders, epsilon, out)
    print_comparison(jobs, found)
    return to_json(found)


def test_runs_that_differ_in_seeds_and_workspace_only_are_one_line(tmp_path, capsys):
    accuracies = (0.91, 0.94, 0.9)
    folders = [
        ran(tmp_path / str(n), changes={"seed": n, "workspace": f"w{n}", "n_jobs": n + 1}, accuracy=share)
        for n, share in enumerate(accuracies)
    ]
    found = compared(tmp_path, *folders)
    (group,) = found["groups"]
    assert group["means"]["pate_accuracy"]["value"] == pytest.approx(np.mean(accuracies))
    assert group["means"]["pate_accuracy"]["error"] == pytest.approx(stats.sem(accuracies))
    assert f"{np.mean(accuracies):.2%} ± {stats.sem(accuracies):.2%}" in capsys.readouterr().out
    for name in ("compare.csv", "compare.json"):
        assert stat.S_IMODE((tmp_path / "out" / name).stat().st_mode) == 0o600
    with open(tmp_path / "out" / "compare.csv", newline="") as file:
        assert [float(row["pate_accuracy"]) for row in csv.DictReader(file)] == list(accuracies)
    assert json.loads((tmp_path / "out" / "compare.json").read_text()) == found


def test_lines_are_named_by_what_sets_their_configurations_apart(tmp_path):
    other = {"_target_": "pate.students.krr.KRR", "width": 3.0}
    jobs = told_apart(
        runs_of(
            [
                ran(tmp_path / "a"),
                ran(tmp_path / "b", changes={"student.inverse_penalty": 2.0}),
                ran(tmp_path / "c", changes={"student": other, "labels.queries": 50}),
            ]
        )
    )
    assert [one.overrides for one in jobs] == [
        {"student": "Supervised", "student.inverse_penalty": "1", "labels.queries": "100"},
        {"student": "Supervised", "student.inverse_penalty": "2", "labels.queries": "100"},
        {"student": "KRR", "labels.queries": "50"},
    ]


def test_a_run_named_twice_or_made_of_anothers_stages_is_no_repetition(tmp_path):
    first = ran(tmp_path / "a", key="same")
    again = ran(tmp_path / "b", key="same")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    found = compared(tmp_path, first, again, str(tmp_path / "link"), f"{first}/../a")
    assert len(found["jobs"]) == 1
    assert found["notes"] == ["1 of the runs took every stage from another one: counted once"]


def test_different_data_sets_deltas_and_relations_are_shown_and_said(tmp_path, capsys):
    person = "all records of one patient replaced by nothing"
    folders = [
        ran(tmp_path / "a"),
        ran(tmp_path / "b", changes={"dataset.name": "mnist", "delta": 1e-5}, delta=1e-5, relation=person),
    ]
    found = compared(tmp_path, *folders)
    out = " ".join(capsys.readouterr().out.split())
    assert "different data sets (digits, mnist): scores on different test inputs do not compare" in out
    assert "different deltas (1e-05, 0.0001): epsilons under different ones do not compare" in out
    assert f"different neighbouring relations ({person}, one record replaced by nothing)" in out
    for heading in ("dataset", "PATE delta", "PATE neighbours", "mnist", "1e-05"):
        assert heading in out
    assert all(len(kind["points"]) == 1 for kind in found["frontier"]["kinds"])


def test_a_sweep_stands_for_its_jobs_and_names_those_that_did_not_finish(tmp_path, capsys):
    for n in (10, 9):
        ran(tmp_path / "sweep" / str(n), changes={"seed": n})
    (tmp_path / "sweep" / "2").mkdir()
    (tmp_path / "sweep" / "2" / "unfinished.json").write_text(json.dumps({"error": "why", "resume": "pate seed=2"}))
    (tmp_path / "sweep" / "multirun.yaml").write_text("")
    found = compared(tmp_path, str(tmp_path / "sweep"))
    assert [row["finished"] for row in found["jobs"]] == [True, True, False]
    assert [row["job"].rpartition("/")[2] for row in found["jobs"]] == ["9", "10", "2"]
    assert f"did not finish: {tmp_path / 'sweep' / '2'}: why" in capsys.readouterr().out
    with pytest.raises(ConfigError, match="2 did not finish: why"):
        runs_of([str(tmp_path / "sweep" / "2")])


DAMAGE = {
    "is damaged or no JSON": b"{",
    "is no results.json of this program": b"[]",
    "is damaged or no results.json": json.dumps(facts(methods=[method(epsilon="much")])).encode(),
    "holds control characters": json.dumps(facts(notes=["\x1b[31mred"])).encode(),
}


@pytest.mark.parametrize("problem", DAMAGE)
def test_a_damaged_run_is_named(tmp_path, problem):
    (tmp_path / "results.json").write_bytes(DAMAGE[problem])
    with pytest.raises(ConfigError, match=f"results.json {problem}"):
        runs_of([str(tmp_path)])


def test_what_is_no_folder_of_a_run_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").mkdir()
    (tmp_path / "sweep").mkdir()
    (tmp_path / "sweep" / "sweep.json").write_text("[]")
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / "results.json")
    for name, words in {
        "nothing": "is no folder", "file": "is no folder", "x" * 5000: "is no folder", "": "holds neither",
        "empty": "holds neither results.json", "sweep": "no job has finished", "pipe": "is no regular file",
    }.items():  # fmt: skip
        with pytest.raises(ConfigError, match=words):
            runs_of([f"{tmp_path}/{name}"])


def test_one_measure_decides_for_all_and_runs_without_it_are_said(tmp_path, capsys):
    folders = [ran(tmp_path / name) for name in "ab"]
    file = tmp_path / "b" / "results.json"
    found = to_json(read_results(file))
    found["methods"][0]["metrics"]["balanced_accuracy"] = 0.7
    found["measure"] = to_json(of("balanced_accuracy", "94% of the noisy labels are `no`"))
    file.write_text(json.dumps(found))
    told = compared(tmp_path, *folders)
    assert told["frontier"]["measure"]["name"] == "balanced_accuracy"
    assert [[one["score"]["value"] for one in kind["points"]] for kind in told["frontier"]["kinds"]] == [[0.7], [0.7]]
    without = "1 of the runs have no balanced accuracy, by which models are compared: they take no part in that"
    assert without in told["notes"]
    out = " ".join(capsys.readouterr().out.split())
    assert "models are compared by balanced accuracy: 94% of the noisy labels are `no`" in out
    assert "70.00%" in out
    _, asked = compare(folders, None, tmp_path / "out", "accuracy")
    assert asked.frontier.measure.name == "accuracy"
    assert asked.frontier.kinds[0].points[0].score.runs == 2


def test_recalls_of_different_classes_are_said_not_to_compare(tmp_path):
    asked = {"metric": "recall_at", "positive": "ill", "false_positives": 0.05}
    folders = [ran(tmp_path / name, changes={"compare": asked | {"positive": name}}) for name in "ab"]
    found = compare(folders, None, tmp_path, "recall_at")[1]
    assert any("asked about different classes or rates" in note for note in found.notes)
    alike = compare([folders[0], folders[0]], None, tmp_path, "recall_at")[1]
    assert not any("different classes" in note for note in alike.notes)
    assert not any("different classes" in note for note in compare(folders, None, tmp_path)[1].notes)
