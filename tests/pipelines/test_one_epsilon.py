"""epsilon=: one key for the whole run. Nothing that leaves costs more, and only what is named leaves."""

from itertools import product

import numpy as np
import pytest

from pate.errors import ConfigError

QUICK = ["n_jobs=1", "dpsgd.epochs=2", "teachers.count=20"]
METHODS = ("pate", "dpsgd", "consensus")
DATA = ("digits", "mnist", "fashion_mnist", "cifar10", "svhn", "adult")


def releases_of(settings):
    from pate.pipelines import foreseen, graph

    return dict(foreseen(settings, [one.name for one in graph(settings).stages]))


@pytest.fixture
def own(tmp_path):
    """A table of two classes, of which one is rare, with an owner for each three rows."""
    rng = np.random.default_rng(0)
    y = (rng.random(900) < 0.2).astype(int)
    rows = [f"{rng.normal(2 * one):.3f},{rng.normal():.3f},p{i // 3},{'ny'[one]}" for i, one in enumerate(y)]
    folder = tmp_path / "own"
    folder.mkdir()
    for side, first, last in (("private", 0, 600), ("public", 600, 800), ("test", 800, 900)):
        (folder / f"{side}.csv").write_text("a,b,person,label\n" + "\n".join(rows[first:last]))
    return [
        "dataset=arrays", f"dataset.path={folder}", "dataset.label=label", "dataset.classes=[n,y]", "delta=1e-4",
    ]  # fmt: skip


@pytest.mark.parametrize(("data", "method"), list(product(DATA, METHODS)))
def test_on_every_data_set_what_a_method_would_release_costs_no_more(settings, tmp_path, monkeypatch, data, method):
    """Of files that are not there yet, as many as were published."""
    monkeypatch.chdir(tmp_path)
    found = settings("epsilon=1", f"dataset={data}", f"release.method={method}")
    assert found.epsilon == 1.0
    ((stage, release),) = releases_of(found).items()
    assert stage == {"pate": "labels"}.get(method, method)
    assert 0.9 < release.cost.epsilon <= 1


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("data", ["digits", "own"])
def test_a_run_spends_what_is_named_and_keeps_the_rest(run, entries, own, data, method):
    chosen = own if data == "own" else []
    found = run("epsilon=1", f"release.method={method}", "stage=compare", *QUICK, *chosen)
    spent = [entry for entry in entries() if entry.spent]
    assert [entry.release.cost.epsilon <= 1 for entry in spent] == [True]
    assert found["ledger"]["total"]["epsilon"] <= 1
    private = {row["name"]: row for row in found["methods"] if row["private"]}
    assert set(private) == set(METHODS)
    for name, row in private.items():
        every = min(one["epsilon"] for one in row["guarantees"] if not one["data_dependent"])
        assert 0.98 < every <= 1
        assert row["kept"] == (name != method)
        assert (row["epsilon_publishable"] is not None) == (name == method)


def test_where_nothing_is_named_nothing_is_spent_and_nothing_leaves(run, entries):
    found = run("epsilon=1", "stage=compare", *QUICK)
    assert not [entry for entry in entries() if entry.spent]
    assert {entry.spender.scope for entry in entries()} == {"owner"}
    assert all(row["epsilon_publishable"] is None for row in found["methods"])
    assert not any(price["publishable"] for price in found["pate"]["accountants"])
    assert sum("was made for your comparison" in note for note in found["notes"]) == 3
    with pytest.raises(ConfigError, match=r"release\.method="):
        run("stage=release", "epsilon=1", *QUICK)


def test_the_only_method_is_the_one_that_is_released(run, entries):
    found = run("epsilon=1", "methods=[consensus]", "stage=compare", *QUICK)
    assert len(entries()) == 1
    assert found["methods"][0]["epsilon_publishable"] == pytest.approx(1, abs=1e-3)


