"""Composition of k answers that are each `step`-DP, whatever the data (Dwork & Roth 2014, section 3.5)."""

from __future__ import annotations

import math


def basic(step: float, k: int) -> float:
    """Theorem 3.16: epsilons add up; no delta is spent."""
    return step * k


def advanced(step: float, k: int, delta: float) -> float:
    """Theorem 3.20 (Dwork, Rothblum & Vadhan 2010) for pure steps."""
    return step * math.sqrt(2 * k * math.log(1 / delta)) + k * step * math.expm1(step)
