"""What a run would do and need, said before it does any of it."""

import pytest
from pate.pipelines import graph

from pate.evaluation.outlook import Step, disk, steps, told
from pate.workspace.runner import Runner
from pate.workspace.store import Store


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


def test_disk_is_for_inputs_features_and_votes(settings, tmp_path):
    need, free = disk(settings("teachers=ridge", "teachers.count=20"), width=64)
    assert need == 4 * 1797 * (64 + 64) + 8 * 20 * 397
    assert free > 0


def test_an_epsilon_is_never_told_alone():
    release = {"kind": "labels", "epsilon": 1.2341, "delta": 1e-5, "relation": "one record replaced by nothing"}
    plan = {"releases": [release], "withheld": "", "account": "clinic", "before": 0.5, "after": 1.6001, "delta": 1e-4}
    plan |= {"relation": "one record replaced by nothing", "account_withheld": "seeded noise: not private"}
    first, second = told(plan)
    assert first == (
        "would release labels: epsilon 1.235 for every data set (publishable), delta 1e-05, "
        "one record replaced by nothing"
    )
    assert "epsilon 0.500 released so far, 1.601 with all of it, for every data set (seeded noise: not" in second
    assert told(plan | {"releases": []})[0] == "would release nothing"
