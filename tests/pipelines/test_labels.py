"""The labels stage: drawn once, afresh on request, or read from a file that somebody else paid for."""

import numpy as np
import pytest

from pate.errors import ConfigError

FAST = ["teachers=ridge", "teachers.count=20", "student=supervised", "dpsgd.epochs=1", "n_jobs=1"]


def test_fresh_labels_on_request_reach_the_student(run):
    first = run("stage=student", "aggregator.gamma=0.01")
    second = run("stage=student", "aggregator.gamma=0.01", "force=[labels]")
    assert not second["stages"]["labels"]["reused"]
    assert not second["stages"]["student"]["reused"]
    assert first["stages"]["student"]["key"] != second["stages"]["student"]["key"]


def test_labels_from_a_file_need_no_private_data(run, tmp_path):
    from sklearn.datasets import load_digits

    x, y = load_digits(return_X_y=True)
    (tmp_path / "open").mkdir()
    np.savez(tmp_path / "open" / "public.npz", x=x[:500] / 16)
    np.savez(tmp_path / "open" / "test.npz", x=x[500:900] / 16, y=y[500:900])
    np.savez(tmp_path / "labels.npz", index=np.arange(200), label=y[:200])
    classes = "dataset.classes=[" + ",".join(map(str, range(10))) + "]"
    found = run(
        "dataset=arrays", f"dataset.path={tmp_path / 'open'}", classes, f"labels.path={tmp_path / 'labels.npz'}"
    )
    assert [row["name"] for row in found["methods"]] == ["pate"]
    ours = found["methods"][0]
    assert ours["accuracy"] > 0.7
    assert ours["epsilon"] is ours["epsilon_publishable"] is None
    assert any("what they cost is not known here" in note for note in found["notes"])


def test_labels_from_a_file_beside_private_data(run, tmp_path):
    np.savez(tmp_path / "labels.npz", index=np.arange(20), label=np.arange(20) % 10)
    found = run(f"labels.path={tmp_path / 'labels.npz'}")
    assert [row["name"] for row in found["methods"]] == ["pate", "nonprivate"]
    assert any("DP-SGD is left out" in note for note in found["notes"])
    assert "student" in run(f"labels.path={tmp_path / 'labels.npz'}", "stage=student")["stages"]
    np.savez(tmp_path / "labels.npz", index=np.arange(20), label=np.full(20, 10))
    with pytest.raises(ConfigError, match=r"labels must lie in 0\.\.9"):
        run(f"labels.path={tmp_path / 'labels.npz'}")


def test_labels_are_priced_whatever_dpsgd_is_asked_for(run):
    assert run("dpsgd.epsilon=5", "stage=compare")["methods"][0]["epsilon"] > 0
