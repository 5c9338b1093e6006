"""The check stage: the owner's data looked at before anything is trained or drawn."""

import pytest


@pytest.fixture
def people(tmp_path):
    """A table in which a column names people."""
    rows = [f"{age},person-{age:04},{'yes' if age > 50 else 'no'}" for age in range(20, 90)]
    (tmp_path / "people.csv").write_text("\n".join(["age,who,ill", *rows]) + "\n")
    own = ["dataset=arrays", f"dataset.path={tmp_path / 'people.csv'}", "dataset.label=ill", "dataset.private=40"]
    small = ["labels.queries=5", "teachers.count=5", "dpsgd.lot=10"]
    return [*own, *small, "dataset.public=20", "dataset.classes=[no,yes]", "dataset.keep=[age]", "stage=data"]


def test_a_column_that_names_people_is_told_of_until_it_is_dropped(run, people, caplog):
    assert run(*people)["stages"]["check"]["summary"] == "2 columns, 1 to be said"
    assert "column who has 20 values on 20 public rows, like an identifier" in caplog.text
    assert run(*people, "dataset.drop=[who]")["stages"]["check"]["summary"] == "1 columns, nothing to be said"


def test_a_benchmark_has_nothing_to_be_said(run):
    assert run("stage=data")["stages"]["check"]["summary"] == "nothing to be said"
