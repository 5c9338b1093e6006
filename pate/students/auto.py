"""student=auto: what an input looks like says who learns it from a few noisy labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pate.data.outline import Outline
from pate.students.graph import GraphStudent
from pate.students.student import Student
from pate.students.supervised import Supervised


@dataclass(frozen=True)
class Auto(Student):
    """For images labels spread over the graph of the public ones; for rows logistic regression."""

    kind: ClassVar[str] = "auto"

    def suited(self, outline: Outline) -> tuple[Student, str]:
        if outline.images:
            return GraphStudent(), f"graph for {outline}"
        return Supervised(), f"supervised for {outline}"
