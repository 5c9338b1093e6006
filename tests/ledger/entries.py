"""Entries to write: what is released, by whom, and what it costs."""

import math
import sqlite3
from dataclasses import replace

from pate.accounting.filter import ORDERS, Cost
from pate.ledger.ledger import Budget, Release, Spender

SECRET = b"s" * 32


def gaussian(sigma: float = 10.0, delta: float = 1e-5) -> Cost:
    from pate.accounting import calibrate

    own = calibrate.epsilon(sigma, 1.0, 1, delta, "replaced-by-nothing")
    return Cost(tuple(a / (2 * sigma**2) for a in ORDERS), math.inf, own, delta)


def release(cost: Cost | None = None) -> Release:
    return Release("labels", "a mechanism", {"answers": 5}, "one record replaced by nothing", cost or gaussian())


def spender(account="clinic", artifact="labels/1", **changes) -> Spender:
    return replace(Spender(account, "release", artifact, "run 1", "run 1", ("content 1",)), **changes)


def reserve(ledger, who=None, what=None, budget=Budget(None, 1e-5), warn=None):
    return ledger.reserve(who or spender(), what or release(), budget, Warnings() if warn is None else warn)


def edit(ledger, statement, *values):
    with sqlite3.connect(ledger.path) as connection:
        connection.execute(statement, values)
    connection.close()


def extras(ledger):
    return sorted(ledger.path.parent.glob("ledger.sqlite-*"))


class Warnings(list):
    __call__ = list.append
