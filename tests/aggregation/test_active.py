"""Rounds of queries where the student is unsure, each asked once."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from pate.aggregation.active import ask_in_rounds, least_sure
from pate.errors import ConfigError
from pate.workspace.store import Store


def test_the_least_sure_are_drawn_and_none_twice():
    belief = np.stack([np.linspace(0.5, 1, 100), 1 - np.linspace(0.5, 1, 100)], axis=1)
    chosen = least_sure(belief, np.arange(10), 5, [0, 1])
    assert len(set(chosen)) == 5
    assert set(chosen) <= set(range(10, 30))  # four times five after the first ten
    assert not np.array_equal(chosen, least_sure(belief, np.arange(10), 5, [0, 2]))


def test_without_beliefs_any_input_may_be_asked():
    chosen = [least_sure(np.zeros((100, 2)), np.empty(0, int), 3, [0, seed]) for seed in range(100)]
    assert len(set(np.concatenate(chosen))) > 80


def test_the_last_inputs_can_all_be_asked():
    np.testing.assert_array_equal(least_sure(np.ones((5, 2)), np.array([0, 3]), 3, [0, 0]), [1, 2, 4])


def believe(index, label):
    assert np.array_equal(index % 4, label)
    return np.random.default_rng(len(index)).dirichlet(np.ones(4), 60)


def ask(pieces, asked, queries=20, rounds=3):
    def answer(number, chosen):
        asked.append((number, chosen))
        return chosen % 4

    return ask_in_rounds(queries, rounds, 60, answer, believe, pieces, seed=0)


def test_rounds_are_even_and_answers_stay_with_their_queries(tmp_path):
    asked = []
    index, label = ask(Store(tmp_path).pieces("labels", "key"), asked)
    assert [len(chosen) for _, chosen in asked] == [7, 7, 6]
    np.testing.assert_array_equal(index, np.unique(np.concatenate([chosen for _, chosen in asked])))
    np.testing.assert_array_equal(label, index % 4)


def test_rounds_that_were_answered_before_a_kill_are_not_asked_again(tmp_path):
    pieces, whole = Store(tmp_path).pieces("labels", "key"), []
    expected = ask(Store(tmp_path).pieces("labels", "other"), [])

    def killed(number, chosen):
        if number == 2:
            raise KeyboardInterrupt
        return chosen % 4

    with pytest.raises(KeyboardInterrupt):
        ask_in_rounds(20, 3, 60, killed, believe, pieces, seed=0)
    again = ask(pieces, whole)
    assert [number for number, _ in whole] == [2]
    np.testing.assert_array_equal(again, expected)


@pytest.mark.parametrize(("harm", "round"), [("damage", 1), ("damage", 2), ("remove", 1)])
def test_a_lost_round_and_those_after_it_ask_the_same_again(tmp_path, harm, round):
    """The ledger serves them: see tests/pipelines/test_spends.py."""
    pieces, folder = Store(tmp_path).pieces("labels", "key"), tmp_path / "private" / "labels" / "key.pieces"
    first, again = [], []
    expected = ask(pieces, first)
    file = next(folder.glob(f"00000{round}*"))
    if harm == "damage":
        file.write_bytes(file.read_bytes()[:-3] + b"abc")
    else:
        file.unlink()
    np.testing.assert_array_equal(ask(pieces, again), expected)
    assert [number for number, _ in again] == list(range(round, 3))
    for (_, before), (_, after) in zip(first[round:], again, strict=True):
        np.testing.assert_array_equal(before, after)


FAST = ["teachers=ridge", "teachers.count=20", "student=supervised", "n_jobs=1", "labels.selection=active"]


def test_only_epsilons_for_every_data_set_are_claimed(run, tmp_path):
    found = run("stage=student", "aggregator.gamma=1")
    assert {price["holds_for"] for price in found["pate"]["accountants"]} == {"every data set"}
    method = found["methods"][0]
    assert method["epsilon"] == method["epsilon_publishable"]
    assert any("chosen from earlier answers" in note for note in found["notes"])
    key = found["stages"]["labels"]["key"]
    with np.load(tmp_path / "workspace" / "release" / "labels" / key / "labels.npz") as labels:
        assert len(np.unique(labels["index"])) == 100
        truth = load_digits().target
        assert len(truth) > labels["index"].max()
    assert not list((tmp_path / "workspace" / "private").rglob("*.pieces"))


def test_the_price_can_be_asked_before_anything_is_drawn(run):
    found = run("stage=account")
    assert "labels" not in found["stages"]
    assert found["pate"]["queries"] == 100


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("labels.rounds=0", "labels.rounds must lie between 1 and"),
        ("labels.rounds=101", "labels.rounds must lie between 1 and"),
        ("stage=quality", "draws nothing"),
        ("stage=queries", "draws nothing"),
        ("account.on_votes=true", "queries fixed in advance"),
    ],
)
def test_what_active_selection_cannot_do(run, override, words):
    with pytest.raises(ConfigError, match=words):
        run(override)
