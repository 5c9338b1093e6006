"""results.json of the first version, which named none, in the shape of the second: nothing here changes any more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pate.release.withheld import withheld

_EVERY = "every data set"
_KEPT = "the owner's, not publishable"
_LOOKS = {  # key: title, short, mark, colour
    "pate": ("PATE", "PATE", "o", "pate"),
    "dpsgd": ("DP-SGD", "DP-SGD", "s", "dpsgd"),
    "dpsgd_publishable": ("DP-SGD, worst case", "DP-SGD", "s", "dpsgd"),
    "nonprivate": ("non-private bound", "without privacy", "D", "bound"),
}
_DETAILS = ("epsilon_replace_one", "epsilon_rdp", "noise_multiplier", "sampling_rate", "steps", "pca_noise")
_SAME = (
    "name", "accuracy_standard_error", "accuracy_of_views", "public_accuracy_of_views", "ahead", "confusion",
    "by_class", "public_by_class", "calibration", "public_calibration", "seconds",
)  # fmt: skip
_METRICS = ("accuracy", "calibration_error")


def upgraded(found: Mapping[str, Any]) -> dict[str, Any]:
    """The same facts as the second version has them; whatever they hold is checked afterwards."""
    if not isinstance(found["methods"], list) or not isinstance(found.get("notes", []), list):
        raise ValueError("methods and notes are lists")
    pate, why = dict(found["pate"]), withheld(found.get("notes", ()))
    priced = [_priced(one, why) for one in pate.get("accountants", ())]
    methods = [_method(row, priced, why) for row in found["methods"]]
    told = {
        "version": 2,
        "methods": methods,
        "pate": pate | {"accountants": priced},
        "ledger": _account(found.get("ledger")),
        "stages": _stages(found["stages"], methods),
    }
    return dict(found) | told


def _stages(stages: Mapping[str, Any], methods: list[dict[str, Any]]) -> Any:
    """Labels of votes, DP-SGD's model at an epsilon of its own and a sanitised epsilon were all that was ever drawn."""
    if not isinstance(stages, dict) or not all(isinstance(one, dict) for one in stages.values()):
        return stages  # refused when it is read
    drawn = {"sanitise"} | ({"labels"} if "votes" in stages else set())
    drawn |= {row["name"] for row in methods if row["name"] == "dpsgd" and not row["kept"]}
    return {name: one | {"crosses": name in drawn} for name, one in stages.items()}


def _account(account: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """An account's total; what its plans cost was never read back."""
    if account is None:
        return None
    total = _guarantee(account, _EVERY, account.get("withheld", "")) | {"theorem": account.get("theorem", "")}
    return {"name": account["name"], "releases": account["releases"], "total": total if account["releases"] else None}


def _priced(one: Mapping[str, Any], why: str) -> dict[str, Any]:
    promise = {"delta": one.get("delta", 0.0), "relation": one.get("relation", "one record replaced by nothing")}
    return _guarantee(one, one["guarantee"], why) | promise | {
        "accountant": one.get("accountant", ""), "theorem": one.get("theorem", ""), "valid": one.get("valid", True),
    }  # fmt: skip


def _guarantee(one: Mapping[str, Any], holds_for: str | None, withheld: str) -> dict[str, Any]:
    return {
        "epsilon": one["epsilon"], "delta": one.get("delta"), "relation": one.get("relation"), "valid": True,
        "data_dependent": holds_for != _EVERY, "accountant": "", "theorem": "", "withheld": withheld,
    }  # fmt: skip


def _method(row: Mapping[str, Any], priced: list[dict[str, Any]], why: str) -> dict[str, Any]:
    name, public, guarantees = row["name"], row.get("epsilon_publishable"), []
    if row.get("epsilon") is not None:
        kept = _KEPT if public is None and row.get("guarantee") == _EVERY else ""
        guarantees.append(_guarantee(row, row.get("guarantee"), why or kept))
    if public is not None and (public, _EVERY) != (row.get("epsilon"), row.get("guarantee")):
        guarantees.append(_guarantee(dict(row) | {"epsilon": public}, _EVERY, why))
    if public is None and name == "pate":  # what keeps it from being published kept it out of the row
        worst = [one for one in priced if one["valid"] and not one["data_dependent"] and guarantees]
        guarantees += [one | {"withheld": one["withheld"] or _KEPT} for one in worst]
    title, short, mark, colour = _LOOKS.get(name, (name, name, "D", "ink"))
    metrics = {key: row[key] for key in _METRICS if row.get(key) is not None}
    pool = {key: row[f"public_{key}"] for key in _METRICS if row.get(f"public_{key}") is not None}
    return {key: row[key] for key in _SAME if row.get(key) is not None} | {
        "title": title, "short": short, "mark": mark, "colour": colour, "private": name != "nonprivate",
        "from_pool": name == "pate",
        "stage": "student" if name == "pate" else name, "kept": any(one["withheld"] == _KEPT for one in guarantees),
        "compared_at": "worst case" if name == "dpsgd_publishable" else "best",
        "guarantees": guarantees, "metrics": metrics, "public_metrics": pool,
        "details": {key: row[key] for key in _DETAILS if key in row},
    }  # fmt: skip
