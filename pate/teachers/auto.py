"""teachers=auto: what an input looks like says who learns it from few records, and their number how many can."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pate.data.outline import Outline
from pate.teachers.ensemble import Teachers
from pate.teachers.graph import GraphTeachers
from pate.teachers.logistic import Logistic

_MOST = 1000
_A_CLASS = 2  # records a teacher should have of each class, if they were alike


@dataclass(frozen=True)
class Auto(Teachers):
    """For images, whose classes are clusters, teachers that share a graph of the public ones; for rows, logistic."""

    kind: ClassVar[str] = "auto"

    def suited(self, outline: Outline) -> tuple[Teachers, str]:
        if outline.images:
            return GraphTeachers(count=self.count), f"graph for {outline}"
        return Logistic(count=self.count, inverse_penalty=1.0), f"logistic for {outline}"


def usual_count(outline: Outline) -> int:
    """How many teachers so many records make: n^(3/4) / 4. Twice as many records make each teacher better and the noise
    a smaller share of the votes: 50 of 24 records for 1200, 605 of 54 for 32,561, 958 of 63 for 60,000."""
    enough = outline.private // (_A_CLASS * max(outline.classes, 2))
    return max(1, min(int(outline.private**0.75 / 4), enough, _MOST))
