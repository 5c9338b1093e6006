"""What is written can be read back as it was, fits its schema, and nothing else is taken for it."""

from dataclasses import dataclass, field

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pate.workspace.typed_json import from_json, schema, to_json


@dataclass(frozen=True)
class Inner:
    name: str
    share: float | None = None


@dataclass(frozen=True)
class Outer:
    """What a test writes."""

    derived = ("twice",)

    count: int
    ratio: float
    inner: list[Inner] = field(default_factory=list)
    by_name: dict[str, float | None] = field(default_factory=dict)
    maybe: Inner | None = None
    right: bool = True

    @property
    def twice(self) -> int:
        return 2 * self.count


numbers = st.floats(allow_nan=False, allow_infinity=False)
inners = st.builds(Inner, st.text(), st.none() | numbers)
outers = st.builds(
    Outer, st.integers(-99, 99), numbers, st.lists(inners), st.dictionaries(st.text(), st.none() | numbers),
    st.none() | inners, st.booleans(),
)  # fmt: skip


@given(outers)
def test_read_back_it_is_the_same_and_it_fits_its_schema(one):
    plain = to_json(one)
    assert from_json(Outer, plain) == one
    jsonschema.validate(plain, schema(Outer))
    assert plain["twice"] == 2 * one.count


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"count": "1"}, "Outer.count"),
        ({"count": True}, "Outer.count"),
        ({"inner": [{"share": 1.0}]}, r"Outer.inner\[0\] lacks name"),
        ({"inner": {"name": "x"}}, "Outer.inner"),
        ({"by_name": {"a": "b"}}, "Outer.by_name.a"),
        ({"maybe": 3}, "Outer.maybe"),
    ],
)
def test_what_does_not_fit_is_named_by_its_place_and_not_by_its_value(change, place):
    with pytest.raises(ValueError, match=place) as refused:
        from_json(Outer, {"count": 1, "ratio": 0.5} | change)
    assert "'b'" not in str(refused.value)


def test_what_is_missing_has_its_default_and_what_is_unknown_is_left_out():
    assert from_json(Outer, {"count": 1, "ratio": 0.5, "later": "x"}) == Outer(1, 0.5)
    with pytest.raises(ValueError, match="Outer lacks ratio"):
        from_json(Outer, {"count": 1})


def test_infinity_is_null():
    assert to_json({"a": [float("inf"), 1.0]}) == {"a": [None, 1.0]}
