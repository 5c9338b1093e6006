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
_HIDDEN = ("path", "workspace", "student_path", "input", "output")  # names of files are the owner's
PUBLIC_NOTE = (
    "accuracies were computed on test inputs of the owner's, which no epsilon covers: they say a little about those"
)


def public_view(found: dict[str, Any]) -> dict[str, Any]:
    """The results for everybody."""
    released = [row for row in found["methods"] if row["epsilon_publishable"] is not None]
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
            "queries": found["pate"]["queries"],
            "answered": found["pate"]["answered"],
            "label_accuracy": found["pate"]["label_accuracy"],
            "accountants": [price for price in found["pate"]["accountants"] if price["publishable"]],
        },
        "ledger": _ledger(found["ledger"]),
        "stages": {},
        "config": _settings(found["config"]),
        "command": "",
        "versions": found["versions"],
        "notes": [*found["public_notes"], PUBLIC_NOTE],
    }


def _ledger(account: dict[str, Any] | None) -> dict[str, Any] | None:
    """The account's total for every data set; its name is the owner's word for the data."""
    if account is None or not account["releases"]:
        return None
    return {key: account[key] for key in ("releases", "epsilon", "delta", "relation", "theorem")} | {"name": None}


def _settings(config: dict[str, Any]) -> dict[str, Any]:
    return {
        key: _settings(value) if isinstance(value, dict) else value
        for key, value in config.items()
        if key not in _HIDDEN and key != "budget"
    }
