"""What a user's files must be before they become records: complete, of one kind, and with an owner where asked.

Errors count what is wrong; they never show a value.
"""

from __future__ import annotations

import numpy as np

from pate.data.cells import number, text, written_truth
from pate.data.formats import Raw, shown_names
from pate.data.labels import indices, refuse_long
from pate.data.split import Pool
from pate.data.table import columns_of
from pate.errors import ConfigError


def check(raw: Raw, labelled: bool, group_by: str | None, label: str = "") -> None:
    """Refuse a file that is empty, or whose labels or groups are absent or do not belong to its records."""
    if not len(raw.x):
        raise ConfigError(f"{raw.where} holds no records: fill it, or take the file away if this side has none")
    if labelled and raw.labels is None:
        table = columns_of(raw.x)
        wanted = f"name the label column with dataset.label=; {shown_names(raw.x)}" if table else "save labels as 'y'"
        raise ConfigError(f"{raw.where} has no labels{label and f' in a column {label}'}: {wanted}")
    if group_by is not None and raw.group is None:
        there = f": {shown_names(raw.x)}" if columns_of(raw.x) else ""
        raise ConfigError(f"{raw.where} has no '{group_by}' to group by{there}")
    for what, values in (("labels", raw.labels), ("groups", raw.group if group_by else None)):
        if values is not None and values.shape != (len(raw.x),):
            raise ConfigError(f"{raw.where}: {len(raw.x)} records but {what} of shape {values.shape}")


def agree(raws: list[Raw]) -> None:
    """Refuse files whose records are not of one kind."""
    first = next((raw for raw in raws if columns_of(raw.x)), raws[0])
    for raw in raws:
        if set(columns_of(raw.x)) != set(columns_of(first.x)):
            raise ConfigError(_apart(raw, first))
        images = raw.x.ndim > 2 and raw.x.dtype != first.x.dtype
        if raw.x.shape[1:] != first.x.shape[1:] or images:
            raise ConfigError(
                f"{raw.where} has records of shape {raw.x.shape[1:]} {raw.x.dtype}, "
                f"{first.where} of {first.x.shape[1:]} {first.x.dtype}: they must be the same"
            )


def _apart(one: Raw, other: Raw) -> str:
    """Which columns only one of two files has, by name where the names are names."""
    told = f"{one.where} and {other.where} must have the same feature columns"
    for here, there in ((one, other), (other, one)):
        if not columns_of(here.x):
            continue
        only = [name for name in columns_of(here.x) if name not in columns_of(there.x)]
        if only and columns_of(there.x):
            alone = here.x[only] if len(only) > 1 else here.x[[only[0]]]
            told += f"; only in {here.where}: {shown_names(alone).removeprefix('its columns are ')}"
    return f"{told}: take them out (dataset.drop=), or add them to the other"


def pooled(raw: Raw, classes: list[str], owned: bool) -> Pool:
    """The file as records; without labels, y is -1 everywhere. Only private records have owners."""
    y = np.full(len(raw.x), -1, np.int64) if raw.labels is None else indices(raw.labels, classes, raw.where)
    return Pool(raw.x, y, owners(raw.group, raw.where) if owned and raw.group is not None else None)


def owners(group: np.ndarray, where: str) -> np.ndarray:
    """Group names as int64 or text. A record without one could be anybody's, so each needs one."""
    if group.ndim != 1 or group.dtype.kind not in "biufUO":
        raise ConfigError(f"{where}: groups must be one whole number or name per record")
    if group.dtype.kind in "biu":
        return group.astype(np.int64)
    if group.dtype.kind == "f":
        named = np.isfinite(group) & (group == np.floor(group)) & (np.abs(group) < 2**63)
    else:
        refuse_long(group, where, "groups")
        group = np.array([text(str(one).strip()) for one in group], dtype=str)  # 3 and 3.0, "A" and "A " are one person
        named = np.array([one != "" and _whole_or_name(one) for one in group.tolist()], dtype=bool)
    if not named.all():
        missing = int((~named).sum())
        raise ConfigError(f"{where}: {missing} records have no group, or a fractional one: every record needs an owner")
    return group.astype(np.int64) if group.dtype.kind == "f" else group


def _whole_or_name(group: str) -> bool:
    """Whether it names somebody: a fraction, nan and infinity are numbers that do not."""
    value = number(group)
    return value is None or written_truth(group) or (np.isfinite(value) and value == np.floor(value))
