"""The columns stage, and what hangs on it: who pays by a column, rows that are most wrong. No draw hangs on it."""

import json

import pytest

from pate.errors import ConfigError

FAST = ("teachers=ridge", "teachers.count=5", "labels.queries=20", "student=supervised", "methods=[pate]", "n_jobs=1")


@pytest.fixture
def people(tmp_path):
    """Who is ill goes by age; sex is dropped from learning."""
    rows = [f"{20 + k % 60},{'FM'[k % 2]},{'yes' if k % 60 > 30 else 'no'}" for k in range(300)]
    (tmp_path / "people.csv").write_text("\n".join(["age,sex,ill", *rows]) + "\n")
    own = ["dataset=arrays", f"dataset.path={tmp_path / 'people.csv'}", "dataset.label=ill", "dataset.private=100"]
    return [*own, "dataset.public=100", "dataset.classes=[no,yes]", "dataset.drop=[sex]", "report.panel=false"]


def test_errors_by_a_dropped_column_add_up_to_all_errors_and_nothing_is_drawn_again(run, people, entries, tmp_path):
    first = run(*people)
    found = run(*people, "report.by=sex")
    assert first["by"] is None
    by, (row,) = found["by"], found["methods"]
    assert (by["column"], sorted(by["groups"]), sum(by["counts"])) == ("sex", ["F", "M"], 100)
    wrong = sum(count * one["error"] for count, one in zip(by["counts"], by["methods"]["pate"], strict=True))
    assert wrong == pytest.approx(100 * (1 - row["accuracy"]))
    for name in ("data", "encode", "votes", "labels", "student"):
        assert found["stages"][name]["key"] == first["stages"][name]["key"]
    assert found["stages"]["labels"]["reused"]
    assert len(entries()) == 1
    assert json.loads((tmp_path / "run" / "results.json").read_text())["by"] == by
    page = (tmp_path / "run" / "report.html").read_text()
    assert "Who pays, by sex" in page
    assert ("<span>age</span>" in page) == (wrong > 0)
    assert "<span>sex</span>" not in page  # dropped: no column of the rows


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), r"report.by=town: .*people.csv has no column of this name"),
        (("dataset=digits",), r"report.by=town: digits has no columns to report by"),
        (("dataset=adult",), r"report.by=town: adult has no such column; its columns are age, "),
    ],
)
def test_a_column_that_is_not_there_is_refused_before_anything_is_written(run, people, tmp_path, words, said):
    with pytest.raises(ConfigError, match=said):
        run(*(words or people), "report.by=town")
    assert not (tmp_path / "workspace").exists()
