"""The labels stage: drawn once, afresh on request, or read from a file that somebody else paid for."""

import importlib
import shutil
import sys

import numpy as np
import pytest

from pate.errors import ConfigError, PateError

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
    assert [row["name"] for row in found["methods"]] == ["pate", "consensus", "nonprivate"]
    assert any("DP-SGD is left out" in note for note in found["notes"])
    assert "student" in run(f"labels.path={tmp_path / 'labels.npz'}", "stage=student")["stages"]
    np.savez(tmp_path / "labels.npz", index=np.arange(20), label=np.full(20, 10))
    with pytest.raises(ConfigError, match=r"labels must lie in 0\.\.9"):
        run(f"labels.path={tmp_path / 'labels.npz'}")


def test_labels_are_priced_whatever_dpsgd_is_asked_for(run):
    assert run("dpsgd.epsilon=5", "stage=compare")["methods"][0]["epsilon"] > 0


NOISY = """
from dataclasses import dataclass, replace
from typing import ClassVar

from pate.accounting import gaussian
from pate.aggregation.aggregator import Aggregator


@dataclass(frozen=True)
class Noisy(Aggregator):
    kind: ClassVar[str] = "toy_noisy"
    noise_parameter: ClassVar[str] = "sigma"
    sigma: float = {sigma}

    def answer(self, counts, noise):
        noisy = counts + noise.discrete_gaussian(counts.shape, self.sigma)
        return noise.choice_among(noisy == noisy.max(axis=1, keepdims=True))

    def scaled(self, gamma):
        return replace(self, sigma=1 / gamma)

    def independent(self, k, teachers, delta):
        yield from gaussian.prices({{self.sigma: 2 * k}}, "discrete", delta)

    def rdp(self, k, teachers, orders):
        return k * orders / self.sigma**2
"""


def test_answers_of_little_noise_are_not_served_at_the_price_of_much(run, tmp_path, monkeypatch):
    """A default that was edited says nothing but the kind, which is refused."""
    monkeypatch.syspath_prepend(tmp_path)
    drawn = [*("methods=[pate]", "stage=labels"), "labels.queries=20"]

    def noisy(sigma):
        (tmp_path / "noisy.py").write_text(NOISY.format(sigma=sigma))
        monkeypatch.delitem(sys.modules, "noisy", raising=False)
        importlib.invalidate_caches()
        shutil.rmtree(tmp_path / "__pycache__", ignore_errors=True)

    noisy(10.0)
    assert run(*drawn, "aggregator=noisy.Noisy")["methods"][0]["epsilon_publishable"] > 2
    noisy(100.0)
    for asked in (drawn, [*drawn[:2], "labels.queries=30"]):  # all of them served, and some
        with pytest.raises(PateError, match="what kind 'toy_noisy' drew before had other parameters"):
            run(*asked, "aggregator=noisy.Noisy")


def test_another_packages_kind_of_the_same_name_draws_its_own_answers(run, tmp_path, monkeypatch, entries):
    for name, sigma in (("noisy_one", 10.0), ("noisy_other", 100.0)):
        (tmp_path / f"{name}.py").write_text(NOISY.format(sigma=sigma))
    monkeypatch.syspath_prepend(tmp_path)
    drawn = [*("methods=[pate]", "stage=labels"), "labels.queries=20"]
    little, much = (
        run(*drawn, f"aggregator={name}.Noisy")["methods"][0]["epsilon_publishable"]
        for name in ("noisy_one", "noisy_other")
    )
    assert little > 2 > much
    assert [entry.release.parameters["sigma"] for entry in entries()] == [10.0, 100.0]
