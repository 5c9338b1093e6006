"""Columns that say whose a record is, by name and by shape."""

import numpy as np
import pytest

from pate.data.identifiers import named_like_one, only_a_handful, repeated, shaped_like_one


@pytest.mark.parametrize(
    "name",
    ["id", "ID", "patient_id", "PatientID", "patientId", "patient.id", "patientid", "MRN", "ssn", "E-Mail",
     "email_address", "phone number", "name", "last_name", "Home Address", "dob", "date_of_birth", "DateOfBirth",
     "birth date", "customerNo", "social security", "uuid", "record number",
     "patient", "pidnum", "USUBJID", "RANDID", "SEQN", "patientunitstayid", "patient_nbr", "NHSnumber", "STUDYID", 
     "PTID", "versichertennr", "codice_fiscale"],
)  # fmt: skip
def test_names(name):
    assert named_like_one(name)


@pytest.mark.parametrize(
    "name", ["age", "paid", "valid", "acid", "idle", "country", "native-country", "width", "birth_weight", "humid",
             "grid", "education-num", "renamed", "phoneme", "emailed_often", "date", "hours-per-week",
             "num_lab_procedures", "time_in_hospital", "stay_days", "random", "order_total"]
)  # fmt: skip
def test_names_that_only_look_like_it(name):
    assert not named_like_one(name)


def test_a_repeating_identifier_has_many_values_each_on_a_few_rows():
    visits = np.random.default_rng(0).integers(0, 200, 1000)
    assert shaped_like_one(
        [f"P{one:04d}" for one in visits], "category"
    )  # 199 people, 5 visits each: not one in two is distinct
    assert shaped_like_one([f"P{one}" for one in range(60)], "category")


def test_a_counter_is_one_and_a_measurement_is_not():
    rng = np.random.default_rng(0)
    assert shaped_like_one(list(range(5000, 5100)), "numeric")
    assert shaped_like_one([str(one) for one in rng.permutation(100)], "numeric")
    for measured in (rng.integers(0, 10**6, 500), rng.normal(size=500), rng.integers(18, 90, 300)):
        assert not shaped_like_one(measured.tolist(), "numeric")  # income: all different, and no names
        assert not shaped_like_one(["NA", "<5", *measured.astype(str).tolist()], "numeric")
    assert not shaped_like_one([f"2020-01-{1 + i % 28:02d}" for i in range(100)], "date")


def test_categories_are_none():
    towns = np.random.default_rng(0).zipf(1.6, 2000) % 150
    assert not shaped_like_one([f"town {one}" for one in towns], "category")
    assert not shaped_like_one(["a", "b"] * 100, "category")
    assert not shaped_like_one([f"only {i}" for i in range(10)], "category")  # too few to tell
    assert not shaped_like_one([], "category")


def test_a_handful_of_values_names_no_people():
    assert only_a_handful(["A", "B", "C"] * 30)
    assert not only_a_handful(["A", "B", "C"])
    assert not only_a_handful([f"P{i}" for i in range(60)])


def test_repeated_values():
    assert repeated(["a", "a", "b", "", None, "c", "c", "c"]) == (2, 3)
    assert repeated([]) == (0, 0)
