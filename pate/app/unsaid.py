"""What nobody said is filled in: features, teachers and student by kind of data, the number of teachers by that of
records, noise and queries by that of teachers, or as one epsilon for the whole run is best spent.

All of it is decided by what is public before a record is read (`pate.data.outline`): no epsilon has to cover it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pate.accounting.guarantee import given
from pate.aggregation.aggregator import Aggregator
from pate.aggregation.auto import Auto
from pate.aggregation.planned import as_many, as_said, best_spent, with_noise, worth
from pate.aggregation.votes import read_votes
from pate.data.outline import Outline
from pate.errors import ConfigError
from pate.teachers.auto import usual_count

QUERIES = 100  # where no epsilon says how many


def filled(group: str, node: Mapping[str, Any], outline: Outline | None, epsilon: float | None) -> dict[str, Any]:
    """Fields that are null for somebody else to say; with None the class has its own default. A choice with an epsilon
    of its own has the run's."""
    found: dict[str, Any] = {"epsilon": epsilon} if node.get("epsilon", "") is None else {}
    if group == "teachers":
        found["count"] = usual_count(outline) if outline and outline.private else None
    return found


def voters(path: str | None, trained: int, classes: int) -> int:
    """How many vote: those who are trained, or whose votes are in a file."""
    return read_votes(path, classes).teachers if path and Path(path).is_file() else trained


def asked_as_usual(
    chosen: Aggregator, said: bool, queries: int | None, teachers: int, outline: Outline
) -> tuple[Aggregator, int]:
    """Without an epsilon: noise in proportion to the votes, unless it was said how much, and a hundred queries."""
    aggregator, _ = chosen.suited(outline)
    share = type(aggregator).usual_share
    if share and not said:
        aggregator = aggregator.scaled(1 / (share * teachers))
    return aggregator, (min(QUERIES, outline.public) or QUERIES) if queries is None else queries


def asked_within(
    chosen: Aggregator,
    said: bool,
    queries: int | None,
    epsilon: float,
    delta: float,
    teachers: int,
    outline: Outline,
) -> tuple[Aggregator, int]:
    """As an epsilon that may be published is best spent, as far as it was not said how."""
    aggregator, _ = chosen.suited(outline)
    several = chosen.candidates() if isinstance(chosen, Auto) and not said else (aggregator,)
    classes, pool = max(outline.classes, 2), outline.public
    try:
        if said and queries is not None:
            as_said(aggregator, queries, epsilon, delta, teachers)
            return aggregator, queries
        if said:
            return aggregator, as_many(aggregator, epsilon, delta, teachers, pool)
        if queries is not None:
            each = [with_noise(one, queries, epsilon, delta, teachers) for one in several]
            return max(each, key=lambda one: worth(one, queries, teachers, classes)), queries
        return best_spent(several, epsilon, delta, teachers, classes, pool)
    except ValueError as error:
        raise ConfigError(f"epsilon={given(epsilon)}: {error}") from error
