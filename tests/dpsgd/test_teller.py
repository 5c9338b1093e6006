"""What is said of a training is rounded up, says what it holds for, and comes now and then."""

from __future__ import annotations

import pytest

from pate.dpsgd import teller
from pate.dpsgd.accountant import Accountant
from pate.dpsgd.teller import Teller
from pate.learning.telling import following, telling
from pate.noise import SEEDED


def test_the_epsilon_so_far_is_rounded_up_and_never_alone() -> None:
    accountant = Accountant(2.0, 0.05, 100, 1e-5, taken=37)
    told = Teller(accountant).line(0.5)
    said = float(told.split("so far epsilon ")[1].split(" ")[0])
    assert accountant.epsilon() <= said < accountant.epsilon() + 0.001
    assert told.endswith(" for every data set (publishable), delta 1e-05, one record replaced by nothing")
    kept = Teller(accountant, SEEDED).line(0.5)
    assert kept == told.replace("publishable", SEEDED)


def test_a_line_has_the_mean_loss_of_the_records_since_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    accountant = Accountant(2.0, 0.05, 100, 1e-5)
    said = []
    one = Teller(accountant)
    for every, loss, records in ((3600.0, 6.0, 2), (-1.0, 2.0, 6), (-1.0, 0.0, 0), (-1.0, 3.0, 2)):
        monkeypatch.setattr(teller, "_TELL_EVERY", every)
        accountant.step()
        said.append(one.after(loss, records))
    assert said[0] is None
    assert [line.split(" (")[0] for line in said[1:]] == ["loss 1.000", "loss 0.000", "loss 1.500"]


def test_a_curve_has_a_point_an_epoch_and_one_at_the_end() -> None:
    """20 steps an epoch, 50 in all: at 20, 40 and 50, each with the mean since the one before."""
    accountant, heard = Accountant(2.0, 0.05, 50, 1e-5), []
    one = Teller(accountant)
    with following(lambda step, figures: heard.append((step, figures["dpsgd_loss"]))), telling("dpsgd"):
        while accountant.taken < accountant.steps:
            accountant.step()
            one.after(float(accountant.taken), 1)
    assert heard == [(20, 10.5), (40, 30.5), (50, 45.5)]


def test_a_curve_has_at_most_a_hundred_points() -> None:
    accountant, heard = Accountant(2.0, 0.5, 1000, 1e-5), []
    one = Teller(accountant)
    with following(lambda step, figures: heard.append(step)):
        while accountant.taken < accountant.steps:
            accountant.step()
            one.after(0.0, 1)
    assert heard == list(range(10, 1001, 10))
