"""However many processes spend at once, none of them overspends, and nothing is lost."""

import pytest

from . import crowd


def test_eight_spend_until_all_are_refused(tmp_path):
    found = crowd.spenders(tmp_path, seed=0)
    assert found.refused == 8 * 3
    assert found.tried == found.recorded + found.refused


def test_some_of_the_eight_are_killed_while_they_spend(tmp_path):
    found = crowd.spenders(tmp_path, seed=1, kill=4)
    assert found.killed > 0


def test_reading_while_others_spend(tmp_path):
    crowd.readers(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(10))
def test_eight_create_a_workspace_at_once(tmp_path, number):
    crowd.creators(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "kill"), [(1.0, ()), (2.5, ()), (1.5, (0.3, 0.6, 0.9))])
def test_eight_pipelines_under_one_budget(tmp_path, epsilon, kill):
    found = crowd.pipelines(tmp_path, epsilon, kill)
    assert found.recorded > 0
