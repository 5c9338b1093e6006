"""results.json of the second version in the shape of the third: it knew one lead, the first method's by accuracy, and
only accuracy's standard error. Nothing here changes any more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def upgraded(found: Mapping[str, Any]) -> dict[str, Any]:
    """The same facts as the third version has them; whatever they hold is checked afterwards."""
    rows = found.get("methods")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return dict(found)  # refused when it is read
    methods = [_method(row) for row in rows]
    for row in rows[1:]:
        if row.get("ahead") is not None:
            by, error, chance = map(float, row["ahead"])
            first, name = rows[0].get("name"), row.get("name")
            for one in methods:
                if one.get("name") == first:
                    one["leads"][name] = {"accuracy": {"by": by, "error": error, "chance": chance}}
                elif one.get("name") == name:
                    one["leads"][first] = {"accuracy": {"by": -by, "error": error, "chance": chance}}
    return dict(found) | {"version": 3, "methods": methods}


def _method(row: Mapping[str, Any]) -> dict[str, Any]:
    """Before a row told whether it learned from labels, PATE's alone learned from the public pool, and did."""
    error = row.get("accuracy_standard_error")
    told = {"standard_errors": {} if error is None else {"accuracy": error}, "leads": dict[str, Any]()}
    return {"from_labels": row.get("from_pool", False)} | dict(row) | told
