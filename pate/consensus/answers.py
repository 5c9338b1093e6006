"""What each unit adds to the sum, in whole steps of a grid: never longer than the bound, and touched by nobody else.

A record's answer is phi(x) (x) (e_y - 1/K): where it stands in the public basis, for its class and against all others.
With |phi(x)| <= 1 its length is at most sqrt(1 - 1/K). A group's answer is the sum of its records', clipped to a
declared length. Once something is known, in weights W that were released, a record answers with what that leaves
unsaid: phi(x) (x) (e_y - 1/K - W' phi(x)), the second factor clipped anew. Each entry is cut towards zero to a whole
number of steps, which makes no vector longer; that it holds is then checked in exact integers, and what is too long
after all (it is not) counts as nothing.

Where records have budgets of their own, each answers with a `share` between 0 and 1 of what it would say, and its bound
is that share of the bound; a group's is the least of its records'.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

BOUND = 1 << 24  # the bound on a unit's length, in steps
_SAFE = 1 - 2.0**-20  # phi is brought to this length: rounding of doubles cannot lift it above 1
_ROWS = 4096  # of records together: bounds memory
_ENTRIES = 1 << 23  # of their answers in full: likewise

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def centred_length(classes: int) -> float:
    """|e_y - 1/K|, the longest a record's answer can be."""
    return math.sqrt(1 - 1 / classes)


def unit_length(rows: Floats) -> Floats:
    """Each row at length 1 (a little below, for rounding); a row that is not finite, or nothing, is nothing."""
    known = np.isfinite(rows).all(axis=1, keepdims=True)
    safe = np.where(known, rows, 0.0)
    largest = np.abs(safe).max(axis=1, keepdims=True, initial=0.0)
    safe = safe / np.where(largest > 0, largest, 1.0)  # squares of what is huge overflow, of what is tiny vanish
    length = np.sqrt(np.einsum("nm,nm->n", safe, safe))[:, None]
    return np.asarray(safe * (_SAFE / np.where(length > 0, length, 1.0)))


def sum_of_records(phi: Floats, y: Integers, classes: int, share: Floats | None = None) -> Integers:
    """The sum (components x classes) of all records' answers, in steps; one without a declared class adds nothing."""
    total, share = np.zeros((phi.shape[1], classes), np.int64), _shares(share, len(phi))
    for start in range(0, len(phi), _ROWS):
        rows = slice(start, start + _ROWS)
        label, own, others = in_steps(phi[rows], y[rows], classes, share[rows])
        total += others.sum(axis=0)[:, None]
        for one in np.unique(label):
            mine = label == one
            total[:, one] += own[mine].sum(axis=0) - others[mine].sum(axis=0)
    return total


def sum_of_residuals(
    phi: Floats, y: Integers, classes: int, weights: Floats, cut: float, share: Floats | None = None
) -> Integers:
    """The sum of what all records' answers have beyond `weights` (components x classes), in steps of a bound that is
    `cut` times the first. Rows keep their place: whether another record counts moves no rounding of one's own."""
    total, share = np.zeros((phi.shape[1], classes), np.int64), _shares(share, len(phi))
    rows = max(_ENTRIES // (phi.shape[1] * classes), 1)
    for start in range(0, len(phi), rows):
        own, label, part = phi[start : start + rows], y[start : start + rows], share[start : start + rows]
        counted = _counted(own, label, classes)
        own = np.where(counted[:, None], own, 0.0)
        rest = np.eye(classes)[np.where(counted, label, 0)] - 1 / classes - own @ weights
        bound = cut * centred_length(classes)
        length = np.sqrt(np.einsum("nk,nk->n", rest, rest))[:, None]
        rest *= np.minimum(_SAFE * bound / np.maximum(length, _SAFE * bound), 1.0) * (BOUND / bound)
        exact = np.trunc(own[:, :, None] * (rest * part[:, None])[:, None, :])
        small = (np.abs(exact) <= BOUND).all(axis=(1, 2))  # no NaN either: as integers their squares wrap to 0
        steps = exact[small].astype(np.int64)
        short = np.einsum("nmk,nmk->n", steps, steps) <= _bound_squared(part[small])
        total += steps[short].sum(axis=0)
    return total


def sum_of_groups(
    phi: Floats,
    y: Integers,
    group: NDArray[Any],
    classes: int,
    clip: float,
    weights: Floats | None = None,
    share: Floats | None = None,
) -> Integers:
    """The sum of all groups' answers, in steps: each is the sum of its records', no longer than `clip` records'; beyond
    `weights`, if there are any.

    A group's records are added in their order, by themselves: what others hold reaches no bit of its answer.
    """
    total, share = np.zeros((phi.shape[1], classes), np.int64), _shares(share, len(phi))
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.r_[True, group[order][1:] != group[order][:-1]])
    for rows in np.split(order, starts[1:]):
        total += _group_in_steps(phi[rows], y[rows], classes, clip, weights, float(share[rows].min()))
    return total


def in_steps(
    phi: Floats, y: Integers, classes: int, share: Floats | None = None
) -> tuple[Integers, Integers, Integers]:
    """Labels of the records that count, and of each what it says for its own class, and for every other one."""
    counted = _counted(phi, y, classes)
    share = _shares(share, len(phi))[counted]
    phi, y = phi[counted] * share[:, None], y[counted]
    scale = BOUND / centred_length(classes)
    own = np.trunc(phi * (scale * (1 - 1 / classes))).astype(np.int64)
    others = np.trunc(phi * (-scale / classes)).astype(np.int64)
    squared = np.einsum("nm,nm->n", own, own) + (classes - 1) * np.einsum("nm,nm->n", others, others)
    short = squared <= _bound_squared(share)
    return y[short], own[short], others[short]


def _shares(share: Floats | None, records: int) -> Floats:
    """All of it, where nobody asked for less."""
    return np.ones(records) if share is None else share


def _bound_squared(share: Floats) -> Integers:
    """Of a unit that answers with this share, rounded down; below 2^49, so that a double holds it to a thousandth."""
    whole = np.minimum(share, 1.0)
    return np.where(whole == 1, BOUND**2, np.floor((whole * BOUND) ** 2) - 1).astype(np.int64)


def _counted(phi: Floats, y: Integers, classes: int) -> NDArray[np.bool_]:
    """Records of a declared class that stand somewhere, not further than 1 out: squares in steps would overflow."""
    with np.errstate(all="ignore"):
        length = np.einsum("nm,nm->n", phi, phi)
    return np.asarray((y >= 0) & (y < classes) & (length <= 1))


def _group_in_steps(
    phi: Floats, y: Integers, classes: int, clip: float, weights: Floats | None, share: float
) -> Integers:
    answer, counted = np.zeros((phi.shape[1], classes)), _counted(phi, y, classes)
    for row in np.flatnonzero(counted):
        answer[:, y[row]] += phi[row]
    answer -= answer.sum(axis=1, keepdims=True) / classes
    if weights is not None:
        known = np.where(counted[:, None], phi, 0.0)
        answer -= known.T @ (known @ weights)
    answer /= centred_length(classes) * clip
    length = float(np.sqrt((answer**2).sum()))
    if length > _SAFE:
        answer *= _SAFE / length
    exact = np.trunc(answer * (share * BOUND))
    if not (np.abs(exact) <= BOUND).all():  # nor NaN: as integers their squares wrap to 0
        return np.zeros(answer.shape, np.int64)
    found = exact.astype(np.int64)
    return found if int((found**2).sum()) <= int(_bound_squared(np.array(share))) else np.zeros_like(found)
