"""The answer to the question people come with, in a sentence: PATE or DP-SGD, and at which kind of epsilon.

A difference counts where it is larger than twice its standard error. Two kinds of guarantee are never compared without
saying so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pate.accounting.price import shown

_SURE = 2.0  # standard errors


@dataclass(frozen=True)
class Verdict:
    headline: str
    sentences: tuple[str, ...]


def verdict(found: dict[str, Any]) -> Verdict:
    """Of one run's results, or of what is left of them for the public."""
    methods = {row["name"]: row for row in found["methods"]}
    data, pate = found["config"]["dataset"]["name"], methods.get("pate")
    if pate is None or pate["accuracy"] is None:
        return _alone(data, methods)
    fair, near = methods.get("dpsgd_publishable"), methods.get("dpsgd")
    sentences = []
    if fair and fair["ahead"]:
        published = pate["epsilon_publishable"]
        where = "at the same worst-case epsilon" if published is None else "at the epsilon that may be published"
        use = "not publishable: seeded noise" if published is None else "publishable for PATE"
        headline = f"On {data}, {_better(fair)} {where}."
        sentences.append(
            f"Worst case against worst case, epsilon {shown(max(fair['epsilon'], published or 0))} for every data set "
            f"({use}), delta {pate['delta']:g}, {pate['relation']}: {_scores(pate, fair)}."
        )
        if near and near["ahead"]:
            sentences.append(
                f"At epsilon {shown(pate['epsilon'])} (the owner's; the same delta and neighbours), which is what "
                f"PATE's labels cost on this very data set while DP-SGD's holds for every data set: "
                f"{_scores(pate, near)}; {_better(near)}."
            )
    elif near and near["ahead"]:
        headline = f"On {data}, {_better(near)}."
        sentences.append(f"{_at(near)}, and {_at(pate)}: {_scores(pate, near)}.")
    else:
        headline = f"On {data}, PATE's student is right on {pate['accuracy']:.1%} of the test inputs."
        sentences.append(f"{_at(pate)}.")
    bound = methods.get("nonprivate")
    if bound and bound["accuracy"] is not None:
        sentences.append(f"Without privacy the same student reaches {bound['accuracy']:.1%}.")
    return Verdict(headline, tuple(sentences))


def _alone(data: str, methods: dict[str, Any]) -> Verdict:
    row = methods.get("dpsgd")
    if row is None or row["accuracy"] is None:
        return Verdict(f"{data}: nothing was scored.", ("No test input of known label was at hand.",))
    return Verdict(f"On {data}, DP-SGD is right on {row['accuracy']:.1%} of the test inputs.", (f"{_at(row)}.",))


def _better(row: dict[str, Any]) -> str:
    """Who is ahead on the same test inputs; `ahead` is PATE's lead over this row."""
    lead, error = row["ahead"]
    if abs(lead) <= _SURE * error or lead == 0:
        return "PATE and DP-SGD cannot be told apart"
    return "PATE is the better model" if lead > 0 else "DP-SGD is the better model"


def _scores(pate: dict[str, Any], row: dict[str, Any]) -> str:
    lead, error = row["ahead"]
    return (
        f"PATE {pate['accuracy']:.1%}, DP-SGD {row['accuracy']:.1%} of the test inputs right, "
        f"a difference of {abs(lead) * 100:.1f} ± {error * 100:.1f} points"
    )


def _at(row: dict[str, Any]) -> str:
    name = "PATE" if row["name"] == "pate" else "DP-SGD"
    if row["epsilon"] is None:
        return f"{name} at an epsilon that is not known here"
    use = "publishable" if row["epsilon_publishable"] == row["epsilon"] else "the owner's"
    return (
        f"{name} at epsilon {shown(row['epsilon'])} for {row['guarantee']} ({use}), "
        f"delta {row['delta']:g}, {row['relation']}"
    )
