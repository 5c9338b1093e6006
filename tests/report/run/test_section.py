"""A part of a page: a method's table with every column a number."""

from pate.evaluation.results import Table
from pate.report.run.section import Section


def test_a_methods_table_is_a_section():
    part = Section.of(Table("By level", "What each costs.", {"level": "", "epsilon": ".3f"}, [[1.0, 0.5]]), 2)
    assert (part.id, part.title, part.words) == ("table-2", "By level", ["What each costs."])
    assert (list(part.head), list(part.numbers)) == (["level", "epsilon"], [0, 1])
    assert part.rows[0][1] == "0.500"
