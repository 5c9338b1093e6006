"""A method's epsilons are those of its guarantees: the owner's, the publishable one, and the worst case."""

from dataclasses import replace

from pate.accounting.guarantee import for_every, for_this
from pate.evaluation.results import MethodResult, Results, Table
from tests.evaluation.made_up import FIRST, typed

OWNERS, LEAVES = for_this("exact", 0.5, 1e-5, "t"), for_every("basic", 4.0, 1e-5, "t")


def test_a_method_of_no_known_epsilon_has_none():
    row = MethodResult("pate", "PATE")
    assert (row.epsilon, row.delta, row.relation, row.guarantee, row.accuracy) == (None,) * 5
    assert replace(row, metrics={"accuracy": 0.5}).accuracy == 0.5


def test_the_smallest_is_the_owners_and_what_leaves_holds_for_every_data_set():
    row = MethodResult("pate", "PATE", guarantees=[LEAVES, OWNERS])
    assert (row.best, row.publishable, row.worst_case) == (OWNERS, LEAVES, LEAVES)
    assert (row.epsilon, row.guarantee, row.epsilon_publishable) == (0.5, "this data set", 4.0)


def test_what_may_not_leave_still_has_a_worst_case():
    row = MethodResult("pate", "PATE", guarantees=[LEAVES.without("seeded"), OWNERS])
    assert row.publishable is None
    assert row.worst_case.epsilon == 4.0


def test_a_run_knows_which_of_its_methods_were_scored():
    found: Results = typed(FIRST)
    assert found.data == "toy"
    assert [one.name for one in found.scored] == ["pate", "dpsgd", "nonprivate"]


def test_a_table_is_read_as_its_columns_say():
    table = Table("t", "w", {"epsilon": "g", "right": ".1%"}, [[0.5, 0.91234], [1.0, None]])
    assert table.cells() == [["0.5", "91.2%"], ["1", "-"]]
