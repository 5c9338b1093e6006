"""consensus through the pipeline: who pays when, what is kept, kills, served again, groups, release, nonsense."""

import json
import signal
from functools import partial

import numpy as np
import pytest
from pate.pipelines import graph

from pate.errors import BudgetExceeded, ConfigError, PateError
from pate.workspace.pieces import Pieces
from tests.command_line import dies_after_pieces

ALONE = ["methods=[consensus]", "n_jobs=1"]
SIDES = ("private", "release", "evaluation")


def rows(found):
    return {row["name"]: row for row in found["methods"]}


def test_named_it_is_released_and_spent(run, entries):
    found = rows(run(*ALONE))["consensus"]
    assert found["accuracy"] > 0.85
    assert found["epsilon"] == found["epsilon_publishable"] <= 1.0 < found["details"]["epsilon_replace_one"]
    assert found["relation"] == "one record replaced by nothing"
    (entry,) = entries()
    assert entry.spent
    assert entry.release.kind == "consensus"
    assert entry.release.cost.epsilon == found["epsilon"]


@pytest.mark.parametrize("basis", ["kernel", "graph"])
@pytest.mark.parametrize("student", ["itself", "student"])
def test_every_basis_and_student(run, basis, student):
    chosen = [f"consensus={basis}", f"consensus.student={student}", "student=krr", "noise.seed=0"]
    assert rows(run(*ALONE, *chosen))["consensus"]["accuracy"] > 0.85


@pytest.mark.parametrize(("basis", "noise"), [("graph", "Gaussian"), ("kernel", "Gaussian"), ("clusters", "Laplace")])
def test_what_crosses_names_the_noise_of_every_basis(settings, basis, noise):
    chosen = settings(f"consensus={basis}", "methods=[consensus]")
    assert noise in chosen.consensus.plan(1.0, 1e-5, None).describe()
    assert noise in graph(chosen).named("consensus").crosses


def test_not_named_it_is_the_owners_and_not_spent(run, entries, tmp_path):
    brief = [
        "stage=compare",
        "teachers=ridge",
        "teachers.count=20",
        "aggregator.gamma=1",
        "student=supervised",
        "n_jobs=1",
    ]
    found = run(*brief, "dpsgd.epochs=1")
    assert rows(found)["consensus"]["epsilon_publishable"] is None
    assert any("consensus was made for your comparison" in note for note in found["notes"])
    assert [entry.release.kind for entry in entries() if entry.spent] == ["labels"]
    assert not list((tmp_path / "workspace/release").glob("consensus*"))


def test_a_strict_budget_does_not_pay_for_what_was_not_named(run, entries):
    strict = ["budget=strict", "budget.epsilon=200"]
    brief = [
        "stage=compare",
        "teachers=ridge",
        "teachers.count=20",
        "aggregator.gamma=1",
        "student=supervised",
        "n_jobs=1",
    ]
    run(*brief, *strict, "dpsgd.epochs=1")
    assert "consensus" not in [entry.release.kind for entry in entries() if entry.spent]
    with pytest.raises(BudgetExceeded):
        run(*ALONE, *strict, "consensus.epsilon=180")


def test_named_for_release_alone_is_named(run, entries):
    run("stage=release", "release.method=consensus", "n_jobs=1")
    assert [entry.release.kind for entry in entries() if entry.spent] == ["consensus"]


def test_what_was_drawn_is_served_again(run, entries):
    first = run(*ALONE)
    for same in ([], ["consensus.student=student", "student=supervised"], ["consensus.epsilon=1"], ["delta=0.0001"]):
        again = run(*ALONE, *same)
        assert again["stages"]["consensus"]["reused"], same
    assert len(entries()) == 1
    other = run(*ALONE, "consensus.epsilon=0.9")
    assert not other["stages"]["consensus"]["reused"]
    assert len(entries()) == 2
    assert first["stages"]["consensus"]["key"] != other["stages"]["consensus"]["key"]


def test_asked_for_afresh_it_is_paid_again(run, entries):
    run(*ALONE)
    found = run(*ALONE, "force=[consensus]")
    assert len([entry for entry in entries() if entry.spent]) == 2
    assert any("prices of all draws add up" in note for note in found["notes"])


