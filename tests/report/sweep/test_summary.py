"""A sweep summed up: unit tests on made-up jobs, and real sweeps in real processes."""

import csv
import json
import stat
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from pate.noise import SEEDED
from pate.report.draw.picture import FOOTNOTE, apart, curve_of
from pate.report.sweep.jobs import Job, Sweep, begin, groups, mean, rows, swept
from pate.report.sweep.summary import sum_up
from pate.report.sweep.table import print_sweep
from pate.report.sweep.unfinished import Unfinished
from tests.evaluation.made_up import typed

GAMMAS = [0.05, 1.0]


def method(name="pate", **known):
    facts = {"epsilon": 1.0, "delta": 1e-4, "epsilon_publishable": 2.0, "guarantee": "this data set"}
    return {"name": name, **facts, "relation": "one record replaced by nothing", "accuracy": None} | known


def facts(*, methods=(), quality=None, notes=(), stages=None):
    """Of a made-up run, as the first version wrote them."""
    pate = dict.fromkeys(("queries", "answered", "label_accuracy", "teacher_accuracy", "plurality_accuracy"))
    return {
        "methods": list(methods),
        "pate": pate,
        "quality": quality,
        "stages": stages or {},
        "config": {"dataset": {"name": "digits", "path": None}, "aggregator": {"gamma": 0.2}},
        "notes": list(notes),
    }


def job(name, overrides, *, finished=True, **known):
    return Job(
        name, dict(pair.split("=", 1) for pair in overrides.split()), typed(facts(**known)) if finished else None
    )


def quality(right, at):
    return {"teachers": 5, "label_accuracy": right, "plurality_accuracy": 0.9, "gammas": GAMMAS, "accuracy_at": at}


def stored(reused, key="k"):
    return {"votes": {"key": "v", "reused": True}, "labels": {"key": key, "reused": reused}}


def words(capsys):
    return " ".join(capsys.readouterr().out.split())


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


def test_a_curve_is_the_mean_over_seeds_where_it_is_known():
    shares = np.array([[0.2, 0.8], [0.3, 0.84]])
    jobs = [job(str(seed), f"seed={seed}", quality=quality(0.5, list(shares[seed]))) for seed in range(2)]
    (group,) = groups(jobs)
    curve = curve_of(group)
    assert [point.value for point in curve.points.values()] == pytest.approx(shares.mean(axis=0))
    assert [point.error for point in curve.points.values()] == pytest.approx(stats.sem(shares, axis=0))
    (unknown,) = groups([job("0", "seed=0", quality=quality(None, [None, 0.7]))])
    assert list(curve_of(unknown).points) == [1.0]
    (none,) = groups([job("0", "seed=0", quality=quality(None, [None, None]))])
    assert curve_of(none) is None


def test_an_override_and_a_result_of_the_same_name_have_columns_of_their_own():
    table = rows([job(str(e), f"dpsgd.epsilon={e}", methods=[method("dpsgd", epsilon=e - 0.01)]) for e in (1, 2)])
    assert [(row["dpsgd.epsilon"], row["dpsgd_epsilon"]) for row in table] == [("1", 0.99), ("2", 1.99)]


def test_the_largest_epsilon_of_a_group_is_shown_rounded_up_with_all_that_belongs_to_it(capsys):
    epsilons = (1.5001, 1.2)
    jobs = [job(str(n), f"seed={n}", methods=[method(epsilon=e)], stages=stored(True)) for n, e in enumerate(epsilons)]
    print_sweep(jobs)
    out = words(capsys)
    assert "1.501" in out
    assert "1.200" not in out
    assert "largest of runs" in out
    assert (
        "PATE epsilon: the owner's; holds for this data set; delta 0.0001; neighbours: one record replaced by nothing; "
        "the publishable one holds for every data set, with the same delta and neighbours"
    ) in out


