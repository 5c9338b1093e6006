"""A user's labels as indices into a class list; errors count labels, they never show one."""

from __future__ import annotations

import re

import numpy as np

from pate.errors import ConfigError

LONGEST = 256  # characters of a label or a group
_MANY = 50  # different numbers, before they look like a quantity
_CLASSES_ONLY = "only classification is done here, so make classes of a quantity first (low, middle, high)"
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")  # what a terminal would obey
# what everything made with such a class list carries
CLASSES_FROM_PRIVATE = (
    "the class list was read from private labels, which it therefore shows: declare it with dataset.classes"
)


def whole(text: str) -> str | None:
    """The whole number in a text ('3', '3.0'), None where there is none."""
    try:
        value = float(text)
    except ValueError:
        return None
    return str(int(value)) if np.isfinite(value) and value == int(value) else None


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def names_of(raw: np.ndarray, where: str) -> tuple[np.ndarray, np.ndarray]:
    """The distinct label names and, for each record, which one it has; a number must be whole."""
    if raw.ndim != 1 or raw.dtype.kind not in "biufUO":
        raise ConfigError(f"{where}: labels must be one whole number or name per record")
    if raw.dtype.kind in "UO":
        refuse_long(raw, where, "labels")
    if raw.dtype.kind in "biu":
        raw = raw.astype(np.int64)
    values, positions = np.unique(raw.astype(str), return_inverse=True)
    if raw.dtype.kind == "f":
        broken = np.array([whole(value) is None for value in values], dtype=bool)
        _refuse(int(broken[positions].sum()), where, f"are not whole numbers: {_CLASSES_ONLY}")
        values = np.array([whole(value) for value in values], dtype=str)
    values = np.array([value.strip() for value in values], dtype=str)
    _refuse(int((values == "")[positions].sum()), where, "are blank")
    unseen = np.array([CONTROL.search(value) is not None for value in values], dtype=bool)
    _refuse(int(unseen[positions].sum()), where, "hold characters that cannot be shown")
    return values, positions


def refuse_long(names: np.ndarray, where: str, what: str) -> None:
    """In an array of text each takes the room of the longest, so that one could fill the memory."""
    long = sum(len(name) > LONGEST for name in names)
    if long:
        raise ConfigError(f"{where}: {long} {what} have more than {LONGEST} characters: give them shorter names")


def class_list(sides: list[tuple[np.ndarray, str]]) -> list[str]:
    """The classes that occur, whole numbers in numeric order before names in alphabetic order."""
    found: set[str] = set()
    for raw, where in sides:
        values, positions = names_of(raw, where)
        broken = np.array([is_number(value) and whole(value) is None for value in values], dtype=bool)
        _refuse(int(broken[positions].sum()), where, f"are numbers but not whole ones: {_CLASSES_ONLY}")
        if len(values) > max(_MANY, len(raw) / 10) and all(map(is_number, values)):
            raise ConfigError(f"{where}: its labels are {len(values)} different numbers: {_CLASSES_ONLY}")
        found |= {whole(value) or str(value) for value in values}
    if len(found) < 2:
        raise ConfigError(f"{len(found)} class(es) occur in the labels; declare two or more with dataset.classes=[...]")
    return sorted(found, key=lambda name: (0, int(name), "") if is_number(name) else (1, 0, name))


def indices(raw: np.ndarray, classes: list[str], where: str) -> np.ndarray:
    """Each label's place in the class list: by its name, or by number where the classes themselves have names."""
    truths = {name.casefold(): name for name in classes}
    if raw.dtype.kind == "b" and set(truths) == {"true", "false"}:  # by name, as if they had been written
        raw = np.where(raw, truths["true"], truths["false"])
    values, positions = names_of(raw, where)
    named = {name: place for place, name in enumerate(classes)}
    if not any(is_number(name) for name in classes):
        named = {str(place): place for place in range(len(classes))} | named
    places = np.array([named.get(str(v), named.get(whole(v) or "", -1)) for v in values], dtype=np.int64)
    y: np.ndarray = places[positions]
    quote = "; in a YAML file write 'yes' and 'no' in quotes" if set(truths) == {"true", "false"} else ""
    _refuse(int((y < 0).sum()), where, f"are not among dataset.classes=[{', '.join(classes)}]{quote}")
    return y


def _refuse(count: int, where: str, what: str) -> None:
    if count:
        raise ConfigError(f"{where}: {count} labels {what}")