def test_at_what_pate_may_publish(run):
    brief = [
        "teachers=ridge",
        "teachers.count=20",
        "aggregator.gamma=1",
        "student=supervised",
        "dpsgd.epochs=1",
        "n_jobs=1",
    ]
    found = rows(run("stage=compare", *brief, "methods=[pate,consensus]", "consensus.epsilon=pate"))
    assert found["pate"]["epsilon_publishable"] * 0.999 < found["consensus"]["epsilon"]
    assert found["consensus"]["epsilon"] <= found["pate"]["epsilon_publishable"]


@pytest.mark.parametrize("releases", [1, 2])
def test_killed_after_its_draw_it_pays_once(pate, tmp_path, entries, releases):
    """The sum is kept before the stage is stored: what goes on after a kill is the very same draw, and a second sum is
    drawn under the reservation of both."""
    asked = [*ALONE, "stage=consensus", f"consensus.releases={releases}"]
    killed = pate(*asked, prepare=partial(dies_after_pieces, 1))
    assert killed.returncode == -signal.SIGKILL
    (pieces,) = (tmp_path / "workspace/private/consensus").glob("*.pieces")
    (kept,) = Pieces(pieces).load().values()
    again = pate(*asked)
    assert again.returncode == 0, again.stderr
    assert [entry.status for entry in entries()] == ["released"]
    (stored,) = (tmp_path / "workspace/release/consensus").glob("*/consensus.npz")
    total = np.load(stored)["total"]
    assert np.array_equal(total[0], kept)
    assert len(total) == releases


@pytest.fixture
def stopped_after(run, monkeypatch):
    """A run that ends right after this sum was kept."""

    def stop(number, *asked):
        real = Pieces.save

        def save(self, index, array):
            real(self, index, array)
            if index == number:
                raise RuntimeError("stopped here")

        with monkeypatch.context() as patched:
            patched.setattr(Pieces, "save", save)
            with pytest.raises(PateError, match="failed with RuntimeError"):
                run(*asked)

    return stop


def test_what_another_plan_has_begun_is_drawn_and_paid_for_anew(run, entries, stopped_after, monkeypatch):
    """Edited code may want more sums of the same draw: the first one had the noise of a single one."""
    asked = [*ALONE, "stage=consensus"]
    stopped_after(0, *asked)
    monkeypatch.setattr("pate.consensus.kernel.KernelConsensus.how_often", lambda *_: 3)
    run(*asked)
    assert [entry.status for entry in entries()] == ["abandoned", "released"]
    assert entries()[1].release.parameters["releases"] == 3


def test_a_second_sum_whose_first_is_lost_is_not_used(run, entries, stopped_after, tmp_path):
    asked = [*ALONE, "stage=consensus", "consensus.releases=2"]
    stopped_after(1, *asked)
    first, second = sorted((tmp_path / "workspace/private/consensus").glob("*.pieces/*.npy"))
    lost = np.load(second)
    first.write_bytes(b"damaged")
    run(*asked)
    assert [entry.status for entry in entries()] == ["abandoned", "released"]
    (stored,) = (tmp_path / "workspace/release/consensus").glob("*/consensus.npz")
    assert not np.array_equal(np.load(stored)["total"][1], lost)


def test_floating_point_noise_is_not_released(run, entries):
    asked = [*ALONE, "consensus.noise=continuous"]
    with pytest.raises(ConfigError, match="floating-point noise gives away"):
        run("stage=consensus", *asked)
    assert run("stage=consensus", *asked, "noise.seed=1")["stages"]["consensus"]


def test_seeded_noise_is_evaluation(run, tmp_path):
    found = rows(run(*ALONE, "noise.seed=3"))["consensus"]
    assert found["epsilon_publishable"] is None
    assert [side for side in SIDES if list((tmp_path / "workspace" / side).glob("consensus/*/*.npz"))] == ["evaluation"]
    with pytest.raises(ConfigError, match="seeded"):
        run("stage=release", *ALONE, "noise.seed=3")


