"""run=FOLDER: an earlier run again, from anywhere, with its very artifacts; what is said now goes on top."""

import json
import re
import shlex
import shutil

import pytest

from pate.app.earlier import EARLIER, Earlier, recall
from pate.errors import ConfigError
from pate.ledger.ledger import Ledger
from pate.workspace.store import Store
from pate.workspace.versions import RESULTS

SMALL = ["teachers=ridge", "teachers.count=20", "labels.queries=30", "student=supervised", "dpsgd.epochs=1", "n_jobs=1"]
EXPERIMENT = """
# @package _global_
defaults:
  - override /teachers: own
labels: {queries: 20}
"""


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """Two methods scored, in a folder that nobody works in any more: an experiment's, which is gone since."""
    from tests.command_line import command_line

    place = tmp_path_factory.mktemp("first")
    (place / "mine" / "experiment").mkdir(parents=True)
    (place / "mine" / "teachers").mkdir()
    (place / "mine" / "experiment" / "small.yaml").write_text(EXPERIMENT)
    (place / "mine" / "teachers" / "own.yaml").write_text("_target_: pate.teachers.ridge.Ridge\ncount: 20\n")
    given = ["--config-dir", "mine", "+experiment=small", *SMALL[3:], "methods=[pate,dpsgd]", "dpsgd.epsilon=2"]
    done = command_line(*given, "hydra.run.dir=workspace/runs/one", cwd=place)
    assert done.returncode == 0, done.stderr
    shutil.rmtree(place / "mine")
    return place, done.stdout


@pytest.fixture
def earlier(first, tmp_path):
    """A copy of it for each test, as if its folder had been moved."""
    shutil.copytree(first[0], tmp_path / "there")
    (tmp_path / "here").mkdir()
    return tmp_path / "there" / "workspace" / "runs" / "one"


@pytest.fixture
def here(tmp_path):
    from functools import partial

    from tests.command_line import command_line

    return partial(command_line, cwd=tmp_path / "here")


def stages(folder):
    return json.loads((folder / "results.json").read_text())["stages"]


def last(place):
    return max((place / "there" / "workspace" / "runs").iterdir(), key=lambda run: (run.name != "one", run.name))


def spent(place):
    return [entry.release.kind for entry in Ledger.of(Store(place / "there" / "workspace")).entries()]


def test_what_that_run_made_is_released_from_another_folder_and_nothing_is_made_again(here, earlier, tmp_path):
    before, own = spent(tmp_path), stages(earlier)
    for method in ("pate", "dpsgd"):
        done = here("stage=release", f"run={earlier}", f"release.method={method}", f"output={method}")
        assert done.returncode == 0, done.stderr
        again = stages(last(tmp_path))
        assert {name for name, stage in again.items() if not stage["reused"]} == {"release"}
        assert all(own[name]["key"] == stage["key"] for name, stage in again.items() if name in own)
        assert (tmp_path / "here" / method / "MODEL_CARD.md").is_file()
        assert "ledger: account" not in done.stderr  # nothing new is spent
    assert spent(tmp_path) == before


def test_this_command_goes_on_top_and_says_first_what_it_adds(here, earlier, tmp_path):
    done = here("stage=release", f"run={earlier}", "release.method=dpsgd", "dpsgd.epsilon=1", "output=out")
    assert done.returncode == 0, done.stderr
    account = next(line for line in done.stderr.splitlines() if line.startswith("ledger: account"))
    assert done.stderr.index(account) < done.stderr.index("\ndpsgd ")
    before, after = re.search(r"epsilon ([\d.]+) released so far, ([\d.]+) with all of it", account).groups()
    assert "delta 0.0001, one record replaced by nothing" in account
    assert "for every data set (publishable)" in account
    assert not stages(last(tmp_path))["dpsgd"]["reused"]
    told = json.loads((earlier / "results.json").read_text())["ledger"]
    assert float(before) == pytest.approx(told["epsilon"], abs=1e-3)
    assert f"together: epsilon {after}" in here("stage=ledger", f"run={earlier}").stdout


