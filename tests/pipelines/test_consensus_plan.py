"""What a consensus would draw, from settings alone."""

import pytest
from pate.pipelines.consensus_plan import asked, counted, planned

from pate.accounting.ladder import independent


def test_a_number_is_that_number(settings):
    assert asked(settings("consensus.epsilon=0.5")) == 0.5
    assert planned(settings("consensus.epsilon=0.5")).guarantees()[0].epsilon == pytest.approx(0.5, rel=1e-6)


def test_pates_is_what_pate_may_publish(settings):
    chosen = settings("consensus.epsilon=pate", "labels.queries=30")
    several = independent(chosen.aggregator, 30, chosen.teachers.count, chosen.delta)
    assert asked(chosen) == min(one.epsilon for one in several)


def test_the_unit_is_that_of_the_partition(settings):
    assert planned(settings("partition.group_by=person", "methods=[consensus]")).group == "person"


def test_of_private_records_it_counts_their_number(settings):
    assert counted(settings("consensus.epsilon=0.5", "dataset.private=700")) == [700, 0.5]
