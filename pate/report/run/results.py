"""results.json: what a run found, with everything needed to repeat it. The owner's file."""

from __future__ import annotations

import json
import os
import platform
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from pate.accounting.price import RELATION, Costs, Plan, Price
from pate.aggregation.labels import Labels
from pate.dpsgd.accountant import Spent
from pate.evaluation.quality import Quality
from pate.evaluation.scores import Scores
from pate.noise import SEEDED
from pate.release.withheld import withheld
from pate.report.run.ledger import finite
from pate.settings import Settings
from pate.workspace.runner import Record
from pate.workspace.versions import RESULTS

_PACKAGES = (
    "pate-pipelines",
    "numpy",
    "scipy",
    "scikit-learn",
    "torch",
    "joblib",
    "hydra-core",
    "dp-accounting",
    "opendp",
)
RELATIONS = {"replaced-by-nothing": RELATION}  # DP-SGD's word for it
_CALIBRATION = ("confidence", "right", "share")
_FEATURES = ("features", "encode")
_PATE_STAGES = (*_FEATURES, "teachers", "votes", "queries", "labels", "student")


def results(
    settings: Settings,
    records: Mapping[str, Record],
    notes: tuple[str, ...],
    *,
    labels: Labels | None,
    costs: Costs | None,
    plan: Plan | None,
    spent: Spent | None,
    spent_publishable: Spent | None,
    scores: Scores | None,
    quality: Quality | None,
    ledger: dict[str, Any],
    overrides: Sequence[str] = (),
) -> dict[str, Any]:
    """Put together whatever this run made; a method that was not run is not there."""
    seeded = settings.noise.seed is not None or bool(labels and labels.seeded)
    told = list(dict.fromkeys(_notes(settings, records, notes, costs, spent, seeded)))
    void = bool(withheld(told))  # then no epsilon of the run is publishable
    scores = scores or Scores()
    methods = []
    if labels is not None or costs is not None:
        methods.append(_pate(costs, void, scores) | {"seconds": _seconds(records, _PATE_STAGES)})
    if spent is not None:
        owners = settings.dpsgd.epsilon == "pate"
        methods.append(_dpsgd("dpsgd", spent, void or owners, scores, records))
    if spent_publishable is not None:
        methods.append(_dpsgd("dpsgd_publishable", spent_publishable, True, scores, records))
    if "nonprivate" in records:
        methods.append(_nonprivate(scores) | {"seconds": _seconds(records, (*_FEATURES, "nonprivate"))})
    return {
        "version": RESULTS,
        "methods": methods,
        "pate": {
            "teachers": int(labels.teachers) or None if labels else None,
            "queries": costs.queries if costs else len(labels.index) if labels else None,
            "answered": len(labels.index) if labels else None,
            "label_accuracy": scores.label_accuracy,
            "teacher_accuracy": scores.teacher_accuracy,
            "plurality_accuracy": scores.plurality_accuracy,
            "epsilon": {price.accountant: price.epsilon for price in costs} if costs else {},
            "accountants": [_priced(price, costs, void) for price in costs] if costs else [],
            "plan": asdict(plan) if plan and plan.target_epsilon is not None else None,
        },
        "quality": asdict(quality) if quality else None,
        "ledger": next(iter(ledger["accounts"]), None),
        "stages": {
            name: {
                "key": record.key,
                "seconds": round(record.seconds, 3),
                "memory": record.memory,
                "reused": record.reused,
                "seeded": SEEDED in record.notes,
                "summary": record.summary,
            }
            for name, record in records.items()
        },
        "published": next((record.published for record in records.values() if record.published), None),
        "config": settings.plain,
        "command": shlex.join(["pate", *overrides]),
        "overrides": list(overrides),
        "versions": _versions(),
        "notes": told,
        "warned": [warning for record in records.values() for warning in record.warnings],  # said while it ran
        "public_notes": list(dict.fromkeys(_public_notes(settings, records, notes, costs))),
    }


def _priced(price: Price, costs: Costs, void: bool) -> dict[str, Any]:
    """One accountant's figure, with everything an epsilon is never without."""
    return asdict(price) | {
        "delta": costs.delta,
        "relation": costs.relation,
        "publishable": price.publishable and not void,
        "assumes_fixed_queries": price.assumes_fixed_queries,
    }


def _pate(costs: Costs | None, void: bool, scores: Scores) -> dict[str, Any]:
    best, publishable = (costs.best, costs.publishable) if costs else (None, None)
    return _method(
        "pate",
        epsilon=best.epsilon if best else None,
        delta=costs.delta if costs else None,
        epsilon_publishable=publishable.epsilon if publishable and not void else None,
        guarantee=best.guarantee if best else None,
        relation=costs.relation if costs else None,
        scores=scores,
    )


