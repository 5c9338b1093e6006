"""Methods are chosen by name; what is held against what does not hang on the order somebody typed them in."""

from itertools import permutations

import pytest
from pate.pipelines import _of_others, entries, graph, methods

from pate.errors import ConfigError
from pate.methods.method import chosen
from tests.plugged import installed


@pytest.mark.parametrize("order", list(permutations(["pate", "dpsgd", "nonprivate"])), ids=",".join)
def test_the_order_of_the_list_changes_nothing(order, settings):
    """DP-SGD reads what PATE spent, and each other model is held against the first: PATE's, never the bound."""
    usual, these = (
        settings("teachers=ridge", "methods=[pate,dpsgd,nonprivate]"),
        settings("teachers=ridge", f"methods=[{','.join(order)}]"),
    )
    assert [one.key for one in entries(these)] == ["pate", "dpsgd", "dpsgd_publishable", "nonprivate"]
    assert [one.name for one in graph(these).stages] == [one.name for one in graph(usual).stages]
    assert graph(these).named("compare").reads == graph(usual).named("compare").reads


def test_one_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="methods: there is no foo; there are pate, dpsgd, consensus"):
        chosen(dict(list(methods().items())[:3]), ["pate", "foo"])


BROKEN = {
    "raises": ("raise RuntimeError('half\\ndone')", "raises .broken:M. cannot be loaded: half done"),
    "none": ("class M: pass", "none is no Method with the key none"),
    "argument": ("class M:\n    def __init__(self, x): pass", "argument: .*missing 1 required positional argument"),
    "labels": ("from pate.pipelines import PATE, DPSGD\nclass M(PATE):\n    key, own = 'labels', int",
               "labels is a setting already: choose another key"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_plug_in_is_in_the_way_of_those_alone_who_name_it(tmp_path, name):
    text, told = BROKEN[name]
    with installed(tmp_path / "site", {"broken": text}, {"pate.methods": [f"{name} = broken:M"]}):
        found = _of_others(name)
    assert found.own is None
    with pytest.raises(ConfigError, match=f"^pate.methods: {told}") as error:
        found.left_out(None)
    assert "\n" not in str(error.value)
