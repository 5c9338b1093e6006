"""A published student answers alone: two files, moved elsewhere, and new inputs."""

import csv
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits

import pate
from pate.errors import ConfigError
from pate.models.model import Model
from pate.release.predict import predict, published, read_inputs

FAST = ["teachers=ridge", "teachers.count=20", "student=supervised", "n_jobs=1", "stage=student", "aggregator.gamma=2"]
DIGITS = load_digits()


def trained(folder, *overrides):
    found = pate.run([*FAST, f"workspace={folder / 'workspace'}", f"hydra.run.dir={folder / 'run'}", *overrides])
    made = found["stages"]["student"]
    kept = folder / "workspace" / ("evaluation" if made["seeded"] else "release") / "student" / made["key"]
    shutil.copytree(kept, folder / "student")
    shutil.rmtree(folder / "workspace")
    return folder / "student"


@pytest.fixture(scope="module")
def student(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("digits"), "features=pca", "features.components=30")


@pytest.fixture(scope="module")
def table_student(tmp_path_factory):
    folder = tmp_path_factory.mktemp("table")
    rng = np.random.default_rng(0)
    with (folder / "people.csv").open("w", newline="") as stream:
        lines = csv.writer(stream)
        lines.writerow(["weight", "town", "age", "job", "ill"])  # not in the order of the alphabet
        for age in rng.integers(20, 80, 600):
            job, town = rng.choice(["cook", "poet"]), rng.choice(["Bern", "Oslo"])
            lines.writerow([rng.integers(50, 90), town, age, job, "yes" if age > 50 else "no"])
    own = [f"dataset.path={folder / 'people.csv'}", "dataset.label=ill", "dataset.private=400", "dataset.public=100"]
    return trained(folder, "dataset=arrays", "dataset.classes=[no,yes]", *own)


@pytest.fixture
def ask(tmp_path):
    def asked(student_path, given, *overrides):
        folder = tmp_path / "answers"
        return pate.run(
            ["stage=predict", f"student_path={student_path}", f"input={given}", f"hydra.run.dir={folder}", *overrides]
        )

    return asked


def lines_of(found):
    with Path(found["output"]).open(newline="") as stream:
        return list(csv.DictReader(stream))


def images(folder, count=200):
    np.save(folder / "images.npy", DIGITS.images[-count:].astype(np.float32) / 16)
    return folder / "images.npy", DIGITS.target[-count:]


def test_images_from_an_array(student, ask, tmp_path):
    file, truth = images(tmp_path)
    found = ask(student, file)
    assert found["inputs"] == 200
    rows = lines_of(found)
    assert [int(row["row"]) for row in rows] == list(range(200))
    assert np.mean([int(row["class"]) == one for row, one in zip(rows, truth, strict=True)]) > 0.7
    assert all(0.1 <= float(row["probability"]) <= 1 for row in rows)
    assert sum(found["classes"].values()) == 200


def test_a_student_of_seeded_noise_says_so_wherever_it_goes(ask, tmp_path):
    file, _ = images(tmp_path, 5)
    seeded = trained(tmp_path, "noise.seed=1")
    with pytest.raises(
        ConfigError, match="is the owner's: its manifest says it comes from a workspace's evaluations, of seeded noise"
    ):
        ask(seeded, file)
    assert ask(seeded, file, "owner=true")["notes"] == ["seeded noise: not private"]


def test_all_probabilities_as_npz(student, ask, tmp_path):
    file, _ = images(tmp_path, 20)
    np.savez(tmp_path / "images.npz", x=np.load(file))
    ask(student / "student.safetensors", tmp_path / "images.npz", f"output={tmp_path / 'out' / 'answers.npz'}")
    with np.load(tmp_path / "out" / "answers.npz") as found:
        np.testing.assert_allclose(found["probability"].sum(axis=1), 1, rtol=1e-5)
        np.testing.assert_array_equal(found["probability"].argmax(axis=1), found["label"])
        assert list(found["classes"]) == [str(digit) for digit in range(10)]


def test_a_table_as_it_comes_with_columns_in_any_order(table_student, ask, tmp_path):
    lines = ["name,town,age,job,weight", "Ada,Bern,22,poet,88", "Bob,Rome,78,cook,52", "Eve,Oslo,,poet,70"]
    (tmp_path / "new.csv").write_text("\n".join(lines))
    rows = lines_of(ask(table_student, tmp_path / "new.csv"))
    assert [row["class"] for row in rows[:2]] == ["no", "yes"]


