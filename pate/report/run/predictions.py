"""What a student said about new inputs, for reading."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Predictions:
    """Where each answer is, how many inputs were taken for what, and why they are the owner's, if they are."""

    output: str
    inputs: int
    classes: dict[str, int]
    notes: list[str]
    owners: str


def print_predictions(found: Predictions) -> None:
    """The most frequent classes first."""
    named = sorted(found.classes.items(), key=lambda item: -item[1])
    said = ", ".join(f"{name}: {count}" for name, count in named[:20] if count)
    print(f"{found.inputs} inputs" + (f" ({said})" if said else ""))
    for note in found.notes:
        print(f"note: {note}")
    if found.owners:
        print(f"note: the owner's model: {found.owners}; so are its predictions, and nobody else's")
    print(f"predictions  {found.output}{' (yours alone)' if found.owners else ''}")
