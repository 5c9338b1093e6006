"""Which metric decides: what was asked for, or balanced accuracy where one class is known to hold most of all."""

import pytest

from pate.evaluation.measure import ACCURACY, measure, of, of_several

LABELS = "the noisy labels"


@pytest.mark.parametrize(
    ("priors", "shares", "name", "why"),
    [
        (None, {}, "accuracy", "the default"),
        (None, {"no": 0.6, "yes": 0.4}, "accuracy", "the default"),
        (None, {"no": 0.94, "yes": 0.06}, "balanced_accuracy", "94% of the noisy labels are `no`"),
        ({"no": 0.94, "yes": 0.06}, {}, "balanced_accuracy", "declared priors: 94% `no`"),
        ({"no": 0.5, "yes": 0.5}, {"no": 0.94, "yes": 0.06}, "accuracy", "the default"),  # declared is declared
        ({"no": 0.3, "yes": 0.7}, {"no": 0.94, "yes": 0.06}, "balanced_accuracy", "declared priors: 70% `yes`"),
    ],
)
def test_the_default_is_decided_by_what_was_declared_and_else_by_what_was_released(priors, shares, name, why):
    found = measure(None, "", priors, shares, LABELS)
    assert (found.name, found.why) == (name, why)


def test_what_is_asked_for_decides_whatever_the_classes():
    found = measure("log_loss", "", {"no": 0.94, "yes": 0.06}, {}, LABELS)
    assert (found.name, found.title, found.why, found.better) == ("log_loss", "log loss", "asked for", "lower")
    assert measure("recall_at", " (yes, at 5%)", None, {}, "").title == "recall at a false-positive rate (yes, at 5%)"


def test_names_of_classes_are_text_whatever_is_in_them():
    assert measure(None, "", {"{share}": 0.9, "b": 0.1}, {}, "").why == "declared priors: 90% `{share}`"
    assert "`{name}`" in measure(None, "", None, {"{name}": 0.9, "b": 0.1}, LABELS).why


def test_a_difference_of_shares_is_in_points_and_of_losses_as_it_is():
    assert ACCURACY.points(-0.115, 0.02) == "11.5 ± 2.0 points"
    assert of("log_loss", "").points(-0.1151, 0.02) == "0.115 ± 0.020"


def test_a_metric_of_a_package_that_is_not_here_is_a_share_of_which_more_is_better():
    found = of_several("of_elsewhere", [])
    assert (found.title, found.sign, found.share) == ("of elsewhere", 1, True)