@pytest.fixture
def people(tmp_path):
    """A table in which every person has several rows, and nobody is on two sides."""
    rng = np.random.default_rng(0)
    (tmp_path / "people").mkdir()
    for place, (side, rows) in enumerate({"private": 600, "public": 300, "test": 150}.items()):
        y = rng.integers(2, size=rows)
        lines = [f"{x:.3f},{z:.3f},{1000 * place + i // 4},{label}" for i, (x, z, label) in
                 enumerate(zip(rng.normal(2 * y), rng.normal(-2 * y), y, strict=True))]  # fmt: skip
        (tmp_path / f"people/{side}.csv").write_text("x,z,person,label\n" + "\n".join(lines))
    return [
        "dataset=arrays", f"dataset.path={tmp_path / 'people'}", "dataset.label=label", "dataset.classes=['0','1']",
        "delta=1e-4", "partition.group_by=person",
    ]  # fmt: skip


def test_all_records_of_one_person(run, people):
    found = rows(run(*ALONE, *people, "noise.seed=0", "consensus.clip=3"))["consensus"]
    assert found["relation"] == "all records of one person replaced by nothing"
    assert found["accuracy"] > 0.8


def test_other_clips_are_other_draws(run, people, entries):
    run(*ALONE, *people, "consensus.clip=3")
    run(*ALONE, *people, "consensus.clip=4")
    assert len(entries()) == 2


def test_it_leaves_with_its_card(run, tmp_path):
    run("stage=release", *ALONE, f"output={tmp_path / 'out'}")
    card = (tmp_path / "out/MODEL_CARD.md").read_text()
    assert "one sum of bounded answers" in card
    assert "epsilon if replaced by another" in card
    assert (tmp_path / "out/model.onnx").exists()
    facts = json.loads((tmp_path / "out/manifest.json").read_text())
    assert "consensus" in json.dumps(facts)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (["consensus.epsilon=0"], "epsilon must be a positive number"),
        (["consensus.clip=-1"], "clip must be a positive number"),
        (["consensus.components=5000"], "components=5000"),
        (["dataset.public=0"], "public"),
        (["consensus.noise=laplace"], "discrete, continuous"),
        (["consensus.epsilon=pate"], "pate"),
    ],
)
def test_nonsense_is_one_clear_line_and_spends_nothing(run, entries, wrong, says):
    with pytest.raises(ConfigError, match=says) as told:
        run(*ALONE, *wrong)
    assert "\n" not in str(told.value)
    assert not entries()


def test_the_basis_and_all_but_the_sum_know_no_private_record(run, tmp_path):
    """Two data sets that differ in private records alone: every releasable artifact but the sum and what follows from
    it is the same, bit for bit."""
    rng = np.random.default_rng(0)
    public, test = rng.normal(size=(150, 6)).astype(np.float32), rng.normal(size=(50, 6)).astype(np.float32)
    kept = {}
    for name, spread in (("one", 1.0), ("two", 50.0)):
        place = tmp_path / name
        place.mkdir()
        x = (spread * rng.normal(size=(200, 6))).astype(np.float32)
        np.savez(place / "private.npz", x=x, y=np.arange(200) % 3 if name == "one" else np.full(200, 2))
        np.savez(place / "public.npz", x=public)
        np.savez(place / "test.npz", x=test, y=np.arange(50) % 3)
        own = ["dataset=arrays", f"dataset.path={place}", "dataset.classes=[a,b,c]", "delta=1e-3"]
        run(*ALONE, *own, f"workspace={tmp_path / name}-kept")
        release = tmp_path / f"{name}-kept/release"
        files = [file for file in release.rglob("*") if file.suffix in (".npz", ".safetensors")]
        kept[name] = {f"{file.relative_to(release).parts[0]}/{file.name}": file.read_bytes() for file in files}
    same = [name for name, content in kept["one"].items() if kept["two"].get(name) == content]
    differ = ["consensus/consensus.npz", "consensus_student/consensus_student.safetensors"]
    assert sorted(kept["one"].keys() - set(same)) == differ
    assert "basis/basis.npz" in same
