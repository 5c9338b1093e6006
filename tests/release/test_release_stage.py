"""The release stage: what it makes of a run's settings, and where it puts it."""

import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from pate.pipelines import methods
from pate.pipelines.release import release_of_student

from pate.accounting.filter import ORDERS, Cost
from pate.accounting.ladder import independent
from pate.accounting.plan import CHOSEN_ON_VOTES
from pate.aggregation.labels import Labels
from pate.consensus.gaussian import GaussianPlan
from pate.consensus.noisy_sum import NoisySum
from pate.data.labels import CLASSES_FROM_PRIVATE
from pate.dpsgd.accountant import Accountant
from pate.errors import PateError
from pate.noise import SEEDED
from tests.release.predictors import plain

LABELS = Labels(np.array([3, 1]), np.array([0, 1]), "LNMax", queries=np.array(40), teachers=np.array(30))
COST = Cost((70.0,) * len(ORDERS), 7.25, 7.25, 0.0)
SEEN = {"told": lambda stage: [], "origin": lambda name: (f"{name}/1", "digits")}
ENTRY = SimpleNamespace(release=SimpleNamespace(cost=COST, relation="one record replaced by nothing"), withheld="")
SPENDING = SimpleNamespace(
    ledger=SimpleNamespace(releases=lambda account: [ENTRY]), spender=SimpleNamespace(account="digits")
)


@pytest.fixture
def made(settings):
    """The folder and the card of a release under these settings."""

    def run(*overrides, labels=LABELS, inherited=("a note of the student",), **plainly):
        chosen = settings(*overrides)
        chosen = replace(chosen, **plainly)
        handed = SimpleNamespace(settings=chosen, inherited=inherited, summary="", notes=(), spending=SPENDING, **SEEN)
        release_of_student.function(handed, labels, plain())
        folder = next(file for file in chosen.workspace.parent.rglob("MODEL_CARD.md")).parent
        return folder, (folder / "MODEL_CARD.md").read_text()

    return run


def least(settings, queries, teachers):
    prices = independent(settings.aggregator, queries, teachers, settings.delta)
    return f"**{np.ceil(min(price.epsilon for price in prices) * 1000) / 1000:.3f}**"


def released(settings, method):
    """The stage that publishes a method's model."""
    return methods()[method].release(settings(f"release.method={method}", f"{method}.epsilon=1"))


def test_every_stage_publishes_and_reads_nothing_private(settings):
    for stage in (release_of_student, released(settings, "dpsgd"), released(settings, "consensus")):
        assert stage.name == "release"
        assert stage.publishes
        assert {ref.side for ref in stage.reads} == {"release"}


def test_the_price_is_that_of_the_queries_asked(made, settings, tmp_path):
    folder, card = made("aggregator.gamma=0.1")
    assert folder.parent == tmp_path / "workspace" / "published"
    assert folder.name.startswith("digits-")
    assert folder.with_name(f"{folder.name}.zip").is_file()
    assert least(settings("aggregator.gamma=0.1"), 40, 30) in card
    assert "- a note of the student" in card
    assert (
        "fit a budget fixed in advance of: epsilon 7.250, delta 0.0001, neighbours one record replaced by nothing"
        in card
    )


def test_labels_that_do_not_tell_are_priced_by_the_settings(made, settings):
    silent = replace(LABELS, queries=np.array(0), teachers=np.array(0))
    _, card = made("labels.queries=20", "teachers.count=10", labels=silent)
    assert least(settings("teachers.count=10"), 20, 10) in card


def test_parameters_chosen_on_votes_are_on_the_card(made):
    _, card = made("account.on_votes=true")
    assert f"- {CHOSEN_ON_VOTES}" in card


def test_a_group_and_rounds(made):
    _, card = made("labels.selection=active", "partition.group_by=patient")
    assert "all records of one patient replaced by nothing" in card
    assert "in rounds" in card


def test_labels_from_a_file_have_no_price(made, tmp_path):
    np.savez(tmp_path / "labels.npz", index=np.arange(2), label=np.arange(2))
    _, card = made(f"labels.path={tmp_path / 'labels.npz'}")
    assert "Nothing that is known here" in card