def test_a_budget_refuses_as_it_did(here, earlier, tmp_path):
    before = spent(tmp_path)
    strict = ["budget=strict", "budget.epsilon=5"]
    done = here("stage=release", f"run={earlier}", "release.method=dpsgd", "dpsgd.epsilon=4", *strict)
    assert done.returncode == 3
    assert "it does not fit" in done.stderr
    assert spent(tmp_path) == before


def test_the_card_says_how_its_model_was_chosen(here, earlier, tmp_path):
    def card(*more):
        done = here("stage=release", f"run={earlier}", "output=out", *more)
        assert done.returncode == 0, done.stderr
        about = json.loads((tmp_path / "here" / "out" / "manifest.json").read_text())["about"]
        return (tmp_path / "here" / "out" / "MODEL_CARD.md").read_text(), about["chosen"], done.stdout

    text, chosen, told = card("release.method=dpsgd")
    claim = "chosen among 2 methods by scores no epsilon covers"
    assert claim in text
    assert (chosen["claim"], chosen["methods"]) == (claim, 2)
    assert f"note: what left was {claim}" in told
    public = ("release.method=dpsgd", "dataset.test_public=true")
    assert card(*public)[1]["how"] == "by score"  # nobody had said so when they were scored
    assert here("stage=compare", f"run={earlier}", public[1], "force=[compare]").returncode == 0
    text, chosen, told = card(*public)
    assert claim not in text + told
    assert chosen["how"] == "among released"
    fresh = [f"workspace={tmp_path / 'fresh'}", "release.method=dpsgd"]
    assert card(*fresh)[1]["how"] == "nothing scored"
    assert here(f"run={earlier}", *fresh).returncode == 0  # scored, with the method named beforehand
    assert card(*fresh)[1]["how"] == "fixed"
    assert card(*fresh[:1], "release.method=pate")[1]["how"] == "by score"


def test_the_commands_at_its_end_work_when_pasted(first, pate, tmp_path):
    shutil.copytree(first[0], tmp_path / "there")
    from tests.command_line import command_line

    lines = {word: command for word, _, command in (line.partition(" ") for line in first[1].splitlines())}
    _, *publish = shlex.split(lines["next"].lstrip().replace(str(first[0]), str(tmp_path / "there")))
    assert publish == ["stage=release", f"run={tmp_path}/there/workspace/runs/one", "release.method=pate"]
    done = command_line("--quiet", *publish, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().endswith(".zip")
    _, *predict = shlex.split(lines["predict"].lstrip().replace(str(first[0]), str(tmp_path / "there")))
    import numpy as np

    np.save(tmp_path / "new.npy", np.zeros((3, 8, 8)))
    done = command_line(*predict[:-1], "input=new.npy", "output=answers.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len((tmp_path / "answers.csv").read_text().splitlines()) == 4
    done = command_line("stage=predict", predict[1], "release.method=nonprivate", "input=new.npy", cwd=tmp_path)
    assert done.returncode == 2
    assert "its methods: pate, dpsgd" in done.stderr


def test_scored_again_and_swept(here, earlier, tmp_path):
    assert here("--quiet", "stage=compare", f"run={earlier}").returncode == 0
    assert all(stage["reused"] for stage in stages(last(tmp_path)).values())
    done = here("--quiet", "-m", "stage=student", f"run={earlier}", "student=supervised,krr", "hydra.sweep.dir=s")
    assert done.returncode == 0, done.stderr
    kinds = [json.loads((tmp_path / "here" / "s" / job / "results.json").read_text()) for job in "01"]
    assert [one["config"]["student"]["_target_"].rpartition(".")[2] for one in kinds] == [
        "Supervised",
        "KRR",
    ]
    assert all(one["stages"]["labels"]["reused"] for one in kinds)
    refused = here("stage=release", "run=s")
    assert "several runs, each with a configuration of its own; name one of them, such as run=s/0" in refused.stderr
    assert here("--quiet", "stage=student", "run=s/1").returncode == 0  # and a job of it is a run


@pytest.fixture
def damaged(earlier):
    def with_(change):
        file = earlier / "results.json"
        file.write_text(json.dumps(change(json.loads(file.read_text()))))
        return earlier

    return with_


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda found: found | {"version": RESULTS + 1}, "was written by a newer version of this program"),
        (lambda found: [], "is no results.json of this program"),
        (lambda found: found | {"config": {}}, "results.json"),
        (lambda found: found | {"config": found["config"] | {"llama": 3}}, "nothing here knows its setting llama"),
    ],
)
def test_what_is_no_run_is_refused_in_one_line(damaged, change, words):
    with pytest.raises(ConfigError, match=words) as refused:
        recall([f"run={damaged(change)}"])
    assert "\n" not in str(refused.value)


