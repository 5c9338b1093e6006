"""What of a run's results may leave: a list of what may, so that whatever is added later stays behind.

Left out is all that depends on private data beyond a mechanism: epsilons for this data set, votes, teachers and their
plurality, the non-private bound, DP-SGD models kept for the owner's comparison, how long private stages took. Scores of
what was released are computed on test inputs that no epsilon covers; the page says so.
"""

from __future__ import annotations

from typing import Any

_SCORED = (
    "name", "delta", "relation", "epsilon_publishable", "accuracy", "accuracy_standard_error", "accuracy_of_views",
    "calibration_error", "by_class", "calibration", "confusion",
)  # fmt: skip
_SETTINGS = (
    "dataset", "features", "teachers", "aggregator", "student", "dpsgd", "partition", "labels", "delta", "seed",
)  # fmt: skip
PUBLIC_NOTE = (
    "accuracies were computed on test inputs of the owner's, which no epsilon covers: they say a little about those"
)


def public_view(found: dict[str, Any]) -> dict[str, Any]:
    """The results for everybody."""
    released = [row for row in found["methods"] if row["epsilon_publishable"] is not None]
    pate = any(row["name"] == "pate" for row in released)
    return {
        "methods": [
            {key: row[key] for key in _SCORED}
            | {
                "epsilon": row["epsilon_publishable"],
                "guarantee": "every data set",
                "ahead": row["ahead"],
                "seconds": None,
            }
            for row in released
        ],
        "pate": {
            key: found["pate"][key] if pate else None for key in ("teachers", "queries", "answered", "label_accuracy")
        }
        | {"accountants": [price for price in found["pate"]["accountants"] if price["publishable"] and pate]},
        "ledger": _ledger(found["ledger"]),
        "stages": {},
        "config": {key: _without_paths(found["config"][key]) for key in _SETTINGS},
        "command": "",
        "versions": found["versions"],
        "notes": [*found["public_notes"], PUBLIC_NOTE],
    }


def _ledger(account: dict[str, Any] | None) -> dict[str, Any] | None:
    """The account's total for every data set; its name is the owner's word for the data."""
    if account is None or not account["releases"]:
        return None
    return {key: account[key] for key in ("releases", "epsilon", "delta", "relation", "theorem", "withheld")} | {
        "name": None
    }


def _without_paths(value: Any) -> Any:
    """Names of files are the owner's."""
    return (
        {key: _without_paths(one) for key, one in value.items() if key != "path"} if isinstance(value, dict) else value
    )
