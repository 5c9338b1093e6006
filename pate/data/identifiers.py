"""Columns that say whose a record is: a model learns nothing from them, and would carry them out of the house.

By name (patient_id, SSN, eMail, date of birth), or by shape: many different values, each on a few rows. A name is
public, and so are public rows; what only private rows show is for the owner's eyes.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from pate.data.cells import Cell, blank, number, text
from pate.data.kinds import Kind

_WORDS = {
    "id", "ids", "uid", "uuid", "guid", "pid", "mrn", "ssn", "nhs", "nino", "ahv", "avs", "iban", "bic", "passport",
    "randid", "seqn", "ptid", "codicefiscale",
    "email", "mail", "phone", "telephone", "tel", "fax", "ip", "username", "login",
    "name", "names", "firstname", "lastname", "forename", "surname", "fullname", "nachname", "vorname",
    "address", "adress", "street", "addr", "dob", "birthday", "birthdate", "identifier", "identity",
}  # fmt: skip
_PAIRS = {
    ("date", "birth"), ("birth", "date"), ("e", "mail"), ("social", "security"), ("record", "number"),
    ("account", "number"), ("card", "number"), ("policy", "number"), ("license", "plate"), ("user", "key"),
}  # fmt: skip
_RUN_TOGETHER = re.compile(
    r"(patient|patientunit|person|subject|study|versicherten|nhs|user|customer|client|member|employee|account|record|case|visit|encounter|admission|"
    r"household|family|device|session|order|transaction|participant|respondent|student|sample|stay|unitstay|patientunitstay)"
    r"(id|no|nr|nbr|num|number|key)"
)
_WHOLE = {
    "patient", "patients", "person", "subject", "participant", "respondent", "individual", "pidnum", "patno", "patid",
    "patnum", "subjid", "usubjid", "subjno", "empno", "caseid",
}  # fmt: skip
_MANY = 20  # different values
_HANDFUL = 10  # different values name no people, whatever the column is called
_FEW, _SHARE = 5, 0.02  # rows at most that have the commonest one, or this share of all


def named_like_one(name: str) -> bool:
    """Whether its name says so, in whatever spelling: patient_id, PatientID, patient.id, patientid."""
    apart = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    words = [word for word in re.split(r"[^a-z]+", apart.casefold()) if word and word != "of"]
    together = "".join(words)
    pairs = set(pairwise(words))
    named = _WORDS & {*words, together} or _PAIRS & pairs
    return bool(named or together in _WHOLE or _RUN_TOGETHER.fullmatch(together))


def only_a_handful(cells: Sequence[Cell]) -> bool:
    """Whether a column has so few values on so many rows that it names kinds of things and no people."""
    return len(cells) >= 5 * _HANDFUL and len({text(cell) for cell in cells if not blank(cell)}) < _HANDFUL


def shaped_like_one(cells: Sequence[Cell], kind: Kind) -> bool:
    """A category of many different values, each on a few rows; or a counter, whole numbers that are all different and
    dense.

    Other numbers are measurements as often as names, and a model carries no value of theirs: they are let pass.
    """
    filled = [cell for cell in cells if not blank(cell)]
    if kind == "date" or len(filled) < _MANY:
        return False
    if kind == "numeric":
        values = [value for value in map(number, filled) if value is not None and math.isfinite(value)]
        whole = {int(value) for value in values if value == int(value)}
        return len(whole) == len(values) >= _MANY and max(whole) - min(whole) < 3 * len(whole)
    counted = Counter(map(text, filled))
    return len(counted) >= _MANY and max(counted.values()) <= max(_FEW, _SHARE * len(filled))


def repeated(cells: Sequence[Cell]) -> tuple[int, int]:
    """How many values are on several rows, and on how many rows the commonest is."""
    counted = Counter(text(cell) for cell in cells if not blank(cell))
    return sum(times > 1 for times in counted.values()), max(counted.values(), default=0)