def _dpsgd(name: str, spent: Spent, owners: bool, scores: Scores, records: Mapping[str, Record]) -> dict[str, Any]:
    return _method(
        name,
        epsilon=spent.epsilon,
        delta=spent.delta,
        epsilon_publishable=None if owners else spent.epsilon,
        guarantee="every data set",
        relation=RELATIONS[spent.relation],
        scores=scores,
    ) | {
        "epsilon_replace_one": spent.epsilon_replace_one,
        "epsilon_rdp": spent.epsilon_rdp,  # by Renyi divergences: valid too, and more
        "noise_multiplier": spent.noise_multiplier,
        "sampling_rate": spent.sampling_rate,
        "steps": spent.steps,
        "pca_noise": spent.pca_noise,
        "seconds": _seconds(records, (*_FEATURES, name)),
    }


def _nonprivate(scores: Scores) -> dict[str, Any]:
    return _method(
        "nonprivate",
        epsilon=None,
        delta=None,
        epsilon_publishable=None,
        guarantee=None,
        relation=None,
        scores=scores,
    )


def _method(name: str, *, scores: Scores, **privacy: Any) -> dict[str, Any]:
    test, pool = scores.test.get(name) or {}, scores.public.get(name) or {}
    return {
        "name": name,
        **privacy,
        "accuracy": test.get("accuracy"),
        "accuracy_standard_error": test.get("standard_error"),
        "accuracy_of_views": test.get("accuracy_of_views"),
        "public_accuracy": pool.get("accuracy"),
        "public_accuracy_of_views": pool.get("accuracy_of_views"),
        "calibration_error": test.get("calibration_error"),
        "public_calibration_error": pool.get("calibration_error"),
        "ahead": scores.ahead.get(name),  # PATE over this one: difference and its standard error, on the test set
        "confusion": test.get("confusion"),
        "by_class": _by_class(scores, test),
        "public_by_class": _by_class(scores, pool),
        "calibration": {key: test.get(key) for key in _CALIBRATION},
        "public_calibration": {key: pool.get(key) for key in _CALIBRATION},
    }


def _by_class(scores: Scores, one: dict[str, Any]) -> dict[str, float | None]:
    return dict(zip(scores.classes, one["by_class"], strict=True)) if one else {}


def _notes(
    settings: Settings,
    records: Mapping[str, Record],
    notes: tuple[str, ...],
    costs: Costs | None,
    spent: Spent | None,
    seeded: bool,
) -> Any:
    if seeded:
        yield SEEDED  # first, whatever else there is to say
    yield from settings.warnings
    yield from notes
    for record in records.values():
        yield from (*record.notes, *record.warnings)
    if costs and costs.best.guarantee == "this data set":
        yield "PATE's epsilon for this data set is computed from private votes: for the owner, not for publication"
    yield from _noise_notes(settings, costs)
    if spent and settings.dpsgd.epsilon == "pate" and (costs is None or costs.best.guarantee == "this data set"):
        yield "DP-SGD was calibrated to the epsilon PATE spent, which is the owner's; so is its model"
    if settings.partition.group_by and spent:
        yield f"DP-SGD protects one record, not all records of one {settings.partition.group_by} as PATE does"


def _noise_notes(settings: Settings, costs: Costs | None) -> Any:
    if costs and not settings.aggregator.exact_noise:
        yield "continuous vote noise is floating-point noise: for reproducing papers, not for a release"


def _public_notes(
    settings: Settings, records: Mapping[str, Record], notes: tuple[str, ...], costs: Costs | None
) -> Any:
    """Those that may leave: what stages say of their artifacts, and never what the ledger warned the owner of."""
    yield from (*settings.warnings, *notes)
    for record in records.values():
        yield from record.notes
    yield from _noise_notes(settings, costs)


def _seconds(records: Mapping[str, Record], stages: tuple[str, ...]) -> float:
    return round(sum(records[name].seconds for name in stages if name in records), 3)


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # run from a source tree that was never installed
            found[package] = "not installed"
    return found


def write_results(found: dict[str, Any], folder: Path) -> Path:
    """Write results.json whole or not at all, readable by the owner only."""
    file, temporary = folder / "results.json", folder / ".results.json"
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as handle:
        json.dump(finite(found), handle, indent=1, allow_nan=False)
        handle.flush()
        os.fsync(handle.fileno())
    temporary.rename(file)
    return file
