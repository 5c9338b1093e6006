"""What of a run's results may leave: a list of what may, so that whatever is added later stays behind.

Left out is all that depends on private data beyond a mechanism: epsilons for this data set, votes, teachers and their
plurality, the non-private bound, DP-SGD models kept for the owner's comparison, how long private stages took, and a
measure that was read off answers the owner keeps. Scores of what was released are computed on test inputs that no
epsilon covers; the page says so.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from pate.evaluation.leads import Lead
from pate.evaluation.measure import ACCURACY
from pate.evaluation.results import Baseline, Labelling, MethodResult, Results
from pate.ledger.summary import AccountTotal

_SETTINGS = ("dataset", "features", "partition", "delta", "seed")  # of every run
PUBLIC_NOTE = (
    "scores were computed on test inputs of the owner's, which no epsilon covers: they say a little about those"
)


def public_view(found: Results) -> Results:
    """The results for everybody."""
    released = [row for row in found.methods if row.publishable]
    there = {row.name for row in released}
    pate = found.pate if any(row.from_labels for row in released) else Labelling()
    return Results(
        methods=[_method(row, there) for row in released],
        pate=Labelling(
            teachers=pate.teachers,
            queries=pate.queries,
            answered=pate.answered,
            label_accuracy=pate.label_accuracy,
            accountants=[one for one in pate.accountants if one.publishable],
        ),
        measure=found.measure if found.measure.read_off in ("", *there) else ACCURACY,
        baseline=_baseline(found.baseline, there),
        ledger=_ledger(found.ledger),
        stages={},
        config={key: _without_paths(found.config[key]) for key in (*_SETTINGS, *_shaping(released))},
        versions=found.versions,
        notes=[*found.public_notes, PUBLIC_NOTE],
    )


def _shaping(released: list[MethodResult]) -> list[str]:
    """Where the settings stand that shaped the models that leave, as their methods say."""
    from pate.pipelines import methods

    known = methods()
    return list(dict.fromkeys(key for row in released if row.name in known for key in known[row.name].settings_shown))


def _baseline(found: Baseline | None, there: Collection[str]) -> Baseline | None:
    return found and replace(found, leads=_among(found.leads, there))


def _among(leads: dict[str, dict[str, Lead]], there: Collection[str]) -> dict[str, dict[str, Lead]]:
    """Leads beside a model that leaves, and no other."""
    return {name: by for name, by in leads.items() if name in there}


def _method(row: MethodResult, there: Collection[str]) -> MethodResult:
    """Its publishable guarantee, and how its model does on the test set."""
    assert row.publishable is not None
    return MethodResult(
        name=row.name,
        title=row.title,
        short=row.short,
        mark=row.mark,
        colour=row.colour,
        about=row.about,
        from_labels=row.from_labels,
        guarantees=[row.publishable],
        metrics=row.metrics,
        standard_errors=row.standard_errors,
        accuracy_of_views=row.accuracy_of_views,
        leads=_among(row.leads, there),
        confusion=row.confusion,
        by_class=row.by_class,
        calibration=row.calibration,
    )


def _ledger(account: AccountTotal | None) -> AccountTotal | None:
    """The account's total for every data set; its name is the owner's word for the data."""
    return AccountTotal(None, account.releases, account.total) if account and account.releases else None


def _without_paths(value: Any) -> Any:
    """Names of files are the owner's."""
    return (
        {key: _without_paths(one) for key, one in value.items() if key != "path"} if isinstance(value, dict) else value
    )