def test_what_differs_between_groups_is_a_column(capsys):
    print_sweep([job(str(d), f"delta={d}", methods=[method(delta=d)]) for d in (1e-4, 1e-6)])
    out = words(capsys)
    assert "PATE delta" in out
    assert "delta 0.0001;" not in out
    kinds = ("this data set", "every data set")
    print_sweep([job(kind[0], f"aggregator={kind[0]}", methods=[method(guarantee=kind)]) for kind in kinds])
    assert "PATE holds for" in words(capsys)


def test_one_run_without_a_publishable_epsilon_leaves_its_group_without(capsys):
    seeded = method(epsilon_publishable=None)
    print_sweep([job("0", "noise.seed=null", methods=[method()]), job("1", "noise.seed=1", methods=[seeded])])
    assert "2.000" not in words(capsys)
    both = [job(str(n), f"noise.seed={n}", methods=[seeded], notes=[SEEDED]) for n in range(2)]
    print_sweep(both)
    out = words(capsys)
    assert "the owner's: none may be published" in out
    assert f"note: {SEEDED}" in out


def test_draws_are_counted_and_served_labels_are_not(capsys):
    def told(*stages):
        print_sweep([job(str(n), f"seed={n}", methods=[method()], stages=one) for n, one in enumerate(stages)])
        return words(capsys)

    assert "2 draws of labels from the same private data" in told(stored(False, "a"), stored(False, "b"))
    assert "2 draws of labels" in told(stored(False), stored(False))  # forced: the same key, drawn twice
    assert "2 draws of labels" in told(stored(True, "a"), stored(True, "b"))  # of earlier runs
    assert "draws of labels" not in told(stored(False), stored(True))
    assert "2 of 2 jobs drew no labels" in told({}, {})


def test_a_file_that_names_a_model_and_not_its_stage_is_no_reason_to_fall(capsys):
    print_sweep([job("0", "seed=0", methods=[method("dpsgd", epsilon=2.0, guarantee="every data set")])])
    assert "DP-SGD" in words(capsys)


def test_notes_and_jobs_that_did_not_finish_are_told_and_brackets_are_kept(tmp_path, capsys):
    jobs = [
        job("0", "force=[labels] seed=0", notes=["all of them", "one of them"]),
        job("1", "force=[labels] seed=1", notes=["all of them"]),
        replace(job("2", "force=[labels] seed=2", finished=False), unfinished=Unfinished("why", "pate seed=2")),
    ]
    assert sum_up(Sweep(tmp_path, None, {}), jobs)
    told = capsys.readouterr()
    out, errors = " ".join(told.out.split()), " ".join(told.err.split())
    assert "sweep: force=[labels]" in out
    assert "note: all of them" in out
    assert "note (1 of 2 jobs): one of them" in out
    assert "1 of 3 jobs did not finish: job 2 (seed=2): why to resume: pate seed=2" in errors
    facts = json.loads((tmp_path / "sweep.json").read_text())
    assert [(one["job"], one["error"], one["resume"]) for one in facts["failed"]] == [("2", "why", "pate seed=2")]
    assert [row["finished"] for row in facts["jobs"]] == [True, True, False]


def test_labels_are_kept_apart_in_order_and_below_the_top():
    heights = [0.97, 0.2, 0.96, 0.95]
    placed = apart(heights, 0.1)
    assert placed[1] == 0.2
    assert list(np.argsort(placed)) == list(np.argsort(heights))
    assert np.diff(sorted(placed)).min() >= 0.1 - 1e-12
    assert max(placed) <= 1


def write(folder, overrides, results=None):
    (folder / ".hydra").mkdir(parents=True, exist_ok=True)
    (folder / ".hydra" / "overrides.yaml").write_text("".join(f"- {one}\n" for one in overrides))
    if results is not None:
        (folder / "results.json").write_text(json.dumps(results))


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


