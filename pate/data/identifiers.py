"""Columns that say whose a record is: a model learns nothing from them, and would carry them out of the house.

By name (patient_id, SSN, eMail, date of birth), or by shape: many different values, each on a few rows. A name is
public, and so are public rows; what only private rows show is for the owner's eyes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from pate.data.cells import Cell, blank, number, text

_WORDS = {
    "id", "ids", "uid", "uuid", "guid", "pid", "mrn", "ssn", "nhs", "nino", "ahv", "avs", "iban", "bic", "passport",
    "email", "mail", "phone", "telephone", "tel", "fax", "ip", "username", "login",
    "name", "names", "firstname", "lastname", "forename", "surname", "fullname", "nachname", "vorname",
    "address", "adress", "street", "addr", "dob", "birthday", "birthdate", "identifier", "identity",
}  # fmt: skip
_PAIRS = {
    ("date", "birth"), ("birth", "date"), ("e", "mail"), ("social", "security"), ("record", "number"),
    ("account", "number"), ("card", "number"), ("policy", "number"), ("license", "plate"), ("user", "key"),
}  # fmt: skip
_RUN_TOGETHER = re.compile(
    r"(patient|person|subject|user|customer|client|member|employee|account|record|case|visit|encounter|admission|"
    r"household|family|device|session|order|transaction|participant|respondent|student|sample)(id|no|nr|num|number|key)"
)
_MANY = 20  # different values
_FEW, _SHARE = 5, 0.02  # rows at most that have the commonest one, or this share of all


def named_like_one(name: str) -> bool:
    """Whether its name says so, in whatever spelling: patient_id, PatientID, patient.id, patientid."""
    apart = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    words = [word for word in re.split(r"[^a-z]+", apart.casefold()) if word and word != "of"]
    together = "".join(words)
    pairs = set(pairwise(words))
    return bool(_WORDS & set(words) or _PAIRS & pairs or _RUN_TOGETHER.fullmatch(together))


def shaped_like_one(cells: Sequence[Cell]) -> bool:
    """Text of many different values, each on a few rows; or a counter, whole numbers that are all different and dense.

    Other numbers are measurements as often as names, and a model carries no value of theirs: they are let pass.
    """
    filled = [cell for cell in cells if not blank(cell)]
    if len(filled) < _MANY:
        return False
    values = [number(cell) for cell in filled]
    if all(value is not None for value in values):
        whole = {int(value) for value in values if value is not None and value == value and value == int(value)}
        return len(whole) == len(filled) and max(whole) - min(whole) < 3 * len(whole)
    counted = Counter(map(text, filled))
    return len(counted) >= _MANY and max(counted.values()) <= max(_FEW, _SHARE * len(filled))


def repeated(cells: Sequence[Cell]) -> tuple[int, int]:
    """How many values are on several rows, and on how many rows the commonest is."""
    counted = Counter(text(cell) for cell in cells if not blank(cell))
    return sum(times > 1 for times in counted.values()), max(counted.values(), default=0)