def test_a_table_is_read_as_it_was_when_the_student_learned(table_student):
    """The columns' order is part of what is published: the rows of the training table come out as they went in."""
    one, _ = published(table_student)
    people = table_student.parent / "people.csv"
    with people.open() as stream:
        ill = [row["ill"] for row in csv.DictReader(stream)]
    said = predict(one, read_inputs(people, one)).argmax(axis=1)
    assert np.mean([one.classes[answer] == truth for answer, truth in zip(said, ill, strict=True)]) > 0.85


def test_the_command_and_what_it_prints(student, tmp_path):
    file, _ = images(tmp_path, 20)
    start = [sys.executable, "-c", "from pate.app.cli import main; main()"]
    command = [*start, "stage=predict", f"student_path={student}", f"input={file}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=os.environ | {"NO_COLOR": "1"})
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("20 inputs (")
    assert "predictions  " in done.stdout
    assert sorted(path.name for path in (tmp_path / "workspace").iterdir()) == ["runs"]  # no store was opened


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda folder: np.save(folder / "x.npy", np.zeros((3, 7, 7), np.float32)), r"made for \(8, 8\) float32"),
        (lambda folder: np.save(folder / "x.npy", np.zeros((3, 8, 8), np.uint8)), r"made for \(8, 8\) float32"),
        (lambda folder: np.save(folder / "x.npy", DIGITS.images[:3].astype(np.float32)), "was made for 0 to 1"),
        (lambda folder: np.save(folder / "x.npy", np.full((3, 8, 8), np.nan)), "nan or infinite"),
        (lambda folder: np.save(folder / "x.npy", np.array([{}]), allow_pickle=True), "Python objects"),
        (lambda folder: np.savez(folder / "x.npz", y=np.zeros(3)), "no array 'x'"),
        (lambda folder: (folder / "x.csv").write_text("a,b\n1,2\n"), "is a table"),
        (lambda folder: (folder / "x.txt").write_text("1 2"), "expected a file that ends in .npy"),
    ],
)
def test_inputs_it_cannot_read(student, ask, tmp_path, make, words):
    make(tmp_path)
    with pytest.raises(ConfigError, match=words):
        ask(student, next(tmp_path.glob("x.*")))


def test_a_table_that_lacks_a_column(table_student, ask, tmp_path):
    (tmp_path / "new.csv").write_text("age,weight,job\n25,70,cook\n")
    with pytest.raises(ConfigError, match="lacks 1 columns the student reads: town"):
        ask(table_student, tmp_path / "new.csv")
    np.save(tmp_path / "rows.npy", np.zeros((3, 6), np.float32))
    with pytest.raises(ConfigError, match="reads tables with its columns"):
        ask(table_student, tmp_path / "rows.npy")


def test_students_that_are_none(student, ask, tmp_path):
    file, _ = images(tmp_path, 5)
    with pytest.raises(ConfigError, match="no such file"):
        ask(tmp_path / "nowhere", file)
    zipped = shutil.make_archive(str(tmp_path / "leaves"), "zip", student)
    with pytest.raises(ConfigError, match=r"leaves.zip: unpack it, and name the folder that is in it"):
        ask(zipped, file)
    with pytest.raises(ConfigError, match="holds 0 safetensors files"):
        ask(tmp_path, file)
    with pytest.raises(ConfigError, match="holds 1 students: name one; the newest is"):
        ask(student.parent, file)
    with pytest.raises(ConfigError, match="stage=predict needs student_path="):
        pate.run(["stage=predict", f"input={file}"])
    with pytest.raises(ConfigError, match="student_path is for stage=predict, and this is stage=all"):
        pate.run([f"student_path={student}", f"input={file}"])
    for output in (file, tmp_path / "folder.csv"):
        (tmp_path / "folder.csv").mkdir(exist_ok=True)
        with pytest.raises(ConfigError, match=r"name another file|expected a name that ends in"):
            ask(student, file, f"output={output}")
    changed = shutil.copytree(student, tmp_path / "changed")
    (changed / "student.json").write_text((changed / "student.json").read_text().replace('"3"', '"8"'))
    with pytest.raises(ConfigError, match="does not match its manifest"):
        ask(changed, file)
    (changed / "manifest.json").unlink()
    (changed / "student.safetensors").write_bytes(b"not a model")
    with pytest.raises(ConfigError, match="not a student of this program, or damaged"):
        ask(changed, file)
    (changed / "student.json").unlink()
    with pytest.raises(ConfigError, match="must lie beside"):
        ask(changed, file)


def test_views_are_the_students_to_offer(student, tmp_path):
    file, _ = images(tmp_path, 5)
    one, notes = published(student)
    assert notes == []
    with pytest.raises(ConfigError, match="not trained to look at moved copies"):
        predict(one, read_inputs(file, one), views=True)
    assert isinstance(one.model, Model)