def test_what_was_kept_is_drawn_anew_where_it_is_released(run, entries, tmp_path):
    """As nobody outside has seen the first draw, it costs nothing that leaves."""
    run("epsilon=1", "stage=compare", *QUICK)
    run("stage=release", "epsilon=1", "release.method=pate", *QUICK, f"output={tmp_path / 'out'}")
    assert [entry.release.kind for entry in entries() if entry.spent] == ["labels"]
    card = (tmp_path / "out/MODEL_CARD.md").read_text()
    assert "epsilon 1.000" in card or "epsilon 0.99" in card


@pytest.mark.parametrize("word", ["dpsgd.epsilon=2", "dpsgd.epsilon=pate"])
def test_an_epsilon_of_ones_own_overrides_where_nothing_of_it_is_released(settings, word):
    found = settings("epsilon=1", word)
    assert str(found.dpsgd.epsilon).removesuffix(".0") == word.partition("=")[2]
    assert found.consensus.epsilon == 1.0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["release.method=dpsgd", "dpsgd.epsilon=2"], r"^epsilon=1: dpsgd would cost 2\.000, delta 0\.0001"),
        (["release.method=consensus", "consensus.epsilon=1.5"], r"^epsilon=1: consensus would cost 1\.500"),
        (["aggregator.gamma=0.2", "labels.queries=100"], r"^epsilon=1: 100 answers by LNMax.* cost 11\.281"),
        (["aggregator.gamma=5"], r"^epsilon=1: not one answer by LNMax"),
        (["labels.selection=active"], r"^epsilon=1: labels\.selection=active asks in rounds"),
        (["labels.selection=active", "release.method=pate"], r"asks in rounds"),
        (["epsilon=0"], r"^epsilon must be a positive number"),
        (["epsilon=1e-7", "release.method=pate"], r"^epsilon=1e-07: no noise"),
        (["stage=sanitise", "aggregator=gnmax", "aggregator.noise=continuous", "release.method=pate"], r"costs more"),
    ],
)
def test_what_would_cost_more_is_refused_before_anything_is_made(settings, words, said):
    with pytest.raises(ConfigError, match=said):
        settings("epsilon=1", *words)


def test_labels_of_unknown_price_are_refused(settings, tmp_path):
    file = tmp_path / "labels.npz"
    np.savez(file, index=np.arange(20), label=np.arange(20) % 10)
    with pytest.raises(ConfigError, match=r"what the labels of labels\.path cost is not known"):
        settings("epsilon=1", f"labels.path={file}")


def test_votes_from_a_file_are_asked_within_it(settings, tmp_path):
    file = tmp_path / "votes.npz"
    np.savez(file, counts=np.tile([20, 5, *[0] * 8], (397, 1)))
    found = settings("epsilon=1", f"votes.path={file}", "methods=[pate]")
    assert releases_of(found)["labels"].cost.epsilon <= 1
    assert releases_of(found)["labels"].parameters["teachers"] == 25


def test_noise_or_queries_that_were_said_stay(settings):
    assert settings("epsilon=3", "labels.queries=30").labels.queries == 30
    said = settings("epsilon=3", "aggregator=gnmax", "aggregator.sigma=20")
    assert said.aggregator.sigma == 20
    assert said.labels.queries > 1


def test_a_person_is_hidden_as_a_record_is(run, entries, own):
    run("epsilon=1", "release.method=pate", "stage=labels", "partition.group_by=person", *QUICK, *own)
    (entry,) = entries()
    assert "person" in entry.release.relation
    assert entry.release.cost.epsilon <= 1


def test_what_kept_labels_would_cost_is_not_called_publishable(run):
    told = []
    for named in ([], ["release.method=pate"]):
        found = run("epsilon=1", "stage=labels", *QUICK, *named)
        told.append(found["stages"]["account"]["summary"])
    assert "for every data set (publishable)" in told[1]
    assert "(publishable)" not in told[0]
    assert "(the owner's, not publishable)" in told[0]