@pytest.mark.parametrize("count", [1, 7, 9])
def test_a_picture_of_few_and_of_many_lines(tmp_path, count, capsys):
    for number in range(count):
        results = facts(quality=quality(0.5, [0.1, 0.1 * number]))
        write(tmp_path / str(number), [f"labels.queries={number}"], results)
    sweep = Sweep(tmp_path, ".hydra", {})
    assert sum_up(sweep, sweep.jobs())
    text = "".join(ElementTree.parse(tmp_path / "quality.svg").getroot().itertext())
    for name in [f"labels.queries={number}" for number in range(count)] if count > 1 else ["5 teachers"]:
        assert name in text
    assert (tmp_path / "quality.png").read_bytes().startswith(b"\x89PNG")


RIDGE = ["stage=quality", "teachers=ridge", "n_jobs=1"]


def test_a_real_sweep_is_summed_up(pate, tmp_path):
    done = pate("-m", *RIDGE, "teachers.count=5,20", "seed=0,1", "hydra.sweep.dir=swept")
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "swept"
    assert f"picture  {folder / 'quality.svg'}" in done.stdout
    for name in ("sweep.csv", "sweep.json", "quality.svg", "quality.png"):
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600
    with open(folder / "sweep.csv", newline="") as file:
        table = list(csv.DictReader(file))
    assert [(row["teachers.count"], row["seed"]) for row in table] == [("5", "0"), ("5", "1"), ("20", "0"), ("20", "1")]
    assert "stage" not in table[0]
    found = [json.loads((folder / row["job"] / "results.json").read_text()) for row in table]
    for row, one in zip(table, found, strict=True):
        for key in ("epsilon", "delta", "epsilon_publishable"):
            assert float(row[f"pate_{key}"]) == one["methods"][0][key]
        assert row["pate_guarantee"] == one["methods"][0]["guarantee"]
        assert row["pate_relation"] == one["methods"][0]["relation"]
        assert row["pate_accuracy"] == ""
        assert float(row["quality_label_accuracy"]) == one["quality"]["label_accuracy"]
        at = [float(row[f"quality_accuracy_at_{gamma:g}"]) for gamma in one["quality"]["gammas"]]
        assert at == one["quality"]["accuracy_at"]
    for row, plain in zip(table, json.loads((folder / "sweep.json").read_text())["jobs"], strict=True):
        assert list(row) == list(plain)
        assert row["pate_epsilon"] == str(plain["pate_epsilon"])
    labels = [one["quality"]["pool_accuracy"] for one in found[2:]]
    assert f"{np.mean(labels):.2%} ± {stats.sem(labels):.2%}" in done.stdout
    text = "".join(ElementTree.parse(folder / "quality.svg").getroot().itertext())
    for part in ("5 teachers", "20 teachers", "Laplace noise of scale 1/gamma", "mean of 2 runs", FOOTNOTE):
        assert part in text


def test_a_failed_job_is_named_and_the_finished_ones_are_summed_up(pate, tmp_path):
    done = pate("-m", *RIDGE, "teachers.count=5,5000", "aggregator=gnmax")
    assert done.returncode == 1
    assert "pate: job 1 failed: teachers.count=5000: there are only 1200 private records" in done.stderr
    assert "1 of 2 jobs did not finish:" in done.stderr
    (file,) = tmp_path.rglob("sweep.json")
    assert [row["finished"] for row in json.loads(file.read_text())["jobs"]] == [True, False]
    assert "Gaussian noise of sigma = 1/gamma" in (file.parent / "quality.svg").read_text()


def test_a_summary_that_fails_is_seen_and_spares_the_sweep(pate, tmp_path):
    (tmp_path / "swept" / "sweep.csv").mkdir(parents=True)
    done = pate("-m", "stage=data", "delta=0.0001,0.0002", "hydra.sweep.dir=swept")
    assert done.returncode == 0
    assert "pate: the sweep was not summed up; its jobs' results are there" in done.stderr
    assert "IsADirectoryError" in done.stderr
    assert len(list(tmp_path.rglob("results.json"))) == 2
