"""What is written and printed of a curve: every point with its terms, every hole with its reason."""

import csv
import json

from pate.evaluation.curve import curve
from pate.report.sweep.curve import FILE, curve_page, print_curve, write_curve
from tests.evaluation.curves import made_up
from tests.report.sweep.made_up import words


def test_the_table_has_a_line_an_epsilon_and_says_all_they_are_never_without(capsys):
    print_curve(made_up())
    said = words(capsys)
    assert "│ 0.1 │ 60.0% ± 1.0% │ - │ - │" in said
    assert "│ 1 │ 80.0% ± 1.0% │ 70.0% ± 1.0% │ 7 │" in said
    for part in (
        "bound: 99.0%", "always a: 30.0% ± 2.0%", "delta 1e-05", "one record replaced by nothing",
        "left out at epsilon 0.1: votes: no noise is <enough>", "epsilon 8, seed 0, did not finish: the <disk> is full",
        "nothing was released", "covered by no epsilon", "note: a note",
    ):  # fmt: skip
        assert part in said


def test_the_page_escapes_what_it_is_told_and_has_the_picture():
    text = curve_page(made_up())
    assert "the &lt;disk&gt; is full" in text
    assert "no noise is &lt;enough&gt;" in text
    assert "<disk>" not in text
    assert 'id="curve-title"' in text
    assert "Do not publish it" in text
    assert "covered by no epsilon" in text
    assert "accuracy against epsilon of sums and votes" in text
    assert "70.0% ± 1.0%" in text


def test_files_are_the_owners_and_agree(tmp_path):
    write_curve(made_up(), tmp_path)
    names = {one.name for one in tmp_path.iterdir()}
    assert names == {FILE, "curve.csv", "curve.svg", "curve.png", "report.html"}
    assert all(one.stat().st_mode & 0o077 == 0 for one in tmp_path.iterdir())
    kept = json.loads((tmp_path / FILE).read_text())
    with (tmp_path / "curve.csv").open() as handle:
        table = [one for one in csv.DictReader(handle) if one["epsilon"]]
    points = [(line["method"], point["score"]) for line in kept["lines"] for point in line["points"]]
    assert points == [(one["method"], float(one["score"])) for one in table]


def test_where_every_point_failed_there_is_no_picture(tmp_path):
    write_curve(curve("toy", [], [1.0], [0]), tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == [FILE]
