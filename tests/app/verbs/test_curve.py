"""stage=curve: every method at every epsilon, for the owner's eyes. Nothing leaves, nothing is spent, nothing is done
twice; what cannot be is said, and the others go on."""

import json
import re

import pytest

import pate as package
from pate.app.verbs import curve as verb
from pate.errors import ConfigError, PateError
from pate.ledger.ledger import Ledger
from pate.workspace.store import Store

FAST = [
    "stage=curve", "n_jobs=1", "features=identity", "dpsgd.epochs=1", "teachers=ridge", "teachers.count=20",
    "student=supervised",
]  # fmt: skip
GRID = "curve.epsilons=[1,4]"
ALL = {"pate", "dpsgd", "consensus"}


def stages(folder, epsilon):
    return json.loads((folder / f"points/epsilon-{epsilon}-seed-0/results.json").read_text())["stages"]


def lines(found):
    return {line["method"]: line["points"] for line in found["lines"]}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A curve of all methods, its folder, and what the ledger then held."""
    place = tmp_path_factory.mktemp("curve")
    given = [*FAST, GRID, f"workspace={place / 'workspace'}", f"hydra.run.dir={place / 'run'}"]
    return package.run(given), place, Ledger.of(Store(place / "workspace")).entries(), given


def test_every_method_stands_at_every_epsilon_at_its_price_for_every_data_set(made):
    found, place, *_ = made
    assert lines(found).keys() == ALL
    for points in lines(found).values():
        assert [point["epsilon"] for point in points] == [1.0, 4.0]
        for point in points:
            own = point["guarantee"]
            assert 0.9 * point["epsilon"] < own["epsilon"] <= point["epsilon"]
            assert own["holds_for"] == "every data set"
            assert not own["publishable"]
    asked = [point["answers"] for point in lines(found)["pate"]]
    assert asked[0] < asked[1]
    assert found["bounds"][0]["score"] > 0.9
    assert found["baseline"]["score"] < 0.2
    assert not found["failed"]
    for name in ("curve.json", "curve.csv", "curve.svg", "curve.png", "report.html"):
        assert (place / "run" / name).stat().st_mode & 0o077 == 0
    assert json.loads((place / "run/curve.json").read_text()) == found


def test_nothing_is_spent_and_nothing_that_saw_a_record_lies_where_what_may_leave_does(made):
    _, place, entries, _ = made
    assert entries
    assert not [entry for entry in entries if entry.spent]
    assert {entry.spender.scope for entry in entries} == {"owner"}
    assert {path.name for path in (place / "workspace/release").iterdir()} == {"data", "features", "queries", "basis"}


def test_what_no_epsilon_shapes_is_made_once(made):
    _, place, *_ = made
    second = stages(place / "run", 4)
    fresh = {name for name, stage in second.items() if not stage["reused"]}
    assert fresh.isdisjoint({"check", "data", "features", "encode", "teachers", "votes", "nonprivate"})
    assert {"labels", "student", "dpsgd", "consensus"} <= fresh


def test_the_second_time_nothing_is_trained_or_drawn(made, tmp_path):
    first, place, entries, given = made
    again = package.run([*given, f"hydra.run.dir={tmp_path / 'again'}"])
    assert Ledger.of(Store(place / "workspace")).entries() == entries
    for one in ("lines", "bounds", "ahead"):
        assert again[one] == first[one]
    for epsilon in (1, 4):
        assert all(stage["reused"] for stage in stages(tmp_path / "again", epsilon).values())


def test_more_seeds_are_more_models_where_a_seed_shapes_them(run):
    found = run("curve.epsilons=[4]", "curve.seeds=[0,1]", "methods=[dpsgd,consensus]")
    points = {name: points[0] for name, points in lines(found).items()}
    assert points["dpsgd"]["runs"] == 2
    assert points["consensus"]["runs"] == 1  # one noisy sum, whatever the seed
    assert found["seeds"] == [0, 1]


def test_a_method_that_was_named_alone_is_kept_too(run, entries):
    run("curve.epsilons=[4]", "methods=[consensus]")
    assert entries()
    assert not [entry for entry in entries() if entry.spent]


def test_a_strict_budget_is_not_touched(run, entries):
    run("curve.epsilons=[4]", "budget=strict", "budget.epsilon=0.01", "methods=[dpsgd]")
    assert not [entry for entry in entries() if entry.spent]


def test_seeded_noise_says_so_and_is_the_same_elsewhere(run, tmp_path):
    given = ("curve.epsilons=[4]", "methods=[pate,consensus]", "noise.seed=3")
    first, again = run(*given), run(*given, f"workspace={tmp_path / 'other'}")
    assert lines(first)["consensus"][0]["score"] == lines(again)["consensus"][0]["score"]
    assert any("not private" in note for note in first["notes"])
    assert "not private" in (tmp_path / "run/report.html").read_text()


def test_a_point_that_no_noise_reaches_is_left_out_with_the_reason(run):
    found = run("curve.epsilons=[0.001,4]", "methods=[pate,dpsgd]", "aggregator=gnmax", "aggregator.sigma=20")
    assert [point["epsilon"] for point in lines(found)["pate"]] == [4.0]
    assert [point["epsilon"] for point in lines(found)["dpsgd"]] == [0.001, 4.0]
    (hole,) = found["left_out"]
    assert (hole["method"], hole["epsilon"]) == ("pate", 0.001)
    assert "not one answer" in hole["why"]


def test_a_point_that_fails_is_named_and_the_others_go_on(run, entries, monkeypatch, tmp_path):
    from pate.dpsgd.models import Linear

    fit = Linear.fit

    def breaks(self, *args, **known):
        if known["epsilon"] < 2:
            raise PateError("the disk is full")
        return fit(self, *args, **known)

    monkeypatch.setattr(Linear, "fit", breaks)
    found = run(GRID, "methods=[dpsgd]")
    assert found["failed"] == [{"epsilon": 1.0, "seed": 0, "error": "the disk is full"}]
    assert [point["epsilon"] for point in lines(found)["dpsgd"]] == [4.0]
    assert "the disk is full" in (tmp_path / "run/report.html").read_text()
    monkeypatch.undo()
    drawn = [entry.spender.artifact for entry in entries()]
    resumed = run(GRID, "methods=[dpsgd]")
    assert not resumed["failed"]
    assert [point["epsilon"] for point in lines(resumed)["dpsgd"]] == [1.0, 4.0]
    assert resumed["lines"][0]["points"][1] == found["lines"][0]["points"][0]  # what was there is served again
    assert {entry.spender.artifact for entry in entries()} >= set(drawn)


def test_the_measure_that_is_asked_for_decides(run):
    found = run("curve.epsilons=[4]", "methods=[consensus,nonprivate]", "compare.metric=log_loss")
    assert found["measure"]["name"] == "log_loss"
    assert found["lines"][0]["points"][0]["score"] > 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["epsilon=1"], r"^epsilon=1 is one point: a curve has those of curve\.epsilons"),
        (["dpsgd.epsilon=2"], r"^dpsgd\.epsilon=2\.?0? is one point"),
        (["consensus.epsilon=2"], r"^consensus\.epsilon=2\.?0? is one point"),
        (["curve.epsilons=[0]"], r"^curve\.epsilons must be positive"),
        (["curve.seeds=[1,1]"], r"^curve\.seeds must be different"),
        (["methods=[pat]"], r"^methods=pat: expected one of"),
        (["compare.runs=[a]"], r"compare\.runs is for stage=compare"),
        (["input=x"], r"^input is for stage=predict"),
        (["methods=[nonprivate]"], r"^stage=curve: no private method"),
        (["methods=[pate]", "dataset.public=0"], r"^stage=curve: .*public"),
        (["aggregator.gamma=5", "methods=[pate]", "curve.epsilons=[0.1]"], r"^stage=curve: .*not one answer"),
    ],
)
def test_what_is_no_curve_is_refused_before_anything_is_made(settings, words, said):
    with pytest.raises(ConfigError, match=said):
        settings(*FAST, *words)


def test_an_earlier_run_has_the_queries_of_one_epsilon(run, tmp_path, monkeypatch):
    run("curve.epsilons=[4]", "methods=[consensus]")
    with pytest.raises(ConfigError, match=r"brings the noise and the queries of one epsilon"):
        run(f"run={tmp_path / 'run/points/epsilon-4-seed-0'}")


def test_a_point_is_a_run_that_can_be_gone_on_from(run, entries, tmp_path):
    """The owner chose by the picture: the method is drawn anew, and spent."""
    run("curve.epsilons=[4]", "methods=[consensus,dpsgd]")
    point = tmp_path / "run/points/epsilon-4-seed-0"
    package.run([
        f"run={point}", "stage=release", "release.method=consensus", f"output={tmp_path / 'out'}",
        f"hydra.run.dir={tmp_path / 'released'}",
    ])  # fmt: skip
    (spent,) = [entry for entry in entries() if entry.spent]
    assert spent.release.cost.epsilon <= 4
    assert "epsilon 4.000" in (tmp_path / "out/MODEL_CARD.md").read_text()


def test_a_method_that_would_release_what_it_draws_takes_no_part(settings, monkeypatch):
    """As one of another package may, which knows no model of the owner's."""
    import pate.pipelines as pipelines

    consensus = pipelines.methods()["consensus"]
    monkeypatch.setattr(type(consensus), "kept", lambda self, settings: False)
    found, why = verb.at(settings(*FAST, "methods=[pate,consensus]"), 4.0, 0)
    assert found.methods == ("pate",)
    assert "would release, and spend" in why["consensus"]


def test_the_command_line_says_one_line_a_point_and_how_to_go_on(pate, tmp_path):
    command = ("stage=curve", "dpsgd.epochs=1", GRID, "methods=[dpsgd,nonprivate]", "hydra.run.dir=out")
    done = pate(*command)
    assert done.returncode == 0, done.stderr
    assert re.findall(r"^epsilon (\S+) +\d+\.\d s  DP-SGD", done.stderr, re.M) == ["1", "4"]
    assert "features  " not in done.stderr
    assert "curve: digits, test accuracy by epsilon" in done.stdout
    for name, file in (("page", "report.html"), ("picture", "curve.svg"), ("curve", "curve.json")):
        assert f"{name:<8} {tmp_path / 'out' / file}" in done.stdout
    quiet = pate("--quiet", *command)
    assert quiet.stdout == f"{tmp_path / 'out/curve.json'}\n"
    assert quiet.stderr == ""
