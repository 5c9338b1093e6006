"""Locks, a second run, the clock, dying workers."""

import datetime
import itertools

import pytest

from . import host

NOON = datetime.datetime(2026, 11, 16, 12)


def falling():
    """A clock that goes back an hour whenever it is read."""
    hours = itertools.count()
    return lambda: NOON - datetime.timedelta(hours=next(hours))


def test_a_ledger_locked_for_long(tmp_path, template):
    host.locked(tmp_path / "world", template)


def test_a_ledger_locked_for_a_while(tmp_path, template):
    host.locked_a_while(tmp_path / "world", template)


def test_two_runs_at_once(tmp_path):
    host.two_at_once(tmp_path / "world")


@pytest.mark.slow
def test_a_run_that_is_suspended(tmp_path):
    host.suspended(tmp_path / "world")


def test_the_clock_goes_backwards_between_and_during_runs(tmp_path, template):
    host.clock(tmp_path / "world", template, lambda: NOON, lambda: NOON - datetime.timedelta(days=400), falling())


@pytest.mark.slow
def test_a_worker_that_dies(tmp_path):
    host.worker_dies(tmp_path / "world")
