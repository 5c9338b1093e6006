"""predict.py runs on the folder alone, with numpy and onnxruntime, and answers as `pate stage=predict` does."""

import csv
import json
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pate.aggregation.lnmax import LNMax
from pate.data.encoding import Columns
from pate.data.formats import csv_columns
from pate.data.table import tabulated
from pate.features.linear import LinearEncoder
from pate.models.classifier import Classifier
from pate.models.predictor import Predictor
from pate.release import predict_alone
from pate.release.contents import contents
from pate.release.predict import predict, published, read_inputs, write
from pate.release.publish import publish
from pate.release.statement import of_votes
from tests.release.predictors import asked, plain, predictor

STATEMENT = of_votes(LNMax(0.1), 20, 50, 1e-5, data="digits")
ALONE = """
import importlib.util, runpy, sys
sys.path.append(sys.argv.pop(1))
assert importlib.util.find_spec("pate") is importlib.util.find_spec("torch") is None
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
assert not {"pate", "torch", "scipy", "sklearn"} & set(sys.modules)
"""
NASTY = """\ufeffage , job,"town, or so",weight,ill
31,cook,Bern,1e400,yes

nan, poet ,Zürich,70.5,no
1_000,"",Oslo,,yes
-inf,none of these,"Bern",1e30,no
old,cook,Oslo,  66 ,yes
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A place for packages that holds these two and nothing else."""
    folder = tmp_path_factory.mktemp("site")
    for package in (np, onnxruntime):
        home = Path(package.__file__).parent
        for entry in home.parent.glob(f"{home.name}*"):
            if not entry.name.endswith("-info"):
                (folder / entry.name).symlink_to(entry)
    return folder


@pytest.fixture
def ask(site, tmp_path):
    def run(folder, given, output):
        command = [
            sys.executable,
            "-I",
            "-S",
            "-c",
            ALONE,
            str(site),
            str(folder / "predict.py"),
            str(given),
            str(output),
        ]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, env={})

    return run


@pytest.fixture
def released(tmp_path):
    def write_out(one):
        publish(tmp_path / "out", contents(one, None, STATEMENT))
        return tmp_path / "out"

    return write_out


def people():
    rng = np.random.default_rng(0)
    rows = {
        "age": rng.integers(20, 80, 50).astype(object).astype(str).astype(object),
        "job": rng.choice(["cook", "poet", ""], 50).astype(object),
        "town, or so": rng.choice(["Bern", "Oslo", "Zürich"], 50).astype(object),
        "weight": rng.normal(70, 9, 50).astype(str).astype(object),
    }
    return Columns.fit(tabulated(rows))


def table_predictor():
    columns, rng = people(), np.random.default_rng(1)
    layers = {"0.weight": rng.normal(size=(2, columns.width)).astype(np.float32), "0.bias": np.zeros(2, np.float32)}
    encoder = LinearEncoder(low=-3.0, high=3.0)  # of rows, not of cells: it holds nobody back
    known = json.loads(json.dumps(asdict(columns)))
    return Predictor(encoder, Classifier(layers, "none"), ["ill", "not, ill"], [columns.width], "float32", known)


def lines(file):
    with file.open(newline="", encoding="utf-8") as stream:
        return list(csv.reader(stream))


@pytest.mark.parametrize(
    ("one", "kind"), [(("kernel", "patches", "bytes"), "bytes"), (("linear", "identity", "floats"), "floats")]
)
def test_images(ask, released, tmp_path, one, kind):
    folder = released(predictor(*one))
    given = tmp_path / "new.npz"
    np.savez(given, x=np.concatenate([asked(kind)] * 7))  # more than are asked about at once
    done = ask(folder, given, tmp_path / "answers.npz")
    assert done.returncode == 0, done.stderr
    student, _ = published(folder)
    belief = predict(student, read_inputs(given, student))
    with np.load(tmp_path / "answers.npz", allow_pickle=False) as found:
        np.testing.assert_allclose(found["probability"], belief, rtol=0, atol=1e-4)
        np.testing.assert_array_equal(found["label"], belief.argmax(axis=1))
        assert found["classes"].tolist() == student.classes


def test_a_table_and_a_csv_as_pate_writes_it(ask, released, tmp_path):
    folder, given = released(table_predictor()), tmp_path / "people.csv"
    given.write_text(NASTY, encoding="utf-8")
    done = ask(folder, given, tmp_path / "answers.csv")
    assert done.returncode == 0, done.stderr
    student, _ = published(folder)
    belief = predict(student, read_inputs(given, student))
    write(tmp_path / "pates.csv", belief, student.answers(belief), student.classes)
    ours, theirs = lines(tmp_path / "answers.csv"), lines(tmp_path / "pates.csv")
    assert [line[:2] for line in ours] == [line[:2] for line in theirs]
    np.testing.assert_allclose(
        [float(line[2]) for line in ours[1:]], [float(line[2]) for line in theirs[1:]], atol=1e-4
    )
    assert len(ours) == 6


