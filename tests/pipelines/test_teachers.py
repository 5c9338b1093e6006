"""The teachers stage: partitions and groups, and where private copies lie while workers train."""

import numpy as np

import pate

FAST = ["teachers=ridge", "teachers.count=20", "student=supervised", "dpsgd.epochs=1", "n_jobs=1"]


def test_private_copies_for_workers_stay_in_the_private_store(tmp_path):
    pate.run(["stage=teachers", "teachers=ridge", "n_jobs=2", f"workspace={tmp_path}", f"hydra.run.dir={tmp_path}/run"])
    assert not list(tmp_path.rglob("scratch"))
    assert not list(tmp_path.rglob("*.pkl"))


def test_groups_go_to_one_teacher_and_are_named_in_the_relation(run, tmp_path):
    from sklearn.datasets import load_digits

    x, y = load_digits(return_X_y=True)
    (tmp_path / "own").mkdir()
    person = np.arange(1000) // 5
    np.savez(tmp_path / "own" / "private.npz", x=x[:1000] / 16, y=y[:1000], patient_id=person)
    np.savez(tmp_path / "own" / "public.npz", x=x[1000:1400] / 16)
    np.savez(tmp_path / "own" / "test.npz", x=x[1400:] / 16, y=y[1400:])
    found = run("dataset=arrays", f"dataset.path={tmp_path / 'own'}", "partition.group_by=patient_id", "stage=compare")
    assert found["methods"][0]["relation"] == "all records of one patient_id replaced by nothing"
    assert any("DP-SGD protects one record, not all records of one patient_id" in note for note in found["notes"])
    assert any("dataset.classes" in note for note in found["notes"])
