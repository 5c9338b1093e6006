"""What a run would do and need, said before it does any of it."""

from dataclasses import replace

import pytest
from pate.pipelines import graph

from docs.generate.keys import choices, read, target
from pate.app.compose import CHOICES
from pate.data.examine import Examined
from pate.evaluation.outlook import OTHERS, RATES, Checkup, PlannedRelease, SpendingPlan, Step, disk, steps, told
from pate.workspace.catalogue import catalogue
from pate.workspace.runner import Runner
from pate.workspace.stage import Effort
from pate.workspace.store import Store
from pate.workspace.typed_json import to_json


@pytest.fixture
def runner(settings, tmp_path):
    def of(*overrides):
        chosen = settings("teachers=ridge", *overrides)
        return Runner(chosen, graph(chosen), Store(tmp_path / "workspace"), "run", "plan")

    return of


def test_stages_come_in_their_order_and_those_that_draw_are_marked(runner):
    found = steps(runner(), ["student"])
    names = [step.stage for step in found]
    assert names.index("data") < names.index("teachers") < names.index("votes") < names.index("labels")
    assert names[-1] == "student"
    assert {step.stage for step in found if step.draws} == {"labels"}
    assert not any(step.reused for step in found)


def test_what_was_never_run_here_is_guessed_from_the_number_of_records(runner):
    (few,), (many,) = (
        [step for step in steps(runner(f"dataset.private={records}"), ["teachers"]) if step.stage == "teachers"]
        for records in (300, 1200)
    )
    assert few.rough
    assert many.seconds - 0.5 == pytest.approx(4 * (few.seconds - 0.5))
    assert Step("votes", False, False, 0.5, True) in steps(runner(), ["votes"])


GUESSED = [
    "features",
    "encode",
    "teachers",
    "student",
    "nonprivate",
    "dpsgd",
    "basis",
    "consensus",
    "consensus_student",
]


@pytest.mark.parametrize(
    "chosen",
    [("teachers=ridge", "consensus=kernel"), ("teachers=graph", "student=graph", "consensus=graph"),
     ("teachers=krr", "student=krr", "consensus=clusters", "consensus.student=student")],
)  # fmt: skip
def test_whatever_takes_long_is_estimated_before_it_has_ever_run(runner, chosen):
    coming = runner(*chosen)
    found = {step.stage: step for step in steps(coming, [stage.name for stage in coming.graph.stages])}
    assert [name for name in GUESSED if found[name].seconds is None or not found[name].rough] == []


def test_every_rate_is_of_a_kind_and_a_stage_there_are(settings):
    """A class that was renamed keeps its kind: a rate under another name would never be found."""
    run = settings("teachers=ridge", "consensus.student=itself")
    named = {(work, kind) for work, rates in RATES.items() for kind in rates}
    groups = {}
    for effort in (stage.effort(run) for some in catalogue().values() for stage in some if stage.effort):
        assert isinstance(effort, Effort)
        groups[effort.work] = next(name for name in CHOICES if getattr(run, name) is effort.choice)
    assert groups.keys() == RATES.keys()
    known = {
        (work, target(read(group, name)[0]).known_as()) for work, group in groups.items() for name in choices(group)
    }
    assert named <= known, sorted(named - known)
    assert OTHERS.keys() <= catalogue().keys()


def test_disk_is_for_inputs_features_and_votes(settings, tmp_path):
    need, free = disk(settings("teachers=ridge", "teachers.count=20"), width=64)
    assert need == 4 * 1797 * (64 + 64) + 8 * 20 * 397
    assert free > 0


def test_an_epsilon_is_never_told_alone():
    release = PlannedRelease("labels", 1.2341, 1e-5, "one record replaced by nothing")
    plan = SpendingPlan([release], "clinic", 1e-4, 0.5, 1.6001, release.relation, "", "seeded noise: not private")
    first, second = told(plan)
    assert first == (
        "would release labels: epsilon 1.235 for every data set (publishable), delta 1e-05, "
        "one record replaced by nothing"
    )
    assert "epsilon 0.500 released so far, 1.601 with all of it, for every data set (seeded noise: not" in second
    assert told(replace(plan, releases=[]))[0] == "would release nothing"
    assert told(replace(plan, budget=2.0))[2] == "budget of epsilon 2.000, delta 0.0001: 0.399 would be left"
    assert told(replace(plan, budget=1.6))[2] == "budget of epsilon 1.600, delta 0.0001: it does not fit"


def test_a_checkup_is_written_flat_with_what_was_seen_first():
    seen = Examined({"private": 2}, ["0"], 1, [], None, {"public": 0}, ["column id"], [])
    plan = SpendingPlan([PlannedRelease("labels", float("inf"), 0.1, "r")], "a", 0.1, 0.0, 1.0, "r", "", "")
    written = to_json(Checkup(seen, 0.1, [], [Step("data", True, False, 0.0)], plan, "", 1, 2))
    assert list(written) == [
        "sizes", "classes", "width", "columns", "people", "both", "refusals", "warnings",
        "delta", "settings", "steps", "plan", "over_budget", "bytes_needed", "bytes_free",
    ]  # fmt: skip
    assert written["steps"] == [{"stage": "data", "reused": True, "draws": False, "seconds": 0.0, "rough": False}]
    assert written["plan"]["releases"] == [{"kind": "labels", "epsilon": None, "delta": 0.1, "relation": "r"}]
    assert written["refusals"] == ["column id"]
