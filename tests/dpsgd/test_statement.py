"""The card of a trained model: its plan's guarantee under both relations, and that its noise is not exact."""

from dataclasses import replace

from pate.dpsgd.accountant import Accountant
from pate.dpsgd.statement import of_gradients


def test_it_promises_what_the_training_paid_under_both_relations():
    spent = replace(Accountant(1.5, 0.01, 100, 1e-5), taken=100).spent(seeded=False)
    told = of_gradients(spent, data="mnist", account={"epsilon": "2"})
    assert (told.guarantee, told.replace_one) == (spent.guarantee(), spent.replace_one())
    assert told.guarantee.publishable
    assert not told.exact_noise
    assert told.account == {"epsilon": "2"}
    assert "second moments" not in told.mechanism


def test_components_that_were_paid_for_are_part_of_the_mechanism():
    spent = replace(Accountant(1.5, 0.01, 100, 1e-5, pca_noise=8.0), taken=100).spent(seeded=False)
    assert "second moments of all records with noise of multiplier 8" in of_gradients(spent, data="mnist").mechanism
