"""Standard errors and leads against closed forms, and against test sets drawn again and again."""

import numpy as np
import pytest
from scipy import stats

from pate.evaluation.leads import leads
from pate.evaluation.metrics import Question, metrics

ASKED = Question(1, 0.1)


def drawn(rng, inputs, skill, truth=None):
    """A made-up model's beliefs on inputs of two classes, one in three of the second; and of a worse one."""
    truth = (rng.random(inputs) < 1 / 3).astype(int) if truth is None else truth
    seen = rng.normal(size=inputs) + skill * truth
    worse = seen + rng.normal(size=inputs)
    beliefs = {}
    for name, score in (("good", seen), ("worse", worse)):
        share = 1 / (1 + np.exp(-(score - skill / 2)))
        beliefs[name] = np.stack([1 - share, share], axis=1)
    return beliefs, truth


def test_the_lead_is_paired_so_what_is_hard_for_both_is_no_error():
    truth = np.zeros(100, int)
    ours, theirs = np.array([0] * 90 + [1] * 10), np.array([0] * 80 + [1] * 20)
    errors, found = leads({"pate": np.eye(2)[ours], "dpsgd": np.eye(2)[theirs], "bound": np.eye(2)[truth]}, truth)
    lead = found["pate"]["dpsgd"]["accuracy"]
    assert lead.by == pytest.approx(0.1)
    assert lead.error == pytest.approx(np.sqrt(0.1 * 0.9 / 99))  # ten inputs of a hundred tell them apart
    assert lead.chance == pytest.approx(2 * 0.5**10)  # all ten of them on one side
    assert found["dpsgd"]["pate"]["accuracy"] == lead.turned()
    assert found["pate"]["bound"]["accuracy"].by == pytest.approx(-0.1)
    assert errors["pate"]["accuracy"] == pytest.approx(np.sqrt(0.9 * 0.1 / 100))
    assert "auc" not in found["pate"]["dpsgd"]  # one class only: it has no meaning


def test_a_mean_over_inputs_has_a_paired_t_test():
    beliefs, truth = drawn(np.random.default_rng(0), 60, 1.0)
    each = {name: -np.log(one[np.arange(60), truth]) for name, one in beliefs.items()}
    errors, found = leads(beliefs, truth)
    lead = found["good"]["worse"]["log_loss"]
    assert lead.by == pytest.approx(each["worse"].mean() - each["good"].mean())  # less is better
    assert lead.chance == pytest.approx(stats.ttest_rel(each["good"], each["worse"]).pvalue)
    assert errors["good"]["log_loss"] == pytest.approx(stats.sem(each["good"], ddof=0))


@pytest.mark.parametrize("name", sorted(metrics().keys() - {"calibration_error"}))
def test_errors_are_how_much_scores_and_leads_differ_between_test_sets(name):
    """Of 300 test sets of 600 inputs each, drawn from the same law."""
    rng, one = np.random.default_rng(1), metrics()[name]
    sign = 1 if one.better == "higher" else -1
    scores = []
    for _ in range(300):
        beliefs, truth = drawn(rng, 600, 1.5)
        scores.append([one(beliefs[who], truth, ASKED) for who in ("good", "worse")])
    spread = np.std(scores, axis=0, ddof=1)
    gap = np.std(np.diff(scores, axis=1), ddof=1)
    told = [leads(*drawn(rng, 600, 1.5), ASKED) for _ in range(8)]
    assert np.mean([errors["good"][name] for errors, _ in told]) == pytest.approx(spread[0], rel=0.2)
    paired = [found["good"]["worse"][name] for _, found in told]
    assert np.mean([lead.error for lead in paired]) == pytest.approx(gap, rel=0.2)
    assert np.mean([lead.by for lead in paired]) == pytest.approx(-sign * np.diff(np.mean(scores, axis=0))[0], rel=0.5)


def test_of_balanced_accuracy_the_error_is_that_of_its_recalls():
    """Each a share of its own class's inputs: their variances add up, a quarter of each."""
    truth = np.array([0] * 900 + [1] * 100)
    answer = np.concatenate([np.arange(900) < 90, np.arange(100) < 60]).astype(int)
    errors, _ = leads({"one": np.eye(2)[answer]}, truth)
    expected = np.sqrt(0.9 * 0.1 / 900 + 0.6 * 0.4 / 100) / 2
    assert errors["one"]["balanced_accuracy"] == pytest.approx(expected, rel=0.15)


def test_the_same_model_twice_leads_by_nothing():
    beliefs, truth = drawn(np.random.default_rng(0), 50, 1.0)
    _, found = leads({"a": beliefs["good"], "b": beliefs["good"]}, truth, ASKED)
    assert found["a"]["b"].keys() == metrics().keys()
    assert all((lead.by, lead.error, lead.chance) == (0, 0, 1) for lead in found["a"]["b"].values())


def test_one_input_says_nothing_of_how_sure_a_score_is():
    errors, found = leads({"a": np.eye(2)[[0]], "b": np.eye(2)[[1]]}, np.array([0]))
    assert errors == {"a": {}, "b": {}}
    assert found == {"a": {"b": {}}, "b": {"a": {}}}


def test_resamples_are_the_same_in_every_run():
    beliefs, truth = drawn(np.random.default_rng(0), 80, 1.0)
    assert leads(beliefs, truth, ASKED) == leads(beliefs, truth, ASKED)


def test_where_a_class_has_a_handful_of_inputs_no_error_is_claimed_of_what_is_a_mean_over_classes():
    """A resample would call sure what hangs on one input."""
    rng = np.random.default_rng(0)
    truth = np.array([0] * 60 + [1] * 40 + [2])
    beliefs = {name: rng.dirichlet(np.ones(3), size=len(truth)) for name in ("one", "other")}
    errors, found = leads(beliefs, truth)
    assert errors["one"].keys() & {"balanced_accuracy", "macro_f1", "auc"} == set()
    assert errors["one"]["accuracy"] > 0
    lead = found["one"]["other"]["balanced_accuracy"]
    assert (lead.error, lead.chance) == (None, None)
