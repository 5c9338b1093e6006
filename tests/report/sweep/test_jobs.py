"""Jobs of a sweep: which are taken, which are one group, and what their rows hold."""

import numpy as np
import pytest
from scipy import stats

from pate.evaluation.metrics import metrics
from pate.report.sweep.jobs import Sweep, begin, groups, mean, rows, swept
from pate.report.sweep.summary import sum_up
from tests.report.sweep.made_up import facts, job, method, write


def test_mean_and_standard_error_against_scipy():
    values = [0.91, 0.94, 0.9, 0.99]
    found = mean(values)
    assert found.value == pytest.approx(np.mean(values))
    assert found.error == pytest.approx(stats.sem(values))
    assert found.runs == 4
    assert mean([0.5]).error is None
    assert mean([]) is None


def test_jobs_that_differ_in_seeds_only_are_one_group():
    jobs = [
        job(str(number), f"stage=quality teachers.count={count} seed={seed} noise.seed={seed} dataset.seed={seed}")
        for number, (count, seed) in enumerate([(5, 0), (5, 1), (20, 0), (20, 1)])
    ]
    assert swept(jobs) == ["teachers.count", "seed", "noise.seed", "dataset.seed"]
    assert [(group.choices, [one.name for one in group.jobs]) for group in groups(jobs)] == [
        ({"teachers.count": "5"}, ["0", "1"]),
        ({"teachers.count": "20"}, ["2", "3"]),
    ]


def test_an_override_and_a_result_of_the_same_name_have_columns_of_their_own():
    table = rows([job(str(e), f"dpsgd.epsilon={e}", methods=[method("dpsgd", epsilon=e - 0.01)]) for e in (1, 2)])
    assert [(row["dpsgd.epsilon"], row["dpsgd_epsilon"]) for row in table] == [("1", 0.99), ("2", 1.99)]


def test_only_jobs_of_this_sweep_are_taken(tmp_path):
    for number in (0, 1, 2):
        write(tmp_path / str(number), [f"seed={number}"], facts())
    sweep = begin(tmp_path, ".hydra")
    assert sweep.jobs() == []
    write(tmp_path / "0", ["seed=7"])  # and fails: the results are those of the earlier job
    write(tmp_path / "10", ["+seed=8"], facts())
    write(tmp_path / "9", ["seed=9"], facts())
    found = sweep.jobs()
    assert [(one.name, one.overrides["seed"]) for one in found] == [("0", "7"), ("9", "9"), ("10", "8")]
    assert [one.results is not None for one in found] == [False, True, True]


def test_without_overrides_on_record_every_job_stands_alone(tmp_path):
    sweep = begin(tmp_path, None)
    for number in (0, 1):
        write(tmp_path / str(number), [], facts())
    assert len(groups(sweep.jobs())) == 2
    assert not sum_up(Sweep(tmp_path / "empty", None, {}), [])


def test_columns_keep_their_names_and_every_metric_has_its_own_with_its_error():
    one = job(
        "0",
        "gamma=1",
        methods=[
            method(accuracy=0.9, accuracy_standard_error=0.01),
            method("dpsgd", accuracy=0.8, ahead=[0.1, 0.01, 0.0]),
        ],
    )
    (row,) = rows([one])
    assert (row["pate_accuracy"], row["pate_accuracy_standard_error"]) == (0.9, 0.01)
    assert row["dpsgd_ahead"] == [0.1, 0.01, 0.0]
    assert row["measure"] == "accuracy"
    for name in metrics():
        assert {f"pate_{name}", f"pate_{name}_standard_error", f"pate_public_{name}"} <= row.keys()
