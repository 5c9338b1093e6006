"""DP-SGD learns, repeats itself when asked, says what it spent, and refuses what cannot work."""

from __future__ import annotations

import logging
from dataclasses import replace

import numpy as np
import pytest
import torch

from pate.accounting.calibrate import epsilon as cost
from pate.dpsgd import descent
from pate.dpsgd.accountant import Accountant
from pate.dpsgd.models import Linear
from pate.dpsgd.train import DPSGD
from pate.errors import ConfigError, PateError
from pate.learning.checkpoint import Checkpoint
from pate.noise import source
from pate.workspace.store import Store
from tests.dpsgd.training import LINEAR, ON_COMPONENTS, SMALL, digits, fit, weights


@pytest.mark.parametrize("settings", [LINEAR, SMALL, ON_COMPONENTS])
def test_same_seed_and_same_noise_same_model(settings: DPSGD) -> None:
    x, y = digits()
    brief = replace(settings, epochs=2)
    before = torch.random.get_rng_state()
    reference = weights(fit(brief, x, y, noise=source(5))[0])
    assert (weights(fit(brief, x, y, noise=source(5))[0]) == reference).all()
    for seed, noise in ((1, source(5)), (0, source(6)), (0, source(None))):
        assert (weights(fit(brief, x, y, seed=seed, noise=noise)[0]) != reference).any()
    assert torch.equal(before, torch.random.get_rng_state())


@pytest.mark.parametrize("settings", [LINEAR, SMALL, ON_COMPONENTS])
def test_learns_digits(settings: DPSGD) -> None:
    x, y = digits()
    model, _ = fit(replace(settings, lot=256, epochs=20), x[:1200], y[:1200], epsilon=8.0)
    assert model.features == 64
    assert (model.predict(x[1200:]) == y[1200:]).mean() > 0.75


def test_what_is_spent_is_what_was_asked_and_says_under_which_relation() -> None:
    x, y = digits()
    _, spent = fit(LINEAR, x[:640], y[:640])
    assert (spent.sampling_rate, spent.steps, spent.delta) == (0.1, 100, 1e-4)
    assert spent.relation == "replaced-by-nothing"
    assert 1.99 < spent.epsilon <= 2.0
    assert spent.epsilon == cost(spent.noise_multiplier, 0.1, 100, 1e-4, "replaced-by-nothing")
    assert spent.epsilon_replace_one == cost(spent.noise_multiplier, 0.1, 100, 1e-4, "replace-one") > 2.0


def test_components_take_their_part_of_the_budget() -> None:
    x, y = digits()
    _, spent = fit(ON_COMPONENTS, x[:640], y[:640])
    assert spent.pca_noise == 4.0
    assert 1.99 < spent.epsilon <= 2.0
    assert spent.noise_multiplier > fit(SMALL, x[:640], y[:640])[1].noise_multiplier
    with pytest.raises(ConfigError, match="components alone cost"):
        fit(replace(ON_COMPONENTS, pca_noise=0.5), x, y)


def test_given_the_noise_it_trains_for_as_long_as_the_budget_lasts() -> None:
    x, y = digits()
    _, spent = fit(replace(LINEAR, noise_multiplier=3.0, epochs=1000), x[:640], y[:640])
    assert spent.noise_multiplier == 3.0
    assert spent.epsilon <= 2.0 < cost(3.0, 0.1, spent.steps + 1, 1e-4, "replaced-by-nothing")
    _, brief = fit(replace(LINEAR, noise_multiplier=3.0, epochs=1), x[:640], y[:640])
    assert brief.steps == 10
    assert brief.epsilon < spent.epsilon


def shifted(accountant: Accountant) -> Accountant:
    return replace(accountant, noise_multiplier=accountant.noise_multiplier * 1.0002)


