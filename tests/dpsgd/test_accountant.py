"""What was spent so far, and the state that carries it over a kill."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pate.accounting import calibrate
from pate.accounting.guarantee import REPLACE_ONE, ZERO_OUT
from pate.dpsgd.accountant import Accountant
from pate.errors import PateError


def taken(steps: int, **more: float) -> Accountant:
    accountant = Accountant(2.0, 0.05, 100, 1e-5, **more)
    for _ in range(steps):
        accountant.step()
    return accountant


def test_epsilon_grows_to_what_was_planned() -> None:
    so_far = [taken(steps).epsilon() for steps in (0, 1, 10, 50, 100)]
    assert so_far == sorted(so_far)
    assert so_far[0] == 0.0
    assert so_far[-1] == calibrate.epsilon(2.0, 0.05, 100, 1e-5, "replaced-by-nothing")


def test_components_are_paid_for_before_the_first_step() -> None:
    assert taken(0, pca_noise=4.0).epsilon() == calibrate.epsilon(4.0, 1.0, 1, 1e-5, "replaced-by-nothing")
    assert taken(10, pca_noise=4.0).epsilon() > max(taken(10).epsilon(), taken(0, pca_noise=4.0).epsilon())


def test_one_step_more_than_planned_is_refused() -> None:
    accountant = taken(100)
    with pytest.raises(PateError, match="100 steps were planned"):
        accountant.step()
    assert accountant.taken == 100


def test_the_price_names_both_relations_and_the_renyi_figure() -> None:
    spent = taken(40).spent(seeded=False)
    assert spent.steps == 40
    assert taken(2).spent(seeded=True).seeded
    assert spent.relation == "replaced-by-nothing"
    assert spent.epsilon < spent.epsilon_rdp < 1.3 * spent.epsilon
    assert spent.epsilon_replace_one == calibrate.epsilon(2.0, 0.05, 40, 1e-5, "replace-one") > 1.5 * spent.epsilon


@pytest.mark.parametrize("more", [{}, {"pca_noise": 3.5}])
def test_its_state_survives_a_kill(more: dict) -> None:
    before = taken(7, **more)
    assert Accountant.of(before.arrays(), taken(0, **more)) == before


def test_a_state_of_another_kind_is_refused() -> None:
    state = taken(7).arrays()
    del state["accountant.taken"]
    with pytest.raises(PateError, match=r"accountant\.taken"):
        Accountant.of(state, taken(0))


@pytest.mark.parametrize(
    "change", [{"delta": 1e-6}, {"sampling_rate": 0.1}, {"noise_multiplier": 2.1}, {"steps": 99}, {"pca_noise": 4.0}]
)
def test_the_state_of_another_plan_is_refused(change: dict) -> None:
    with pytest.raises(PateError, match="of another plan"):
        Accountant.of(taken(7).arrays(), replace(taken(0), **change))


def test_a_plan_that_would_come_out_a_little_differently_by_now_is_kept() -> None:
    assert Accountant.of(taken(7).arrays(), replace(taken(0), noise_multiplier=2.0001)) == taken(7)


def test_a_training_promises_the_same_under_two_relations_each_in_the_words_of_a_guarantee() -> None:
    accountant = Accountant(2.0, 0.05, 100, 1e-5, taken=100)
    spent = accountant.spent(seeded=False)
    zero_out, replace_one = spent.guarantee(), spent.replace_one()
    assert zero_out == accountant.guarantee()
    assert (zero_out.epsilon, replace_one.epsilon) == (spent.epsilon, spent.epsilon_replace_one)
    assert (zero_out.relation, replace_one.relation) == (ZERO_OUT, REPLACE_ONE)
    assert str(replace_one).endswith("for every data set (publishable), delta 1e-05, one record replaced by another")
