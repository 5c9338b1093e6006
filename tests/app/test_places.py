"""A YAML names a class; what it leaves out has the class's defaults, and where the class was before is still known."""

from pathlib import Path

import hydra
import pytest
import yaml
from omegaconf import OmegaConf

from pate.app.compose import CHOICES, _choice, settle
from pate.app.places import _MOVED, ENTRY_POINTS, located, offer
from pate.choice import Choice
from pate.errors import ConfigError
from pate.report.tracking.mlflow import MLflow
from pate.report.tracking.tracking import Tracking
from pate.workspace.first_version import _KINDS

YAMLS = sorted(file for group in ENTRY_POINTS for file in Path("conf", group).glob("*.yaml"))


def test_every_choice_can_be_a_plug_ins():
    assert ENTRY_POINTS.keys() == CHOICES.keys()


def test_a_consensus_of_ones_own_is_chosen_by_its_place_and_a_wrong_one_refused_in_one_line(tmp_path, monkeypatch):
    text = (
        "from dataclasses import dataclass\nfrom pate.consensus.kernel import KernelConsensus\n\n"
        "@dataclass(frozen=True)\nclass Mine(KernelConsensus):\n    kind = 'toy_kernel'\n    depth: int = 3\n"
    )
    (tmp_path / "toy_consensus.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    offer(["consensus=toy_consensus.Mine"])
    with hydra.initialize_config_module(version_base="1.3", config_module="pate.conf"):
        chosen = ["consensus=toy_consensus.Mine", "consensus.depth=4", "stage=ledger"]
        settings = settle(hydra.compose("config", chosen))
    assert (type(settings.consensus).__name__, settings.consensus.depth) == ("Mine", 4)
    with pytest.raises(ConfigError, match=r"consensus\._target_=foo: no installed package brings it"):
        located("consensus", "foo")


def target(file):
    return yaml.safe_load(file.read_text()).get("_target_")


def name(file):
    return f"{file.parent.name}-{file.stem}"


@pytest.mark.parametrize("file", [file for file in YAMLS if target(file)], ids=name)
def test_a_yaml_may_leave_out_every_field(file):
    group, base = file.parent.name, Tracking if file.parent.name == "tracking" else Choice
    made = _choice(group, OmegaConf.create({"_target_": target(file)}), base)
    assert made == located(group, target(file))()
    offer([f"{group}={target(file)}"])
    with hydra.initialize_config_module(version_base="1.3", config_module="pate.conf"):
        settings = settle(hydra.compose("config", [f"{group}={target(file)}", "stage=ledger"]))
    assert getattr(settings, group) == made
    assert settings.delta == (settings.dataset.delta or 1e-5)


@pytest.mark.parametrize("kind", ["linear", "scatter_linear", "mlp", "cnn"])
def test_defaults_of_dpsgd_are_those_its_yaml_says(kind):
    """Of the fields that had none before: whoever leaves them out gets what conf/ has always said. Of the epsilon null
    is what it was: PATE's, where the run has none."""
    said = yaml.safe_load(Path("conf/dpsgd/linear.yaml").read_text())
    said |= yaml.safe_load(Path(f"conf/dpsgd/{kind}.yaml").read_text())
    plain = located("dpsgd", said["_target_"])()
    assert (plain.epsilon, said["epsilon"]) == ("pate", None)
    for field in ("lot", "epochs", "learning_rate", "clip"):
        assert getattr(plain, field) == said[field]


@pytest.mark.parametrize("known", _KINDS)
def test_every_place_of_the_first_version_leads_to_its_kind(known):
    group, kind = known.split()
    assert located(group, _KINDS[known][0]).known_as() == kind


def test_every_moved_class_is_found_where_it_is_now():
    assert located("tracking", "pate.tracking.MLflow") is MLflow
    for old, new in _MOVED.items():
        group = {"students": "student"}.get(old.split(".")[1], old.split(".")[1])
        assert located(group, old) is located(group, new)


@pytest.mark.parametrize(
    ("text", "told"),
    [("import no_such_library_at_all", "No module named 'no_such_library_at_all'"), ("def half(", "SyntaxError")],
)
def test_a_module_that_cannot_be_imported_is_refused_in_one_line(text, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    name = f"toy_{abs(hash(text))}"
    Path(f"{name}.py").write_text(text)
    with pytest.raises(ConfigError, match=rf"student\._target_={name}\.Mine cannot be imported: .*") as refused:
        located("student", f"{name}.Mine")
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("group", "place", "kind", "ours"),
    [("aggregator", "aggregation.lnmax.LNMax", "lnmax", "lnmax"),
     ("consensus", "consensus.kernel.KernelConsensus", "consensus_kernel", "kernel")],
)  # fmt: skip
def test_the_kind_of_one_of_ours_is_nobody_elses(tmp_path, monkeypatch, group, place, kind, ours):
    """Its answers would be taken for those LNMax has drawn, and priced by another law."""
    module, _, name = place.rpartition(".")
    text = f"from pate.{module} import {name}\n\nclass Mine({name}):\n    kind = {kind!r}\n"
    (tmp_path / f"claims_{kind}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    node = OmegaConf.create({"_target_": f"claims_{kind}.Mine"})
    with pytest.raises(ConfigError, match=f"Mine declares kind '{kind}', which is that of {group}={ours}: choose"):
        _choice(group, node, Choice)