@pytest.mark.parametrize("settings", [LINEAR, ON_COMPONENTS])
def test_a_resumed_training_keeps_its_plan_and_its_components(settings, tmp_path, monkeypatch) -> None:
    """Though what is planned would come out differently by now."""
    x, y = digits()
    whole, spent = fit(settings, x, y, noise=source(2))
    monkeypatch.setattr(descent, "_SAVE_EVERY", 0.0)
    pieces = Store(tmp_path).pieces("dpsgd", "key")
    real, calls = descent.add_noise, []

    def killed(*arguments):
        calls.append(1)
        if len(calls) > 30:
            raise KeyboardInterrupt
        real(*arguments)

    monkeypatch.setattr(descent, "add_noise", killed)
    with pytest.raises(KeyboardInterrupt):
        fit(settings, x, y, noise=source(2), checkpoint=Checkpoint(pieces))
    monkeypatch.setattr(descent, "add_noise", real)
    plan = DPSGD.plan
    monkeypatch.setattr(DPSGD, "plan", lambda *arguments: shifted(plan(*arguments)))
    resumed, again = fit(settings, x, y, noise=source(2), checkpoint=Checkpoint(pieces))
    assert again == spent
    np.testing.assert_array_equal(weights(resumed), weights(whole))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"lot": 0}, "lot=0"),
        ({"lot": 12.5}, "lot=12.5"),
        ({"micro_batch": 0}, "micro_batch=0"),
        ({"epochs": "many"}, "epochs=many"),
        ({"epochs": 0.0}, "epochs"),
        ({"learning_rate": float("nan")}, "learning_rate=nan"),
        ({"clip": -1.0}, "clip"),
        ({"clip": 1e38}, "clip"),
        ({"clip": 1e-40}, "clip"),
        ({"noise_multiplier": 0.01}, "noise_multiplier"),
        ({"noise_multiplier": 1e200}, "noise_multiplier"),
        ({"pca_noise": 0.001}, "pca_noise"),
        ({"momentum": 1.0}, "momentum"),
        ({"average": 1.0}, "average"),
        ({"noise_multiplier": 0.0}, "noise_multiplier=0"),
        ({"schedule": "stairs"}, "constant, linear, cosine"),
        ({"hidden": [0]}, "hidden"),
        ({"hidden": []}, "hidden"),
        ({"activation": "none"}, "tanh or relu"),
        ({"pca": 0}, "pca=0"),
        ({"pca_noise": -1.0}, "pca_noise=-1"),
    ],
)
def test_impossible_settings_are_refused(change: dict, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        replace(SMALL, **change)


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda x, y: (x[:50], y[:50]), "at most 50"),
        (lambda x, y: (x, y + 1), "outside 0..9"),
        (lambda x, y: (x, y - 1), "outside 0..9"),
        (lambda x, y: (x, y[:-1]), "shape"),
        (lambda x, y: (x.reshape(-1, 8, 8), y), "shape"),
        (lambda x, y: (x[:0], y[:0]), "only 0"),
    ],
)
def test_unusable_data_is_refused_before_any_gradient(spoil, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descent, "clipped_sum", lambda *_: pytest.fail("a gradient was computed"))
    with pytest.raises(ConfigError, match=says):
        fit(LINEAR, *spoil(*digits()))


def test_broken_records_are_left_out_and_the_owner_is_told(caplog: pytest.LogCaptureFixture) -> None:
    x, y = digits()
    x[3, 2], x[9, 0] = np.nan, np.inf
    with caplog.at_level(logging.WARNING, "pate"):
        model, _ = fit(replace(LINEAR, epochs=2), x, y)
    assert "2 private records hold NaN" in caplog.text
    assert np.isfinite(weights(model)).all()


@pytest.mark.parametrize("epsilon", [0.0, -1.0, float("nan")])
def test_an_impossible_budget_is_refused(epsilon: float) -> None:
    with pytest.raises(ConfigError, match="epsilon"):
        fit(LINEAR, *digits(), epsilon=epsilon)


def test_weights_that_are_no_numbers_are_not_handed_over() -> None:
    x, y = digits()
    with pytest.raises(PateError, match="learning_rate"):
        fit(replace(LINEAR, learning_rate=1e38, clip=1e6, epochs=2), x, y)


def test_a_whole_number_is_the_same_budget() -> None:
    assert replace(LINEAR, epsilon=3) == replace(LINEAR, epsilon=3.0)
    assert isinstance(replace(LINEAR, epsilon=3).epsilon, float)


@pytest.mark.parametrize("epsilon", [0.0, 1e-9, 0.5, 3.0, 1e5])
def test_near_any_epsilon_of_somebody_elses_there_is_one_to_train_at(epsilon: float) -> None:
    linear = Linear(epsilon="pate", lot=64, epochs=2, learning_rate=1.0, clip=1.0, momentum=0.9)
    found = linear.reachable(1000, epsilon, 1e-5)
    linear.plan(1000, found, 1e-5)  # does not refuse
    assert found == epsilon or (found > epsilon if epsilon < 1 else 1 < found < epsilon)