def test_rows_of_a_table_become_the_same_numbers(tmp_path):
    file, columns = tmp_path / "people.csv", people()
    file.write_text(NASTY, encoding="utf-8")
    rows = predict_alone.encoded(predict_alone.table(file), file, **json.loads(json.dumps(asdict(columns))))
    np.testing.assert_array_equal(rows, columns.transform(tabulated(csv_columns(file))))
    assert rows.dtype == np.float32
    assert np.abs(rows).max() > 100  # a cell far away is there, and finite


WRITTEN = st.one_of(
    st.text(max_size=12),
    st.floats().map(str),
    st.integers().map(str),
    st.dates().map(str),
    st.datetimes().map(str),
    st.datetimes(timezones=st.timezones()).map(lambda moment: moment.isoformat()),
    st.times().map(str),
    st.sampled_from(
        [
            "",
            "True",
            "FALSE",
            "3",
            "3.0",
            "+3.",
            "-0.0",
            "3e0",
            "1e-7",
            "-1E+400",
            "2020/1/2",
            "2020-1-02 7:30",
            "24:00",
            "a",
        ]
    ),
).map(str.strip)


@given(st.lists(WRITTEN, min_size=1, max_size=5))
def test_every_cell_means_the_same_alone(cells):
    columns = Columns([("n", 1.5, 2.0)], [("c", ["", "3", "True", "a"])], [("d", 18000.0, 400.0)])
    table = dict.fromkeys("ncd", cells)
    rows = tabulated({name: np.array(cells, dtype=object) for name in "ncd"})
    alone = predict_alone.encoded(table, Path("x.csv"), **json.loads(json.dumps(columns.plain)))
    np.testing.assert_array_equal(alone, columns.transform(rows))


def test_cells_the_model_does_not_know_are_told_and_answered(tmp_path, capsys):
    columns = {"numeric": [["age", 50.0, 10.0]], "categorical": [["ward", ["A", "B"]]]}
    (tmp_path / "x.csv").write_text("age,ward\n60,A\nx67,ZZ\n,B\n")
    rows = predict_alone.encoded(predict_alone.table(tmp_path / "x.csv"), tmp_path / "x.csv", **columns)
    assert rows.tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 1]]
    said = capsys.readouterr().err
    assert "2 of 3 cells of age hold nothing the model knows" in said
    assert "1 of 3 cells of ward" in said
    with pytest.raises(SystemExit, match="no such file"):
        predict_alone.main(tmp_path / "none.csv", tmp_path / "out.csv")


def test_a_table_of_categories_without_rows(tmp_path):
    file = tmp_path / "empty.csv"
    file.write_text("job\n")
    assert predict_alone.encoded(predict_alone.table(file), file, [], [["job", ["cook", "poet"]]]).shape == (0, 2)


def test_no_inputs_no_answers(ask, released, tmp_path):
    np.save(tmp_path / "none.npy", np.empty((0, 3), np.float32))
    done = ask(released(plain()), tmp_path / "none.npy", tmp_path / "answers.csv")
    assert done.returncode == 0, done.stderr
    assert lines(tmp_path / "answers.csv") == [["row", "class", "probability"]]


@pytest.mark.parametrize(
    ("x", "said"),
    [
        (np.zeros((2, 4), np.float32), "shape"),
        (np.full((2, 3), 200, np.float32), "made for 0 to 1"),
        (np.full((2, 3), np.nan, np.float32), "nan"),
    ],
)
def test_what_it_was_not_made_for_is_refused(tmp_path, x, said):
    np.save(tmp_path / "x.npy", x)
    about = json.loads(contents(plain(), None, STATEMENT)["model.json"])
    with pytest.raises(SystemExit, match=said):
        predict_alone.check(predict_alone.read(tmp_path / "x.npy", about), about)


def test_a_table_is_not_an_array(tmp_path):
    about = json.loads(contents(table_predictor(), None, STATEMENT)["model.json"])
    with pytest.raises(SystemExit, match="tables"):
        predict_alone.read(tmp_path / "x.npy", about)
    (tmp_path / "x.csv").write_text("age,job\n1,cook\n")
    with pytest.raises(SystemExit, match="lacks 2 columns"):
        predict_alone.read(tmp_path / "x.csv", about)
    (tmp_path / "x.csv").write_text("age,age\n1,2\n")
    with pytest.raises(SystemExit, match="each once"):
        predict_alone.read(tmp_path / "x.csv", about)
    with pytest.raises(SystemExit, match="reads arrays"):
        predict_alone.read(tmp_path / "x.csv", json.loads(contents(plain(), None, STATEMENT)["model.json"]))


def test_channels_and_integers_are_read_as_pate_reads_them(tmp_path):
    one = replace(predictor("linear", kind="bytes"), columns=None)
    about = json.loads(contents(one, None, STATEMENT)["model.json"])
    for x in (asked("bytes")[..., None], asked("bytes").astype(np.int64)):
        np.save(tmp_path / "x.npy", x)
        ours = predict_alone.read(tmp_path / "x.npy", about)
        theirs = read_inputs(tmp_path / "x.npy", one)
        np.testing.assert_array_equal(ours, theirs)
        assert ours.dtype == theirs.dtype
