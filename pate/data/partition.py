"""Which teacher sees which record.

One record, or one person's records, must reach one teacher only, whatever the others are: then changing it changes
one vote, which is what the noise is scaled to. A split that is stratified, sorted or balanced by content breaks this:
a changed record could push others across a boundary and so change several teachers.
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

from pate.errors import ConfigError


def assign(records: int, count: int, seed: int) -> np.ndarray:
    """A teacher for each position, from positions and the seed alone; sizes differ by at most one."""
    _enough(records, count, "records")
    teachers = np.empty(records, dtype=np.int64)
    teachers[np.random.default_rng(seed).permutation(records)] = np.arange(records) % count
    return teachers


def assign_groups(groups: np.ndarray, count: int, seed: int) -> np.ndarray:
    """A teacher for each record from its own group's name and the seed alone, so no person can move another.

    Sizes follow chance: partitions may be uneven, and some empty. Evening them out would need a look at all groups.
    """
    names, positions = np.unique(groups, return_inverse=True)
    _enough(len(names), count, "groups")
    teachers = np.array([_hashed(str(name), seed) % count for name in names], dtype=np.int64)
    return teachers[positions]


def _hashed(name: str, seed: int) -> int:
    return int.from_bytes(blake2b(f"{seed}:{name}".encode(), digest_size=8).digest())


def _enough(there: int, count: int, what: str) -> None:
    if count < 1:
        raise ConfigError(f"{count} teachers: at least 1 is needed")
    if count > there:
        raise ConfigError(f"{count} teachers for {there} private {what}: ask for at most {there} teachers")
