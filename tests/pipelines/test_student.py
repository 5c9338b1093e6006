"""The student stage: every kind through the pipeline, and a real kill in the middle of its training."""

import signal
from functools import partial

import pytest

from pate.errors import ConfigError
from tests.command_line import dies_after_checkpoints

FAST = ["teachers=ridge", "teachers.count=20", "n_jobs=1", "noise.seed=0", "aggregator.gamma=1"]
NETWORK = ["student=graph_cnn", "student.views=true", "student.images=6000", "student.channels=8", "student.hidden=32"]
NETWORK += ["student.learning_rate=0.01", "student.minibatch=32"]


@pytest.mark.parametrize("kind", ["supervised", "self_training", "label_spreading", "graph"])
def test_students_on_features(run, kind):
    found = run(f"student={kind}", "dataset.private=600", "dpsgd.epochs=1", "stage=compare")
    ours, *_, bound = found["methods"]
    assert ours["accuracy"] > 0.7
    assert set(ours["by_class"]) == {str(digit) for digit in range(10)}
    assert ours["accuracy_of_views"] is None
    assert 0 <= ours["metrics"]["calibration_error"] < 0.3
    assert bound["accuracy"] > ours["accuracy"] - 0.02


def test_a_student_on_images_is_scored_on_images(run):
    brief = ["dataset.private=600", "dpsgd.epochs=1", "stage=compare"]
    found = run(*NETWORK, *brief, "features=pca", "features.components=20")
    ours = found["methods"][0]
    assert ours["accuracy"] > 0.4
    assert ours["accuracy_of_views"] > 0.4
    assert ours["public_accuracy_of_views"] > 0.4


def test_how_many_labels_are_expected_wrong_reaches_the_student(run):
    one = run("student=graph", "stage=student")
    two = run("student=graph", "stage=student", "labels.wrong=0.1")
    assert one["stages"]["labels"]["key"] == two["stages"]["labels"]["key"]
    assert one["stages"]["student"]["key"] != two["stages"]["student"]["key"]


@pytest.mark.slow
def test_a_student_killed_in_the_middle_goes_on_to_the_same_weights(pate, tmp_path):
    command = [*FAST, *NETWORK, "student.images=2000", "stage=student"]
    whole = pate(*command, "workspace=unbroken")
    assert whole.returncode == 0, whole.stderr
    killed = pate(*command, "workspace=broken", prepare=partial(dies_after_checkpoints, 3))
    assert killed.returncode == -signal.SIGKILL
    kept = tmp_path / "broken" / "private" / "student"
    assert list(kept.glob("*.pieces/*.npy"))
    again = pate(*command, "workspace=broken")
    assert again.returncode == 0, again.stderr
    assert "resuming: round" in again.stderr
    one, two = (
        next((tmp_path / name / "evaluation" / "student").glob("*/student.safetensors")).read_bytes()
        for name in ("unbroken", "broken")
    )
    assert one == two
    assert not list(kept.glob("*.pieces"))


def test_a_student_for_images_is_refused_for_a_table_before_anything_is_drawn(run, tmp_path):
    (tmp_path / "people.csv").write_text("age,ill\n" + "\n".join(f"{age},{age > 50}" for age in range(20, 90)))
    table = ["dataset=arrays", f"dataset.path={tmp_path / 'people.csv'}", "dataset.label=ill", "dataset.private=40"]
    for group, name in (("student", "graph_cnn"), ("teachers", "cnn")):
        with pytest.raises(ConfigError, match=f"{group}=.*needs images"):
            run(*table, f"{group}={name}", "teachers.count=5", "labels.queries=10", "dataset.public=20", "dpsgd.lot=10")
    assert not (tmp_path / "workspace").exists()