def test_a_folder_of_ones_own(made, tmp_path):
    folder, _ = made(output=str(tmp_path / "mine"))
    assert folder == tmp_path / "mine"
    assert (tmp_path / "mine.zip").is_file()


@pytest.mark.parametrize("how", [{"labels": replace(LABELS, seeded=np.array(True))}, {"inherited": (SEEDED,)}])
def test_seeded_noise_stays(made, how, tmp_path):
    with pytest.raises(PateError, match="may not leave"):
        made(**how)
    assert not list(tmp_path.rglob("*.zip"))


def test_dpsgd(settings):
    spent = replace(Accountant(2.0, 0.1, 10, 1e-4), taken=10).spent(seeded=False)
    run = SimpleNamespace(settings=settings(), inherited=(), summary="", notes=(), spending=SPENDING, **SEEN)
    release = released(settings, "dpsgd").function
    release(run, dpsgd=plain(), spent=spent)
    (folder,) = (run.settings.workspace / "published").glob("*/")
    assert "10 sums of clipped gradients" in (folder / "MODEL_CARD.md").read_text()
    assert not (folder / "labels.npz").exists()
    with pytest.raises(PateError, match="may not leave"):
        release(run, dpsgd=plain(), spent=replace(spent, seeded=True))


def test_consensus(settings):
    plan = GaussianPlan.least(1.0, 1e-4, None, 8.0, discrete=True)
    drawn = NoisySum.of_one(np.ones((4, 3)), 100, plan, seeded=False)
    run = SimpleNamespace(settings=settings(), inherited=(), summary="", notes=(), spending=SPENDING, **SEEN)
    release = released(settings, "consensus").function
    release(run, consensus_student=plain(), consensus=drawn)
    (folder,) = (run.settings.workspace / "published").glob("*/")
    card = (folder / "MODEL_CARD.md").read_text()
    assert "4 directions x 3 classes" in card
    assert drawn.mechanism in card
    with pytest.raises(PateError, match="may not leave"):
        release(run, consensus_student=plain(), consensus=replace(drawn, seeded=True))


def test_what_every_release_says_knows_no_method():
    """A method's own words stand in its room, so that one more changes nothing here."""
    imported = {module for room in ("release", "methods") for file in Path("pate", room).glob("*.py")
                for module in re.findall(r"(?:from|import) pate\.(dpsgd|consensus)\b", file.read_text())}  # fmt: skip
    assert imported == set()


def test_a_total_that_one_release_voids_says_so(made, monkeypatch):
    monkeypatch.setattr(ENTRY, "withheld", "not publishable: classes read from private labels")
    assert "but not publishable: classes read from private labels" in " ".join(made()[1].split())


def test_classes_read_from_private_labels_stay(made, settings):
    with pytest.raises(PateError, match="not publishable: classes read from private labels, so it may not leave"):
        made(inherited=(CLASSES_FROM_PRIVATE,))
    assert not (settings().workspace / "published").exists()


def test_how_it_was_chosen_is_on_the_card_in_the_manifest_and_in_the_notes(made, monkeypatch, tmp_path):
    shown = {"models": {"student/1": "pate", "dpsgd/1": "dpsgd"}, "accounts": ["digits"], "fixed": "", "released": True}
    claim = "chosen among 2 methods by scores no epsilon covers"

    def told(facts, *overrides):
        monkeypatch.setitem(SEEN, "told", lambda stage: [{"facts": facts}] if stage == "compare" else [])
        folder, card = made(*overrides, output=str(tmp_path / "mine"))
        return card, json.loads((folder / "manifest.json").read_text())["about"]["chosen"]["how"]

    card, how = told(shown)
    assert (claim in card, how) == (True, "by score")
    assert f"| this model | {claim} |" in card
    assert told(shown, "dataset.test_public=true")[1] == "by score"  # nobody had said so when they were scored
    card, how = told(shown | {"public": True}, "dataset.test_public=true")
    assert (claim in card, how) == (False, "among released")
    card, how = told(shown | {"fixed": "pate"})
    assert (claim in card, how) == (False, "fixed")
    assert told(None)[1] == "by score"  # scores of an earlier version, which did not tell of what
