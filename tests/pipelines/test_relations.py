"""With groups, every epsilon that is stored or shown says so; what was drawn before stays what it was."""

import json
import logging
from pathlib import Path

import numpy as np
import pytest

import pate
from pate.accounting.plan import CHOSEN_ON_VOTES
from pate.ledger.ledger import Ledger
from pate.workspace.store import Store

GROUP = "all records of one patient replaced by nothing"
STAGES = ("account", "sanitise", "panel", "release")


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    """Runs on a table where two rows are one patient's."""
    folder = tmp_path_factory.mktemp("clinic")
    rng = np.random.default_rng(3)
    for side, count in (("private", 160), ("public", 60), ("test", 20)):
        x = rng.normal(0, 1, count)
        rows = [f"{side}-{i // 2},{x[i]:.4f},{'ill' if x[i] > 0 else 'well'}" for i in range(count)]
        (folder / f"{side}.csv").write_text("\n".join(["patient,x,state", *rows]) + "\n")

    def run(*overrides):
        return pate.run([
            "dataset=arrays", f"dataset.path={folder}", "dataset.label=state", "dataset.classes=[well,ill]",
            "partition.group_by=patient", "teachers=ridge", "teachers.count=10", "student=supervised", "n_jobs=1",
            "aggregator=gnmax", "aggregator.noise=continuous", "aggregator.sigma=4", "labels.queries=20",
            f"workspace={folder / 'workspace'}", f"hydra.run.dir={folder / 'run'}", *overrides,
        ])  # fmt: skip

    return folder, run


@pytest.fixture(scope="module")
def found(clinic):
    folder, run = clinic
    return folder, [run(f"stage={stage}") for stage in STAGES]


def told(facts: object, name: str = "relation") -> set[str]:
    """Every value under this name, however deep."""
    if isinstance(facts, list):
        return set().union(*(told(one, name) for one in facts))
    if not isinstance(facts, dict):
        return set()
    own = {facts[name]} if isinstance(facts.get(name), str) else set()
    return own.union(*(told(one, name) for one in facts.values()))


def test_every_relation_in_the_workspace_is_the_groups(found):
    folder, results = found
    said = {str(file.relative_to(folder)): told(json.loads(file.read_text())) for file in folder.rglob("*.json")}
    said |= {stage: told(result) for stage, result in zip(STAGES, results, strict=True)}
    relations = {name: relation for name, relation in said.items() if relation}
    kinds = {Path(name).name for name in relations}
    assert {"sanitised.json", "costs.json", "panel.json", "results.json", *STAGES} <= kinds
    both = {name for name in relations if name.endswith("forecast.json")}  # it is priced under both
    assert {frozenset(relations.pop(name)) for name in both} == {
        frozenset({GROUP, GROUP.replace("nothing", "another")})
    }
    assert {name: relation for name, relation in relations.items() if relation != {GROUP}} == {}


def test_every_card_and_every_entry_is_for_the_group(found):
    folder, _ = found
    (card,) = folder.rglob("MODEL_CARD.md")
    assert GROUP in card.read_text()
    entries = Ledger.of(Store(folder / "workspace")).entries()
    assert {entry.release.kind for entry in entries} == {"labels", "sanitised epsilon"}
    assert {entry.release.relation for entry in entries} == {GROUP}


def test_a_release_after_planning_on_votes_warns_the_owner_and_with_the_flag_the_card_says_it(clinic, caplog):
    folder, run = clinic
    with caplog.at_level(logging.WARNING, logger="pate"):
        run("stage=release", f"output={folder / 'before'}")
        assert "account.on_votes" not in caplog.text
        run("stage=account", "account.target_epsilon=2", "account.on_votes=true")
        run("stage=release", f"output={folder / 'silent'}")
        assert "release with account.on_votes=true, and the card says so" in caplog.text
        caplog.clear()
        marked = run("stage=release", "account.on_votes=true", f"output={folder / 'marked'}")
        assert "account.on_votes" not in caplog.text
    assert CHOSEN_ON_VOTES in marked["notes"]
    cards = {name: (folder / name / "MODEL_CARD.md").read_text() for name in ("before", "silent", "marked")}
    assert {name for name, card in cards.items() if CHOSEN_ON_VOTES in card} == {"marked"}
    assert CHOSEN_ON_VOTES in (folder / "marked" / "manifest.json").read_text()
    kinds = [entry.release.kind for entry in Ledger.of(Store(folder / "workspace")).entries()]
    assert kinds.count("labels") == 1  # nothing was drawn again