def test_what_is_no_folder_of_a_run(tmp_path, earlier):
    for name in ("nothing", "killed/.hydra", "several"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "killed" / ".hydra" / "overrides.yaml").touch()
    (tmp_path / "several" / "compare.json").touch()
    for name, words in {
        "nowhere": "no such folder",
        "nothing": "holds no results.json",
        "killed": "did not finish",
        "several": "several runs",
    }.items():
        with pytest.raises(ConfigError, match=words):
            recall([f"run={tmp_path / name}"])
    (earlier / "unfinished.json").write_text('{"error": "it was killed", "resume": "pate a=1"}')
    with pytest.raises(ConfigError, match="did not finish: it was killed; to resume: pate a=1"):
        recall([f"run={earlier}"])


def test_several_runs_or_another_configuration_or_a_lost_workspace_are_refused(earlier, tmp_path):
    with pytest.raises(ConfigError, match="one run at a time"):
        recall([f"run={earlier},{earlier}"])
    with pytest.raises(ConfigError, match=r"noise and queries of its own: epsilon=2 plans them anew"):
        recall([f"run={earlier}", "epsilon=2"])
    with pytest.raises(ConfigError, match="brings a whole configuration"):
        recall([f"run={earlier}", "--config-name=mine"])
    assert recall([]) == recall(["run=null", "seed=1"]) == "config"
    moved = tmp_path / "elsewhere"
    earlier.rename(moved)
    shutil.rmtree(tmp_path / "there")
    found = json.loads((moved / "results.json").read_text()) | {"made_in": str(tmp_path / "there")}
    (moved / "results.json").write_text(json.dumps(found))
    with pytest.raises(ConfigError, match=r"its workspace .*there/workspace is not there any more"):
        recall([f"run={moved}"])
    assert recall([f"run={moved / 'results.json'}", "workspace=mine"]) == EARLIER


def test_a_results_file_that_does_not_say_where_it_was_made(here, damaged, tmp_path):
    """Earlier versions did not: above its workspace, if it lies in that."""
    old = damaged(lambda found: {name: value for name, value in found.items() if name != "made_in"})
    done = here("--quiet", "stage=student", f"run={old}")
    assert done.returncode == 0, done.stderr
    assert all(stage["reused"] for stage in stages(last(tmp_path)).values())


def test_a_default_that_moved_since_and_a_setting_that_came_later(here, damaged, tmp_path):
    def older(found):
        del found["config"]["student"]["_target_"], found["config"]["labels"]["wrong"], found["config"]["owner"]
        found["config"]["student"] = {"_target_": "pate.students.supervised.Supervised"}
        return found

    done = here("--quiet", "stage=student", f"run={damaged(older)}", "student.inverse_penalty=2")
    assert done.returncode == 0, done.stderr
    config = json.loads((last(tmp_path) / "results.json").read_text())["config"]
    assert config["labels"]["wrong"] is None
    assert config["teachers"]["count"] == 20
    assert config["labels"]["queries"] == 20  # of the experiment that is gone


def test_the_measure_of_that_run_is_kept_and_what_it_was_put_beside_is_not(damaged):
    own = {"metric": "auc", "runs": ["elsewhere"]}
    config = lambda found: found["config"] | {"compare": found["config"]["compare"] | own}  # noqa: E731
    then = Earlier.of(str(damaged(lambda found: found | {"config": config(found)}))).config()["compare"]
    assert then["metric"] == "auc"
    assert "runs" not in then
