"""Whose a record is: everybody's records are on one side of the barrier, and each private one has an owner."""

from __future__ import annotations

import numpy as np

from pate.data.cells import number, text, written_truth
from pate.data.labels import refuse_long
from pate.errors import ConfigError


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


def refuse_in_public(private: np.ndarray | None, public: np.ndarray | None, where: str) -> None:
    """Nobody's records may lie in the private and in the public file, if the public one says whose its records are."""
    if private is None or public is None:
        return
    try:
        named = owners(public, where)
    except ConfigError:  # a public record may be nobody's
        named = public
    both = np.intersect1d(private.astype(str), named.astype(str))
    if len(both):
        raise ConfigError(
            f"{len(both)} groups have records in the private and in the public file: what is public is released as it "
            "is, so take them out of one of the two"
        )


def refuse_on_both_sides(group: np.ndarray | None, private: int) -> None:
    """The same where one file is split: the first so many are private, the others are released as they are."""
    if group is None:
        return
    both = np.intersect1d(group[:private], group[private:])
    if len(both):
        raise ConfigError(
            f"{len(both)} groups would have private and public records: with partition.group_by, give separate "
            "private, public and test files that divide the groups"
        )
